#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "capture/csv_fields.h"
#include "capture/json_scanner.h"
#include "trace/trace.h"

namespace strata {

/// The columns of Strata's own format (GENERIC.md); the JSON-lines form has the same names as keys.
enum class GenericField : uint8_t {
  Action,
  Address,
  Bytes,
  Requested,
  Time,
  Stream,
  Device,
  Region,
  Stack,
  Label,
  DeviceFree,
  Dropped,
  Count,
};

/// What a row says, as text; values that are not there are empty.
struct GenericValues {
  std::array<std::string_view, static_cast<size_t>(GenericField::Count)> text;
  int64_t nsPerUnit = 1'000'000'000;  ///< of the time
  bool mayHaveDecimalComma = false;

  std::string_view operator[](GenericField field) const { return text[static_cast<size_t>(field)]; }
  bool has(GenericField field) const { return !(*this)[field].empty(); }
};

enum class GenericAction : uint8_t {
  Allocate,
  Free,
  RequestFree,
  Hold,  ///< there when the recording began
  TakeSegment,
  ReturnSegment,
  HoldSegment,
  Failure,
  Gap,  ///< events are missing
  Marker,
  Begin,
  End
};

/// A row that was understood.
struct GenericRow {
  GenericAction action = GenericAction::Marker;
  DeviceKind kind = DeviceKind::Cuda;
  int ordinal = 0;
  bool isDeviceSaid = false;
  std::optional<uint64_t> address;
  uint64_t bytes = 0;
  std::optional<uint64_t> requested;
  std::optional<int64_t> time;  ///< ns
  uint64_t stream = 0;
  std::optional<Region> region;
  uint64_t deviceFree = kUnknownBytes;
  std::optional<uint64_t> dropped;  ///< of a gap: how many events
  std::string_view stack, label;
};

/// The columns of a CSV file, from its header: separated by commas, semicolons or tabs. Where no comma
/// separates them, a time may have one as its decimal point.
class GenericHeader {
 public:
  /// False when the line is no header of ours: it needs at least `action` and `bytes`.
  bool read(std::string_view line, CsvFields& fields);
  /// What a header that was not read lacks: "action", "bytes" or both; empty when it has none of our columns.
  std::string missing(std::string_view line);
  char separator() const { return separator_; }
  size_t count() const { return fields_.size(); }
  GenericValues valuesOf(const CsvFields& fields) const;

 private:
  bool readFields(const CsvFields& fields);

  std::vector<std::optional<GenericField>> fields_;
  int64_t nsPerUnit_ = 1'000'000'000;
  char separator_ = ',';
};

/// A line that is no row: empty, behind a "#", or what spreadsheets write in front of the header, "sep=;".
bool isGenericComment(std::string_view line);

/// The column of a name in any case, and for times how many ns a unit has.
std::optional<GenericField> genericFieldOf(std::string_view name, int64_t& nsPerUnit);

/// Reads the object that is next; texts that had escapes live in `storage`. Errors: those of the scanner.
void readGenericMembers(JsonScanner& scanner, GenericValues& values, std::deque<std::string>& storage);

/// Reads one line of the JSON-lines form; false when it is no object on one line. Texts that had escapes live
/// in `storage`.
bool readGenericJson(std::string_view line, GenericValues& values, std::deque<std::string>& storage);

/// Nothing when a value that the action needs is missing or is no value.
std::optional<GenericRow> understandGeneric(const GenericValues& values);

}  // namespace strata

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "capture/sqlite/database.h"

namespace strata::nsight {

/// Where memory lies. Array is memory of a device; the static kinds are variables that a program declares.
enum class MemoryKind : uint8_t {
  Pageable,
  Pinned,
  Device,
  Array,
  Managed,
  DeviceStatic,
  ManagedStatic,
  Unknown
};

enum class PoolOperation : uint8_t { Invalid, Created, Destroyed, Trimmed };

/// What the numbers of an export mean, by the names in its own enum tables; an export without these tables
/// has the numbers of the first ones. A number without a name means nothing.
class EnumNames {
 public:
  explicit EnumNames(sqlite::Database& database);

  MemoryKind memoryKind(int64_t number) const;
  /// Whether an operation frees; nothing when it neither allocates nor frees.
  std::optional<bool> isFree(int64_t number) const;
  PoolOperation poolOperation(int64_t number) const;
  bool isRange(int64_t eventType) const { return has(ranges_, eventType); }

 private:
  using Meanings = std::map<int64_t, uint8_t>;
  struct Meaning {
    std::string_view symbol;  ///< the end of the enum's symbol: "DEVICE_STATIC"
    int64_t number;           ///< where there is no table
    uint8_t value;
  };

  static bool has(const Meanings& meanings, int64_t number) { return meanings.contains(number); }
  static Meanings read(sqlite::Database& database, std::string_view table, std::span<const Meaning> known);

  Meanings kinds_, operations_, pools_, ranges_;
};

}  // namespace strata::nsight

#include "capture/generic_row.h"

#include <algorithm>

#include "capture/text_numbers.h"

namespace strata {
namespace {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int kMostOrdinals = 1024;

struct FieldName {
  std::string_view name;
  GenericField field;
  int64_t nsPerUnit = kNsPerSecond;
};

constexpr FieldName kNames[] = {
    {"action", GenericField::Action},
    {"address", GenericField::Address},
    {"addr", GenericField::Address},
    {"pointer", GenericField::Address},
    {"ptr", GenericField::Address},
    {"bytes", GenericField::Bytes},
    {"size", GenericField::Bytes},
    {"requested", GenericField::Requested},
    {"time", GenericField::Time},
    {"time_s", GenericField::Time},
    {"time_ms", GenericField::Time, 1'000'000},
    {"time_us", GenericField::Time, 1'000},
    {"time_ns", GenericField::Time, 1},
    {"stream", GenericField::Stream},
    {"device", GenericField::Device},
    {"region", GenericField::Region},
    {"stack", GenericField::Stack},
    {"label", GenericField::Label},
    {"device_free", GenericField::DeviceFree},
    {"dropped", GenericField::Dropped},
};

struct ActionName {
  std::string_view name;
  GenericAction action;
};

constexpr ActionName kActions[] = {
    {"alloc", GenericAction::Allocate},
    {"allocate", GenericAction::Allocate},
    {"malloc", GenericAction::Allocate},
    {"free", GenericAction::Free},
    {"deallocate", GenericAction::Free},
    {"free_requested", GenericAction::RequestFree},
    {"held", GenericAction::Hold},
    {"segment_alloc", GenericAction::TakeSegment},
    {"segment_free", GenericAction::ReturnSegment},
    {"segment_held", GenericAction::HoldSegment},
    {"gap", GenericAction::Gap},
    {"oom", GenericAction::Failure},
    {"marker", GenericAction::Marker},
    {"begin", GenericAction::Begin},
    {"end", GenericAction::End},
};

std::optional<GenericAction> actionOf(std::string_view name) {
  for (const ActionName& known : kActions) {
    if (known.name == name) return known.action;
  }
  return std::nullopt;
}

std::optional<Region> regionOf(std::string_view name) {
  if (name == "immediate") return Region::Immediate;
  if (name == "pooled") return Region::Pooled;
  if (name == "virtual") return Region::Virtual;
  return std::nullopt;
}

/// "1", "cuda:1", "npu:0", "xpu:0", "host" or "cpu".
bool readDevice(std::string_view text, GenericRow& row) {
  if (text == "host" || text == "cpu") {
    row.kind = DeviceKind::Host;
    return true;
  }
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view kind = text.substr(0, colon);
    if (kind == "npu") {
      row.kind = DeviceKind::Npu;
    } else if (kind == "xpu") {
      row.kind = DeviceKind::Xpu;
    } else if (kind != "cuda" && kind != "gpu") {
      row.kind = DeviceKind::Unknown;
    }
    text.remove_prefix(colon + 1);
  }
  const auto ordinal = parseDecimal(text);
  if (!ordinal || *ordinal >= kMostOrdinals) return false;
  row.ordinal = static_cast<int>(*ordinal);
  return true;
}

/// Reads a number if there is one; false when there is something else.
template <typename Number>
bool readIfThere(std::string_view text, Number& number) {
  if (text.empty()) return true;
  const auto read = parseNumber(text);
  if (read) number = *read;
  return read.has_value();
}

bool needsBytes(GenericAction action) {
  return action == GenericAction::Allocate || action == GenericAction::TakeSegment ||
         action == GenericAction::Hold || action == GenericAction::HoldSegment ||
         action == GenericAction::Failure;
}

}  // namespace

std::optional<GenericField> genericFieldOf(std::string_view name, int64_t& nsPerUnit) {
  const auto isSameLetter = [](char one, char other) {
    return one == (other >= 'A' && other <= 'Z' ? static_cast<char>(other - 'A' + 'a') : other);
  };
  for (const FieldName& known : kNames) {
    const bool isIt =
        std::equal(known.name.begin(), known.name.end(), name.begin(), name.end(), isSameLetter);
    if (!isIt) continue;
    if (known.field == GenericField::Time) nsPerUnit = known.nsPerUnit;
    return known.field;
  }
  return std::nullopt;
}

bool GenericHeader::read(std::string_view line, CsvFields& fields) {
  constexpr char kSeparators[] = {',', ';', '\t'};
  for (const char separator : kSeparators) {
    separator_ = separator;
    if (fields.split(line, separator) && readFields(fields)) return true;
  }
  return false;
}

std::string GenericHeader::missing(std::string_view line) {
  constexpr char kSeparators[] = {',', ';', '\t'};
  for (const char separator : kSeparators) {
    CsvFields fields;
    if (!fields.split(line, separator) || fields.count() < 2) continue;
    readFields(fields);
    const auto has = [&](GenericField field) {
      return std::count(fields_.begin(), fields_.end(), field) > 0;
    };
    const bool isOurs =
        std::any_of(fields_.begin(), fields_.end(), [](const auto& field) { return field.has_value(); });
    if (!isOurs) continue;
    if (has(GenericField::Action)) return "bytes";
    return has(GenericField::Bytes) ? "action" : "action and no column bytes";
  }
  return {};
}

bool GenericHeader::readFields(const CsvFields& fields) {
  fields_.clear();
  bool hasAction = false, hasBytes = false;
  for (size_t i = 0; i < fields.count(); ++i) {
    fields_.push_back(genericFieldOf(fields.at(i), nsPerUnit_));
    hasAction = hasAction || fields_.back() == GenericField::Action;
    hasBytes = hasBytes || fields_.back() == GenericField::Bytes;
  }
  return hasAction && hasBytes;
}

GenericValues GenericHeader::valuesOf(const CsvFields& fields) const {
  GenericValues values;
  values.nsPerUnit = nsPerUnit_;
  values.mayHaveDecimalComma = separator_ != ',';
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i]) values.text[static_cast<size_t>(*fields_[i])] = fields.at(i);
  }
  return values;
}

namespace {

/// Frames of a list, as the CSV form writes them.
std::string joinedFrames(JsonScanner& scanner) {
  std::string frames;
  scanner.open('[');
  for (bool isFirst = true; scanner.item(isFirst);) {
    if (scanner.next() != '"') {
      scanner.skip();
      continue;
    }
    if (!frames.empty()) frames += ';';
    frames += scanner.string();
  }
  return frames;
}

}  // namespace

void readGenericMembers(JsonScanner& scanner, GenericValues& values, std::deque<std::string>& storage) {
  scanner.open('{');
  std::string_view key;
  for (bool isFirst = true; scanner.member(isFirst, key);) {
    const auto field = genericFieldOf(key, values.nsPerUnit);
    const char start = scanner.next();
    if (!field || start == '{' || (start == '[' && *field != GenericField::Stack)) {
      scanner.skip();
      continue;
    }
    std::string_view& text = values.text[static_cast<size_t>(*field)];
    if (start == '[') {
      storage.push_back(joinedFrames(scanner));
      text = storage.back();
    } else if (start == '"') {
      storage.emplace_back(scanner.string());
      text = storage.back();
    } else {
      const std::string_view value = scanner.literal();
      text = value == "null" ? std::string_view() : value;
    }
  }
}

bool readGenericJson(std::string_view line, GenericValues& values, std::deque<std::string>& storage) {
  storage.clear();
  try {
    JsonScanner scanner(line);
    readGenericMembers(scanner, values, storage);
    return scanner.isAtEnd();
  } catch (const std::runtime_error&) {  // no JSON, or not all of it
    return false;
  }
}

bool isGenericComment(std::string_view line) {
  return line.empty() || line.front() == '#' || (line.size() == 5 && line.starts_with("sep="));
}

std::optional<GenericRow> understandGeneric(const GenericValues& values) {
  const auto action = actionOf(values[GenericField::Action]);
  if (!action) return std::nullopt;
  GenericRow row;
  row.action = *action;
  row.stack = values[GenericField::Stack];
  row.label = values[GenericField::Label];
  row.isDeviceSaid = values.has(GenericField::Device);
  if (row.isDeviceSaid && !readDevice(values[GenericField::Device], row)) return std::nullopt;
  if (!readIfThere(values[GenericField::Address], row.address)) return std::nullopt;
  if (!readIfThere(values[GenericField::Bytes], row.bytes)) return std::nullopt;
  if (!readIfThere(values[GenericField::Requested], row.requested)) return std::nullopt;
  if (!readIfThere(values[GenericField::Stream], row.stream)) return std::nullopt;
  if (!readIfThere(values[GenericField::DeviceFree], row.deviceFree)) return std::nullopt;
  if (!readIfThere(values[GenericField::Dropped], row.dropped)) return std::nullopt;
  if (values.has(GenericField::Time)) {
    const std::string_view time = values[GenericField::Time];
    const bool hasComma = values.mayHaveDecimalComma && time.find('.') == std::string_view::npos;
    row.time = parseTime(time, values.nsPerUnit, hasComma ? ',' : '.');
    if (!row.time) return std::nullopt;
  }
  if (values.has(GenericField::Region)) {
    row.region = regionOf(values[GenericField::Region]);
    if (!row.region) return std::nullopt;
  }
  if (needsBytes(row.action) && !values.has(GenericField::Bytes)) return std::nullopt;
  return row;
}

}  // namespace strata

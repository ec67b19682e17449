#include "capture/sqlite/record.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace strata::sqlite {
namespace {

int64_t bigEndian(std::string_view bytes) {
  // The sign is that of the first byte.
  auto number = static_cast<uint64_t>(static_cast<int64_t>(static_cast<signed char>(bytes[0])));
  for (const char byte : bytes.substr(1)) number = number << 8 | static_cast<unsigned char>(byte);
  return static_cast<int64_t>(number);
}

/// Bytes that a value of this type takes up; 10 and 11 never stand in a file.
uint64_t sizeOf(uint64_t type) {
  constexpr uint8_t kSizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  return type < 12 ? kSizes[type] : (type - 12) / 2;
}

Value valueOf(uint64_t type, std::string_view bytes) {
  Value value;
  if (type >= 12) {
    value.kind = type % 2 == 0 ? Value::Kind::Blob : Value::Kind::Text;
    value.bytes = bytes;
  } else if (type == 8 || type == 9) {
    value.kind = Value::Kind::Integer;
    value.integer = static_cast<int64_t>(type) - 8;
  } else if (type == 7) {
    value.kind = Value::Kind::Real;
    value.real = std::bit_cast<double>(bigEndian(bytes));
  } else if (type >= 1 && type <= 6) {
    value.kind = Value::Kind::Integer;
    value.integer = bigEndian(bytes);
  }
  return value;
}

/// The types of the columns, front to back, with the place where each value lies.
class Fields {
 public:
  explicit Fields(std::string_view record) {
    std::string_view rest = record;
    uint64_t length = 0;
    isDamaged_ = !takeVarint(rest, length) || length > record.size() || length < record.size() - rest.size();
    if (isDamaged_) return;
    types_ = rest.substr(0, length - (record.size() - rest.size()));
    end_ = length;
  }

  /// Goes to the next column; false behind the last one, or where the head is damaged.
  bool next() {
    if (types_.empty()) return false;
    if (!takeVarint(types_, type)) {
      isDamaged_ = true;
      return false;
    }
    begin = end_;
    size = sizeOf(type);
    end_ = begin + size;
    isDamaged_ = size > kLargest;
    return !isDamaged_;
  }

  bool isDamaged() const { return isDamaged_; }
  uint64_t end() const { return end_; }

  uint64_t type = 0, begin = 0, size = 0;

 private:
  static constexpr uint64_t kLargest = uint64_t{1} << 32;

  std::string_view types_;
  uint64_t end_ = 0;
  bool isDamaged_ = false;
};

}  // namespace

bool takeVarint(std::string_view& bytes, uint64_t& number) {
  number = 0;
  for (size_t i = 0; i < 9; ++i) {
    if (i == bytes.size()) return false;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    const bool isLast = i == 8 || byte < 0x80;
    number = i == 8 ? number << 8 | byte : number << 7 | (byte & 0x7f);
    if (isLast) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

uint64_t bytesNeeded(std::string_view record, const WantedColumns& wanted) {
  Fields fields(record);
  for (size_t column = 0; column < wanted.slots.size() && fields.next(); ++column) {
  }
  return fields.isDamaged() ? std::numeric_limits<uint64_t>::max() : fields.end();
}

bool readRecord(std::string_view record, int64_t rowid, const WantedColumns& wanted,
                std::span<Value> values) {
  std::fill(values.begin(), values.end(), Value());
  Fields fields(record);
  for (size_t column = 0; column < wanted.slots.size() && fields.next(); ++column) {
    const int slot = wanted.slots[column];
    if (slot < 0) continue;
    if (fields.end() > record.size()) return false;
    Value& value = values[static_cast<size_t>(slot)];
    value = valueOf(fields.type, record.substr(fields.begin, fields.size));
    if (static_cast<int>(column) != wanted.rowidColumn) continue;
    value.kind = Value::Kind::Integer;  // stored as Null
    value.integer = rowid;
  }
  return !fields.isDamaged();
}

}  // namespace strata::sqlite

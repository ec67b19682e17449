#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace strata::protobuf {

enum class Wire : uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

/// One field of a message. Whatever its type in the schema, it travels in one of four ways.
struct Field {
  uint32_t number = 0;
  Wire wire = Wire::Varint;
  uint64_t value = 0;      ///< of all but Bytes
  std::string_view bytes;  ///< a text, a message, packed numbers
  uint64_t at = 0;         ///< position in the file of the value
  bool isCut = false;      ///< the bytes go on behind the end of the file

  bool is(uint32_t wanted, Wire as) const { return number == wanted && wire == as; }
  int64_t integer() const { return static_cast<int64_t>(value); }
  double real() const { return std::bit_cast<double>(value); }
  float real32() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
};

/// The fields of a serialised message, front to back, nothing copied. A message inside is a Message of its
/// own, so nesting costs no stack that a file could choose.
///
/// Source: "Encoding" in the Protocol Buffers documentation. Groups, which no format here uses, are damage.
class Message {
 public:
  /// position: of the first byte in the file.
  explicit Message(std::string_view bytes, uint64_t position = 0) : bytes_(bytes), start_(position) {}
  explicit Message(const Field& field) : Message(field.bytes, field.at) {}

  /// Goes to the next field; false at the end, or where the rest cannot be read.
  bool next(Field& field) {
    if (isDamaged_ || at_ == bytes_.size()) return false;
    const size_t begin = at_;
    if (read(field)) return true;
    at_ = begin;
    isDamaged_ = true;
    return false;
  }

  bool isDamaged() const { return isDamaged_; }
  /// Position in the file of the next field, or of the damage.
  uint64_t position() const { return start_ + at_; }

 private:
  bool read(Field& field) {
    uint64_t tag = 0;
    if (!varint(tag) || tag >> 3 == 0 || tag >> 3 > kHighestNumber) return false;
    field = {};
    field.number = static_cast<uint32_t>(tag >> 3);
    field.wire = static_cast<Wire>(tag & 7);
    field.at = position();
    switch (field.wire) {
      case Wire::Varint:
        return varint(field.value);
      case Wire::Fixed64:
        return fixed<uint64_t>(field.value);
      case Wire::Fixed32:
        return fixed<uint32_t>(field.value);
      case Wire::Bytes:
        return text(field);
    }
    return false;
  }

  bool varint(uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) return false;
      const auto byte = static_cast<uint8_t>(bytes_[at_++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  template <typename T>
  bool fixed(uint64_t& value) {
    if (bytes_.size() - at_ < sizeof(T)) return false;
    T number;
    std::memcpy(&number, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    value = number;
    return true;
  }

  bool text(Field& field) {
    uint64_t length = 0;
    if (!varint(length)) return false;
    field.at = position();
    const uint64_t left = bytes_.size() - at_;
    field.isCut = length > left;
    field.bytes = bytes_.substr(at_, field.isCut ? left : length);
    at_ += field.bytes.size();
    return true;
  }

  static constexpr uint64_t kHighestNumber = (uint64_t{1} << 29) - 1;

  std::string_view bytes_;
  uint64_t start_ = 0;
  size_t at_ = 0;
  bool isDamaged_ = false;
};

/// Calls `use` with each number of a repeated varint field, packed or not.
template <typename Use>
void eachNumber(const Field& field, const Use& use) {
  if (field.wire == Wire::Varint) return use(field.value);
  if (field.wire != Wire::Bytes) return;
  // Packed numbers follow one another without tags; one that is cut off ends the list.
  size_t at = 0;
  while (at < field.bytes.size()) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    for (; byte >= 0x80 && shift < 64 && at < field.bytes.size(); shift += 7) {
      byte = static_cast<uint8_t>(field.bytes[at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    }
    if (byte >= 0x80) return;
    use(value);
  }
}

}  // namespace strata::protobuf

#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::test {

/// Writes a protobuf message field by field, by number, as the formats under test do.
class Encoder {
 public:
  Encoder& number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  Encoder& text(uint32_t field, std::string_view bytes) {
    varint(uint64_t{field} << 3 | 2);
    varint(bytes.size());
    bytes_ += bytes;
    return *this;
  }
  Encoder& message(uint32_t field, const Encoder& inner) { return text(field, inner.bytes()); }
  Encoder& real(uint32_t field, double value) {
    varint(uint64_t{field} << 3 | 1);
    const auto bits = std::bit_cast<uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace strata::test

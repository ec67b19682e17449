#include "device/recording_format.h"

#include <array>
#include <cstring>

namespace strata::device::recording {
namespace {

/// Tables to take eight bytes at a time: "slicing by 8", M. Kounavis and F. Berry, 2005.
struct CrcTables {
  std::array<std::array<uint32_t, 256>, 8> table{};

  constexpr CrcTables() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
      table[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; ++i) {
      for (size_t slice = 1; slice < 8; ++slice) {
        const uint32_t before = table[slice - 1][i];
        table[slice][i] = (before >> 8) ^ table[0][before & 0xff];
      }
    }
  }
};
constexpr CrcTables kCrc;

uint32_t littleEndian(const uint8_t* bytes) {
  return bytes[0] | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

void addLittleEndian(std::string& bytes, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(value >> shift & 0xff));
}

std::span<const uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes, uint32_t crc) {
  const auto& table = kCrc.table;
  crc = ~crc;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const uint32_t low = littleEndian(&bytes[i]) ^ crc, high = littleEndian(&bytes[i + 4]);
    crc = table[7][low & 0xff] ^ table[6][low >> 8 & 0xff] ^ table[5][low >> 16 & 0xff] ^
          table[4][low >> 24] ^ table[3][high & 0xff] ^ table[2][high >> 8 & 0xff] ^
          table[1][high >> 16 & 0xff] ^ table[0][high >> 24];
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8) ^ table[0][(crc ^ bytes[i]) & 0xff];
  return ~crc;
}

void Payload::number(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void Payload::text(std::string_view value) {
  number(value.size());
  bytes_ += value;
}

void Payload::reading(std::optional<int64_t> value) { number(value ? 1 + zigzag(*value) : 0); }

uint64_t Fields::longNumber() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (next_ == end_) break;
    const uint8_t byte = *next_++;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  fail();
  return 0;
}

std::string_view Fields::text() {
  const uint64_t length = number();
  if (length > left()) {
    fail();
    return {};
  }
  const std::string_view text(reinterpret_cast<const char*>(next_), length);
  next_ += length;
  return text;
}

std::optional<int64_t> Fields::reading() {
  const uint64_t value = number();
  if (value == 0) return std::nullopt;
  return unzigzag(value - 1);
}

std::string fileHead() {
  std::string head(kMagic);
  head.push_back(static_cast<char>(kVersion));
  head.resize(kFileHeadBytes, '\0');
  return head;
}

std::string frame(Kind kind, const Payload& payload) {
  std::string bytes(kFrameMagic);
  bytes.push_back(static_cast<char>(kind));
  addLittleEndian(bytes, static_cast<uint32_t>(payload.bytes().size()));
  const uint32_t crc = crc32(bytesOf(payload.bytes()), crc32(bytesOf(bytes).subspan(kFrameMagic.size())));
  addLittleEndian(bytes, crc);
  return bytes + payload.bytes();
}

std::optional<Frame> frameAt(std::span<const uint8_t> file, size_t offset) {
  if (offset > file.size() || file.size() - offset < kFrameHeadBytes) return std::nullopt;
  const auto head = file.subspan(offset, kFrameHeadBytes);
  if (std::memcmp(head.data(), kFrameMagic.data(), kFrameMagic.size()) != 0) return std::nullopt;
  const size_t size = littleEndian(&head[4]);
  if (size > kMostPayloadBytes || size > file.size() - offset - kFrameHeadBytes) return std::nullopt;
  const auto payload = file.subspan(offset + kFrameHeadBytes, size);
  if (littleEndian(&head[8]) != crc32(payload, crc32(head.subspan(3, 5)))) return std::nullopt;
  return Frame{static_cast<Kind>(head[3]), payload, kFrameHeadBytes + size};
}

}  // namespace strata::device::recording

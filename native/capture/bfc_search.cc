#include "capture/bfc_search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace strata::bfc {
namespace {

constexpr std::array<std::string_view, 2> kWords = {"llocat", "of siz"};
constexpr size_t kLength = 6;

/// How far the window may go on when its last letter is this one.
constexpr std::array<uint8_t, 256> jumps() {
  std::array<uint8_t, 256> jump{};
  for (uint8_t& letter : jump) letter = kLength;
  for (const std::string_view word : kWords) {
    for (size_t i = 0; i < kLength; ++i) {
      uint8_t& least = jump[static_cast<unsigned char>(word[i])];
      least = std::min<uint8_t>(least, static_cast<uint8_t>(kLength - 1 - i));
    }
  }
  return jump;
}

constexpr std::array<uint8_t, 256> kJumps = jumps();

}  // namespace

size_t findAllocatorWord(std::string_view text, size_t from, size_t to) {
  to = std::min(to, text.size());
  const char* letters = text.data();
  for (size_t last = from + kLength - 1; last < to;) {
    const uint8_t jump = kJumps[static_cast<unsigned char>(letters[last])];
    if (jump != 0) {
      last += jump;
      continue;
    }
    const char* start = letters + last + 1 - kLength;
    for (const std::string_view word : kWords)
      if (std::memcmp(start, word.data(), kLength) == 0) return static_cast<size_t>(start - letters);
    ++last;
  }
  return std::string_view::npos;
}

}  // namespace strata::bfc

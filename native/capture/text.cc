#include "capture/text.h"

#include <cstring>

namespace strata {
namespace {

constexpr uint32_t kReplacement = 0xfffd;

/// Length of the well-formed sequence at the start of text, 0 when there is none.
size_t sequenceLength(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = at(1);
  const bool isOverlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool isSurrogate = lead == 0xed && second >= 0xa0;
  const bool isBeyond = lead == 0xf4 && second >= 0x90;
  return isOverlong || isSurrogate || isBeyond ? 0 : length;
}

/// How many bytes at the start are ASCII, counted eight at a time.
size_t asciiRun(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if (word & 0x8080808080808080ull) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

std::string grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(uint64_t number, std::string_view singular, std::string_view plural) {
  return grouped(number) + " " + std::string(number == 1 ? singular : plural);
}

std::string hexadecimal(uint64_t number) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[number & 15]);
    number >>= 4;
  } while (number != 0);
  return "0x" + digits;
}

bool isUtf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(asciiRun(text));
    if (text.empty()) return true;
    const size_t length = sequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

std::string repairUtf8(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const size_t length = sequenceLength(text);
    if (length == 0) {
      appendUtf8(repaired, kReplacement);
    } else {
      repaired.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return repaired;
}

void appendUtf8(std::string& text, uint32_t codePoint) {
  if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint < 0xe000)) codePoint = kReplacement;
  const auto put = [&](uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (codePoint < 0x80) {
    put(codePoint);
  } else if (codePoint < 0x800) {
    put(0xc0 | codePoint >> 6);
    put(0x80 | (codePoint & 0x3f));
  } else if (codePoint < 0x10000) {
    put(0xe0 | codePoint >> 12);
    put(0x80 | (codePoint >> 6 & 0x3f));
    put(0x80 | (codePoint & 0x3f));
  } else {
    put(0xf0 | codePoint >> 18);
    put(0x80 | (codePoint >> 12 & 0x3f));
    put(0x80 | (codePoint >> 6 & 0x3f));
    put(0x80 | (codePoint & 0x3f));
  }
}

}  // namespace strata

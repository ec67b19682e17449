#include "capture/text.h"

#include <algorithm>
#include <cstring>
#include <iterator>

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

uint32_t codePointOf(std::string_view sequence) {
  const size_t length = sequence.size();
  uint32_t point = static_cast<unsigned char>(sequence[0]) & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) point = point << 6 | (static_cast<unsigned char>(sequence[i]) & 0x3f);
  return point;
}

struct Points {
  uint32_t from, to;
};

/// Marks that turn the direction of writing, and signs that take no room: they can make one name look like
/// another. Source: Unicode's Bidi_Control and Default_Ignorable_Code_Point, less the joiners that scripts
/// and emoji need.
constexpr Points kUnseen[] = {{0xad, 0xad},     {0x61c, 0x61c},    {0x180e, 0x180e}, {0x200b, 0x200b},
                              {0x200e, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f}, {0xfeff, 0xfeff},
                              {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

bool isUnseen(uint32_t point) {
  return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                     [&](const Points& points) { return points.from <= point && point <= points.to; });
}

bool isUnseen(std::string_view sequence) { return sequence.size() > 1 && isUnseen(codePointOf(sequence)); }

/// "\u202e", as source code would write it.
void appendEscape(std::string& text, uint32_t point) {
  constexpr int kDigits = 4;
  text += "\\u";
  const bool isLong = point > 0xffff;
  if (isLong) text += '{';
  const std::string digits = hexadecimal(point).substr(2);
  for (size_t i = digits.size(); i < kDigits; ++i) text += '0';
  text += digits;
  if (isLong) text += '}';
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

bool isPlain(std::string_view text) {
  for (;;) {
    text.remove_prefix(asciiRun(text));
    if (text.empty()) return true;
    const size_t length = sequenceLength(text);
    if (length == 0 || isUnseen(text.substr(0, length))) return false;
    text.remove_prefix(length);
  }
}

std::string repairUtf8(std::string_view text) {
  std::string repaired;
  while (!text.empty()) {
    const size_t length = sequenceLength(text);
    if (length == 0) {
      appendUtf8(repaired, kReplacement);
    } else if (isUnseen(text.substr(0, length))) {
      appendEscape(repaired, codePointOf(text.substr(0, length)));
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

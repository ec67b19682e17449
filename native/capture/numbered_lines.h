#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include "capture/text_lines.h"

namespace strata {

/// A place in a text: a line, counted from 1, and the byte at which it starts.
struct TextPlace {
  uint64_t line = 0;
  uint64_t byte = 0;
};

/// How often something odd was met in a text, and where first.
struct TextOddity {
  uint64_t count = 0;
  TextPlace first;

  void note(const TextPlace& place) {
    if (count++ == 0) first = place;
  }
};

/// How the lines of a text end: "\n", which may have a "\r" before it, or in a text without any "\r" alone.
inline char lineEndOf(std::span<const uint8_t> bytes) {
  const bool hasLineFeed = bytes.empty() || std::memchr(bytes.data(), '\n', bytes.size()) != nullptr;
  const bool hasReturn = !hasLineFeed && std::memchr(bytes.data(), '\r', bytes.size()) != nullptr;
  return hasReturn ? '\r' : '\n';
}

/// The lines of a text, each with its number, and a call now and then for progress.
class NumberedLines {
 public:
  /// Called about every 256 KiB with the position in bytes; may throw to stop.
  using Pause = std::function<void(uint64_t)>;

  NumberedLines(std::span<const uint8_t> bytes, Pause pause)
      : end_(lineEndOf(bytes)), lines_(bytes, end_), pause_(std::move(pause)) {}

  /// Goes to the next line; false at the end. A byte order mark is left out.
  bool next() {
    TextLine line;
    if (!lines_.next(line)) return false;
    ++place_.line;
    place_.byte = line.offset;
    if (place_.byte >= nextPause_) pause();
    line_ = line.text;
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (place_.byte == 0 && line_.starts_with(kByteOrderMark)) line_.remove_prefix(kByteOrderMark.size());
    return true;
  }

  std::string_view line() const { return line_; }
  const TextPlace& place() const { return place_; }
  /// The lines from the next one on.
  const TextLines& behind() const { return lines_; }
  /// False for a last line without a line end, which may be half of one.
  bool isEnded() const { return lines_.offset() > 0 && lines_.text()[lines_.offset() - 1] == end_; }

 private:
  void pause() {
    constexpr uint64_t kBytesBetweenPauses = 1 << 18;
    if (pause_) pause_(place_.byte);
    nextPause_ = place_.byte + kBytesBetweenPauses;
  }

  char end_;
  TextLines lines_;
  Pause pause_;
  uint64_t nextPause_ = 0;
  std::string_view line_;
  TextPlace place_;
};

}  // namespace strata

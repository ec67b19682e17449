#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace strata {

/// One line of a text, without its end ("\n" or "\r\n").
struct TextLine {
  std::string_view text;  ///< at most TextLines::kLongest bytes of it
  size_t offset = 0;      ///< of its first byte
};

/// The lines of a text that lies in memory, front to back; nothing is copied.
class TextLines {
 public:
  /// No line of any capture is longer; of a longer one only the start is given.
  static constexpr size_t kLongest = size_t{1} << 20;

  explicit TextLines(std::span<const uint8_t> bytes, char end = '\n')
      : text_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), end_(end) {}

  bool next(TextLine& line) {
    if (at_ >= text_.size()) return false;
    const void* found = std::memchr(text_.data() + at_, end_, text_.size() - at_);
    const size_t end =
        found ? static_cast<size_t>(static_cast<const char*>(found) - text_.data()) : text_.size();
    line.offset = at_;
    line.text = text_.substr(at_, std::min(end - at_, kLongest));
    if (line.text.ends_with('\r')) line.text.remove_suffix(1);
    at_ = end + (found ? 1 : 0);
    return true;
  }

  /// Goes on with the line that holds a byte, which must not lie before the next one.
  void skipTo(size_t offset) {
    const size_t before = text_.substr(0, offset).rfind(end_);
    at_ = std::max(at_, before == std::string_view::npos ? 0 : before + 1);
  }

  size_t offset() const { return at_; }  ///< of the next line
  std::string_view text() const { return text_; }

  /// The number of the line a byte lies in, counted from 1. Cheap when asked for front to back.
  int64_t numberOf(size_t offset) {
    if (offset < counted_) counted_ = 0, number_ = 1;
    number_ += std::count(text_.begin() + static_cast<ptrdiff_t>(counted_),
                          text_.begin() + static_cast<ptrdiff_t>(offset), end_);
    counted_ = offset;
    return number_;
  }

 private:
  std::string_view text_;
  char end_;
  size_t at_ = 0;
  size_t counted_ = 0;
  int64_t number_ = 1;
};

}  // namespace strata

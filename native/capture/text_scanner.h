#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace strata {

/// Takes a line apart from left to right. What does not fit leaves the scanner where it was.
class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : rest_(text) {}

  std::string_view rest() const { return rest_; }
  void blanks() {
    const size_t first = rest_.find_first_not_of(" \t");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// Goes on behind a phrase, wherever it is.
  bool past(std::string_view phrase) {
    const size_t found = rest_.find(phrase);
    if (found == std::string_view::npos) return false;
    rest_.remove_prefix(found + phrase.size());
    return true;
  }
  /// What stands before a phrase; goes on behind it.
  std::optional<std::string_view> until(std::string_view phrase) {
    const size_t found = rest_.find(phrase);
    if (found == std::string_view::npos) return std::nullopt;
    const std::string_view before = rest_.substr(0, found);
    rest_.remove_prefix(found + phrase.size());
    return before;
  }
  /// A number below 2^64; of more digits nothing is taken.
  std::optional<uint64_t> decimal() { return number(10); }
  /// With or without 0x, in either case.
  std::optional<uint64_t> hexadecimal() {
    const std::string_view before = rest_;
    if (!take("0x")) take("0X");
    const auto value = number(16);
    if (!value) rest_ = before;
    return value;
  }

 private:
  static int digitOf(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return 16;
  }
  std::optional<uint64_t> number(unsigned base) {
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    uint64_t value = 0;
    size_t length = 0;
    for (; length < rest_.size(); ++length) {
      const auto digit = static_cast<unsigned>(digitOf(rest_[length]));
      if (digit >= base) break;
      if (value > (kMost - digit) / base) return std::nullopt;
      value = value * base + digit;
    }
    if (length == 0) return std::nullopt;
    rest_.remove_prefix(length);
    return value;
  }

  std::string_view rest_;
};

}  // namespace strata

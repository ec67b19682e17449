#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string_view>

namespace strata {

/// The data ends inside a value.
class EndOfData : public std::runtime_error {
 public:
  EndOfData() : std::runtime_error("ends too early") {}
};

/// The bytes of a capture, read forwards with every length checked against what is left, and a call now and
/// then for progress and limits.
class ByteFeed {
 public:
  /// Called about every 256 KiB with the position.
  using Pause = std::function<void(uint64_t)>;

  ByteFeed(std::span<const uint8_t> bytes, Pause pause)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()), pause_(std::move(pause)) {
    nextPause_ = begin_;
  }

  uint64_t position() const { return static_cast<uint64_t>(at_ - begin_); }
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }
  bool isAtEnd() const { return at_ == end_; }
  uint64_t size() const { return static_cast<uint64_t>(end_ - begin_); }

  /// To be called between values.
  void breathe() {
    if (at_ >= nextPause_) pause();
  }

  uint8_t peek() const {
    if (at_ == end_) throw EndOfData();
    return *at_;
  }
  uint8_t byte() {
    if (at_ == end_) throw EndOfData();
    return *at_++;
  }
  void skip(uint64_t count) { take(count); }

  /// Little-endian, as pickles are.
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  std::string_view text(uint64_t length) {
    return {reinterpret_cast<const char*>(take(length)), static_cast<size_t>(length)};
  }
  /// Little-endian, of fewer bytes than the number has, the sign filled up.
  int64_t signedNumber(uint64_t length) {
    const uint8_t* from = take(length);
    if (length == 0) return 0;
    uint64_t number = 0;
    std::memcpy(&number, from, length);
    const int unused = 64 - 8 * static_cast<int>(length);
    return static_cast<int64_t>(number << unused) >> unused;
  }
  /// Passes over the next bytes when they are this one and a number after it, and gives the number.
  template <typename T, typename Number>
  bool takeIf(uint8_t wanted, Number& number) {
    if (left() < 1 + sizeof(T) || *at_ != wanted) return false;
    T value;
    std::memcpy(&value, at_ + 1, sizeof(T));
    number = value;
    at_ += 1 + sizeof(T);
    return true;
  }
  /// The text up to the first of two bytes, which stays.
  std::string_view textUntil(uint8_t first, uint8_t second) {
    const uint8_t* found = at_;
    while (found != end_ && *found != first && *found != second) ++found;
    if (found == end_) throw EndOfData();
    return text(static_cast<uint64_t>(found - at_));
  }
  /// The longest text of only these characters; may be empty.
  std::string_view textOf(std::string_view characters) {
    const std::string_view rest(reinterpret_cast<const char*>(at_), static_cast<size_t>(left()));
    return text(std::min(rest.find_first_not_of(characters), rest.size()));
  }
  /// The text up to a newline, which is passed over.
  std::string_view line() {
    const void* newline = std::memchr(at_, '\n', left());
    if (newline == nullptr) throw EndOfData();
    const std::string_view found = text(static_cast<uint64_t>(static_cast<const uint8_t*>(newline) - at_));
    ++at_;
    return found;
  }

 private:
  const uint8_t* take(uint64_t count) {
    if (left() < count) throw EndOfData();
    const uint8_t* taken = at_;
    at_ += count;
    return taken;
  }
  void pause() {
    constexpr uint64_t kBytesBetweenPauses = 1 << 18;
    pause_(position());
    nextPause_ = at_ + std::min<uint64_t>(left(), kBytesBetweenPauses);
  }

  const uint8_t* begin_;
  const uint8_t* at_;
  const uint8_t* end_;
  const uint8_t* nextPause_;
  Pause pause_;
};

}  // namespace strata

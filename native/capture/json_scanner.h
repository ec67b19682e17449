#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/byte_feed.h"

namespace strata {

/// Walks JSON from front to back, one value at a time, and keeps nothing: what is not asked for is skipped
/// without being looked into. Any nesting is walked with a count instead of recursion.
/// Errors of every method: EndOfData when the text breaks off, NotJson when it is none.
class JsonScanner {
 public:
  class NotJson : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };

  explicit JsonScanner(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  size_t position() const { return at_; }
  /// The next byte that is no white space, which stays.
  char next();
  bool isAtEnd();

  /// Passes over an opening bracket: '{' or '['.
  void open(char bracket);
  /// Goes to the next member of an object: its value is next. False behind the last one, past the bracket.
  /// The key is as written, valid until the scanner moves on. isFirst is true before the first call.
  bool member(bool& isFirst, std::string_view& key);
  /// The same for the items of a list.
  bool item(bool& isFirst);

  /// A string as it is written, escapes and all, without its quotes.
  std::string_view writtenString();
  /// A string, unescaped; valid until the next string.
  std::string_view string();
  /// The text of a number, true, false, null, or NaN.
  std::string_view literal();
  /// Passes over any value.
  void skip();

 private:
  void skipString();
  bool isClosed(bool& isFirst, char bracket);
  void escape();
  uint32_t hexDigits();
  [[noreturn]] void refuse(const char* expected) const;

  std::string_view text_;
  size_t at_;
  std::string scratch_;
};

}  // namespace strata

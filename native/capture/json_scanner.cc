#include "capture/json_scanner.h"

#include <array>
#include <cstring>

#include "capture/text.h"

namespace strata {
namespace {

/// What numbers and words are made of.
constexpr std::array<bool, 256> literalLetters() {
  std::array<bool, 256> isPart{};
  for (int letter = 0; letter < 26; ++letter) isPart['a' + letter] = isPart['A' + letter] = true;
  for (int digit = 0; digit < 10; ++digit) isPart['0' + digit] = true;
  for (const char sign : {'.', '-', '+'}) isPart[static_cast<unsigned char>(sign)] = true;
  return isPart;
}

constexpr std::array<bool, 256> kIsLiteral = literalLetters();

}  // namespace

void JsonScanner::refuse(const char* expected) const {
  throw NotJson(std::string("should have ") + expected);
}

char JsonScanner::next() {
  for (; at_ < text_.size(); ++at_) {
    const char byte = text_[at_];
    if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r') return byte;
  }
  throw EndOfData();
}

bool JsonScanner::isAtEnd() {
  while (at_ < text_.size() && std::string_view(" \n\t\r").find(text_[at_]) != std::string_view::npos) ++at_;
  return at_ == text_.size();
}

void JsonScanner::open(char bracket) {
  if (next() != bracket) refuse(bracket == '{' ? "an object" : "a list");
  ++at_;
}

bool JsonScanner::isClosed(bool& isFirst, char bracket) {
  const char byte = next();
  if (byte == bracket) {
    ++at_;
    return true;
  }
  if (!isFirst) {
    if (byte != ',') refuse("a comma or a closing bracket");
    ++at_;
  }
  isFirst = false;
  return false;
}

bool JsonScanner::member(bool& isFirst, std::string_view& key) {
  if (isClosed(isFirst, '}')) return false;
  if (next() != '"') refuse("a key in quotes");
  const size_t from = at_ + 1;
  skipString();
  key = text_.substr(from, at_ - 1 - from);
  if (next() != ':') refuse("a colon");
  ++at_;
  return true;
}

bool JsonScanner::item(bool& isFirst) { return !isClosed(isFirst, ']'); }

void JsonScanner::skipString() {
  ++at_;
  for (;;) {
    const void* quote = std::memchr(text_.data() + at_, '"', text_.size() - at_);
    if (quote == nullptr) throw EndOfData();
    const auto end = static_cast<size_t>(static_cast<const char*>(quote) - text_.data());
    size_t backslashes = 0;
    while (end - backslashes > at_ && text_[end - backslashes - 1] == '\\') ++backslashes;
    at_ = end + 1;
    if (backslashes % 2 == 0) return;
  }
}

void JsonScanner::skip() {
  size_t depth = 0;
  do {
    switch (next()) {
      case '"':
        skipString();
        break;
      case '{':
      case '[':
        ++depth;
        ++at_;
        break;
      case '}':
      case ']':
        if (depth == 0) refuse("a value");
        --depth;
        ++at_;
        break;
      case ',':
      case ':':
        if (depth == 0) refuse("a value");
        ++at_;
        break;
      default:
        literal();
    }
  } while (depth > 0);
}

std::string_view JsonScanner::literal() {
  next();
  const size_t from = at_;
  while (at_ < text_.size() && kIsLiteral[static_cast<unsigned char>(text_[at_])]) ++at_;
  if (at_ == text_.size()) throw EndOfData();  // more digits may have followed
  if (at_ == from) refuse("a value");
  return text_.substr(from, at_ - from);
}

std::string_view JsonScanner::writtenString() {
  if (next() != '"') refuse("a string");
  const size_t from = at_ + 1;
  skipString();
  return text_.substr(from, at_ - 1 - from);
}

std::string_view JsonScanner::string() {
  const std::string_view written = writtenString();
  const size_t end = at_ - 1, from = end - written.size();
  const size_t backslash = written.find('\\');
  if (backslash == std::string_view::npos) return written;
  scratch_.assign(written.substr(0, backslash));
  at_ = from + backslash;
  while (at_ < end) {
    if (text_[at_] == '\\') {
      escape();
      continue;
    }
    const size_t next = std::min(text_.find('\\', at_), end);
    scratch_ += text_.substr(at_, next - at_);
    at_ = next;
  }
  at_ = end + 1;
  return scratch_;
}

void JsonScanner::escape() {
  const char letter = text_[at_ + 1];
  at_ += 2;
  constexpr std::string_view kLetters = "ntrbf\"\\/", kMeanings = "\n\t\r\b\f\"\\/";
  if (letter == 'u') {
    uint32_t code = hexDigits();
    const bool isHigh = code >= 0xd800 && code < 0xdc00;
    if (isHigh && text_.substr(at_, 2) == "\\u") {
      at_ += 2;
      const uint32_t low = hexDigits();
      const bool isPair = low >= 0xdc00 && low < 0xe000;
      code = isPair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : low;
    }
    return appendUtf8(scratch_, code);
  }
  const size_t known = kLetters.find(letter);
  if (known == std::string_view::npos) refuse("a known letter after a backslash");
  scratch_ += kMeanings[known];
}

uint32_t JsonScanner::hexDigits() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    if (at_ >= text_.size()) throw EndOfData();
    const char digit = text_[at_];
    code <<= 4;
    if (digit >= '0' && digit <= '9') {
      code |= static_cast<uint32_t>(digit - '0');
    } else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f') {
      code |= static_cast<uint32_t>((digit | 0x20) - 'a' + 10);
    } else {
      refuse("four hexadecimal digits after \\u");
    }
  }
  return code;
}

}  // namespace strata

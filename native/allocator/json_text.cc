#include "allocator/json_text.h"

#include <charconv>
#include <cstdio>

#include "allocator/replay_error.h"

namespace strata {
namespace {

constexpr int kMaximumDepth = 4;

bool isNumeral(char character) {
  return std::string_view("+-.0123456789eE").find(character) != std::string_view::npos;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::vector<std::pair<std::string, JsonValue>> object() {
    std::vector<std::pair<std::string, JsonValue>> members;
    expect('{');
    if (!accept('}')) {
      do {
        std::string name = quoted();
        expect(':');
        members.emplace_back(std::move(name), value(0));
      } while (accept(','));
      expect('}');
    }
    skipBlanks();
    if (at_ != text_.size()) fail("more text than one object");
    return members;
  }

 private:
  JsonValue value(int depth) {
    skipBlanks();
    const size_t begin = at_;
    JsonValue result;
    if (peek() == '"') {
      result.kind = JsonValue::Kind::String;
      result.string = quoted();
    } else if (peek() == '[') {
      result.kind = JsonValue::Kind::Array;
      if (depth == kMaximumDepth) fail("arrays nested too deeply");
      readItems(result, depth);
    } else if (word("null")) {
      result.kind = JsonValue::Kind::Null;
    } else if (word("true") || word("false")) {
      result.kind = JsonValue::Kind::Boolean;
      result.boolean = text_[begin] == 't';
    } else {
      result.kind = JsonValue::Kind::Number;
      while (at_ < text_.size() && isNumeral(text_[at_])) ++at_;
      if (at_ == begin) fail("something that is no value");
    }
    result.text = text_.substr(begin, at_ - begin);
    return result;
  }
  void readItems(JsonValue& array, int depth) {
    expect('[');
    if (accept(']')) return;
    do array.items.push_back(value(depth + 1));
    while (accept(','));
    expect(']');
  }
  std::string quoted() {
    expect('"');
    std::string result;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && ++at_ == text_.size()) break;
      result += text_[at_++];
    }
    if (at_ == text_.size()) fail("a string without an end");
    ++at_;
    return result;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }
  void skipBlanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool accept(char wanted) {
    skipBlanks();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("no ") + wanted + " where there should be one");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw ReplayError("replay-bad-configuration",
                      "The configuration is not one JSON object: at byte " + std::to_string(at_) +
                          " there is " + what + ".",
                      "Give the first line of a golden file, or an object with the same members.");
  }

  std::string_view text_;
  size_t at_ = 0;
};

template <typename Number>
void append(std::string& text, Number value) {
  char digits[24];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value);
  text.append(digits, end);
}

}  // namespace

std::vector<std::pair<std::string, JsonValue>> parseJsonObject(std::string_view text) {
  return Parser(text).object();
}

void JsonLine::separate() {
  if (text_.empty()) return;
  const char last = text_.back();
  if (last != '{' && last != '[' && last != ':') text_ += ',';
}
JsonLine& JsonLine::open() {
  separate();
  text_ += '{';
  return *this;
}
JsonLine& JsonLine::close() {
  text_ += '}';
  return *this;
}
JsonLine& JsonLine::key(std::string_view name) {
  separate();
  ((text_ += '"') += name) += "\":";
  return *this;
}
JsonLine& JsonLine::number(uint64_t value) {
  separate();
  append(text_, value);
  return *this;
}
JsonLine& JsonLine::signedNumber(int64_t value) {
  separate();
  append(text_, value);
  return *this;
}
JsonLine& JsonLine::real(double value) {
  separate();
  char digits[40];
  text_.append(digits, static_cast<size_t>(std::snprintf(digits, sizeof digits, "%.17g", value)));
  return *this;
}
JsonLine& JsonLine::null() { return raw("null"); }
JsonLine& JsonLine::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}
JsonLine& JsonLine::string(std::string_view text) {
  separate();
  ((text_ += '"') += text) += '"';
  return *this;
}
JsonLine& JsonLine::hash(uint64_t value) {
  separate();
  char digits[24];
  std::snprintf(digits, sizeof digits, "\"%016llx\"", static_cast<unsigned long long>(value));
  text_ += digits;
  return *this;
}
JsonLine& JsonLine::openArray() {
  separate();
  text_ += '[';
  return *this;
}
JsonLine& JsonLine::closeArray() {
  text_ += ']';
  return *this;
}

}  // namespace strata

#include "capture/json_reader.h"

#include <string>

#include "capture/pickle_text.h"
#include "capture/text.h"

namespace strata {
namespace {

/// Lists are handed over in batches, as Python's pickle does, so that the machine's stack stays short.
constexpr size_t kBatch = 1000;

/// Recursive descent; the machine refuses more than 64 open containers, which bounds the recursion.
class JsonReader {
 public:
  JsonReader(ByteFeed& feed, Machine& machine) : feed_(feed), machine_(machine) {}

  void run() {
    if (feed_.left() >= 3 && feed_.peek() == 0xef) feed_.skip(3);  // byte order mark
    value();
  }

 private:
  void value();
  void list();
  void dict();
  void string();
  void escape();
  uint32_t hexDigits();
  void number();
  void literal(std::string_view text);
  bool isClosed(uint8_t closer);
  uint8_t next();
  void expect(uint8_t wanted, const char* expected);
  [[noreturn]] void refuse(const char* expected);

  ByteFeed& feed_;
  Machine& machine_;
  std::string scratch_;
};

void JsonReader::refuse(const char* expected) {
  machine_.entries.byte = feed_.position();
  throw Malformed(std::string("should have ") + expected);
}

/// The next byte that is no white space, which stays.
uint8_t JsonReader::next() {
  for (;;) {
    const uint8_t byte = feed_.peek();
    if (byte != ' ' && byte != '\n' && byte != '\t' && byte != '\r') return byte;
    feed_.skip(1);
  }
}

void JsonReader::expect(uint8_t wanted, const char* expected) {
  if (next() != wanted) refuse(expected);
  feed_.skip(1);
}

/// After an item: passes over a comma, or over the closing bracket and says so.
bool JsonReader::isClosed(uint8_t closer) {
  const uint8_t byte = next();
  if (byte != ',' && byte != closer) refuse("a comma or a closing bracket");
  feed_.skip(1);
  machine_.entries.byte = feed_.position();
  return byte == closer;
}

void JsonReader::value() {
  feed_.breathe();
  const uint8_t first = next();
  machine_.entries.byte = feed_.position();
  switch (first) {
    case '{':
      return dict();
    case '[':
      return list();
    case '"':
      return string();
    case 't':
      literal("true");
      return machine_.pushBoolean(true);
    case 'f':
      literal("false");
      return machine_.pushBoolean(false);
    case 'n':
      literal("null");
      return machine_.pushNothing();
    default:
      return number();
  }
}

void JsonReader::list() {
  feed_.skip(1);
  machine_.openList();
  if (next() == ']') return feed_.skip(1);
  machine_.mark();
  for (size_t items = 1;; ++items) {
    value();
    if (isClosed(']')) break;
    if (items % kBatch != 0) continue;
    machine_.appends();
    machine_.mark();
  }
  machine_.appends();
}

void JsonReader::dict() {
  feed_.skip(1);
  machine_.openDict();
  if (next() == '}') return feed_.skip(1);
  machine_.mark();
  do {
    if (next() != '"') refuse("a key in quotes");
    string();
    expect(':', "a colon");
    value();
  } while (!isClosed('}'));
  machine_.setItems();
}

void JsonReader::string() {
  feed_.skip(1);
  const std::string_view plain = feed_.textUntil('"', '\\');
  if (feed_.peek() == '"') {
    feed_.skip(1);
    return machine_.pushText(plain);
  }
  scratch_ = plain;
  while (feed_.peek() == '\\') {
    escape();
    scratch_ += feed_.textUntil('"', '\\');
  }
  feed_.skip(1);
  machine_.pushText(scratch_);
}

void JsonReader::escape() {
  feed_.skip(1);
  const uint8_t letter = feed_.byte();
  switch (letter) {
    case 'n':
      scratch_ += '\n';
      break;
    case 't':
      scratch_ += '\t';
      break;
    case 'r':
      scratch_ += '\r';
      break;
    case 'b':
      scratch_ += '\b';
      break;
    case 'f':
      scratch_ += '\f';
      break;
    case 'u': {
      uint32_t code = hexDigits();
      const bool isHigh = code >= 0xd800 && code < 0xdc00;
      if (isHigh && feed_.left() >= 6 && feed_.peek() == '\\') {
        feed_.skip(1);
        if (feed_.byte() != 'u') refuse("the second half of a \\u pair");
        const uint32_t low = hexDigits();
        const bool isPair = low >= 0xdc00 && low < 0xe000;
        code = isPair ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : low;
      }
      appendUtf8(scratch_, code);
      break;
    }
    case '"':
    case '\\':
    case '/':
      scratch_ += static_cast<char>(letter);
      break;
    default:
      refuse("a known letter after a backslash");
  }
}

uint32_t JsonReader::hexDigits() {
  uint32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const uint8_t digit = feed_.byte();
    code <<= 4;
    if (digit >= '0' && digit <= '9') {
      code |= digit - '0';
    } else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f') {
      code |= (digit | 0x20) - 'a' + 10;
    } else {
      refuse("four hexadecimal digits after \\u");
    }
  }
  return code;
}

void JsonReader::literal(std::string_view text) {
  for (const char letter : text) {
    if (feed_.byte() != static_cast<uint8_t>(letter)) refuse("a value");
  }
}

void JsonReader::number() {
  const std::string_view text = feed_.textOf("+-.0123456789eENaInfity");
  if (text.empty()) refuse("a value");
  if (feed_.isAtEnd()) throw EndOfData();  // more digits may have followed
  if (!pushInteger(text, machine_)) machine_.pushReal(parseReal(text));
}

}  // namespace

void readJson(ByteFeed& feed, Machine& machine) { JsonReader(feed, machine).run(); }

}  // namespace strata

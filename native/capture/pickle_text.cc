#include "capture/pickle_text.h"

#include <charconv>
#include <locale>
#include <sstream>

#include "capture/text.h"

namespace strata {
namespace {

/// The value of `length` hexadecimal digits; Malformed when there are fewer.
uint32_t parseHex(std::string_view text, size_t length) {
  uint32_t value = 0;
  const std::string_view digits = text.substr(0, length);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != length || error != std::errc() || end != digits.data() + length) {
    throw Malformed("has a broken escape in a text");
  }
  return value;
}

}  // namespace

bool pushInteger(std::string_view text, Machine& machine) {
  const char* end = text.data() + text.size();
  const bool isNegative = !text.empty() && text[0] == '-';
  const std::string_view digits = text.substr(isNegative ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (isNegative) {
    int64_t number = 0;
    if (std::from_chars(text.data(), end, number).ec == std::errc()) {
      machine.pushInteger(number);
    } else {
      machine.pushOpaque();
    }
    return true;
  }
  uint64_t number = 0;
  if (std::from_chars(text.data(), end, number).ec == std::errc()) {
    machine.pushUnsigned(number);
  } else {
    machine.pushOpaque();
  }
  return true;
}

void pushDecimal(std::string_view text, Machine& machine) {
  if (text == "00" || text == "01") return machine.pushBoolean(text == "01");
  if (text.ends_with('L')) text.remove_suffix(1);
  if (!pushInteger(text, machine)) throw Malformed("has a number that is none");
}

uint64_t parseIndex(std::string_view text) {
  uint64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size())
    throw Malformed("has a memo number that is none");
  return index;
}

double parseReal(std::string_view text) {
  constexpr size_t kLongestNumber = 400;
  if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
  std::istringstream stream(std::string(text.substr(0, kLongestNumber)));
  stream.imbue(std::locale::classic());
  double number = 0;
  stream >> number;
  // Out of range sets the failure bit too, and gives the largest number, which will do.
  if (stream.bad() || !stream.eof()) throw Malformed("has a number that is none");
  return number;
}

std::string unquote(std::string_view text) {
  const bool isQuoted = text.size() >= 2 && (text[0] == '\'' || text[0] == '"') && text.back() == text[0];
  if (!isQuoted) throw Malformed("has a text without quotes");
  text = text.substr(1, text.size() - 2);
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      plain.push_back(text[i]);
      continue;
    }
    const char escape = text[++i];
    switch (escape) {
      case 'n':
        plain.push_back('\n');
        break;
      case 'r':
        plain.push_back('\r');
        break;
      case 't':
        plain.push_back('\t');
        break;
      case 'x':
        plain.push_back(static_cast<char>(parseHex(text.substr(i + 1), 2)));
        i += 2;
        break;
      default:
        plain.push_back(escape);
    }
  }
  return plain;
}

std::string unescapeRaw(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool isEscape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == 'u' || text[i + 1] == 'U');
    if (!isEscape) {
      appendUtf8(plain, static_cast<unsigned char>(text[i]));
      continue;
    }
    const size_t length = text[i + 1] == 'u' ? 4 : 8;
    appendUtf8(plain, parseHex(text.substr(i + 2), length));
    i += 1 + length;
  }
  return plain;
}

}  // namespace strata

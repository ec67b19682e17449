#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

/// A JSON value of a configuration, with the text it was written as.
struct JsonValue {
  enum class Kind : uint8_t { Null, Boolean, Number, String, Array };
  Kind kind = Kind::Null;
  bool boolean = false;
  std::string text;  ///< as written
  std::string string;
  std::vector<JsonValue> items;
};

/// One flat JSON object, its members in the order they were written. Errors: ReplayError.
std::vector<std::pair<std::string, JsonValue>> parseJsonObject(std::string_view text);

/// Writes one JSON object on one line, member by member.
class JsonLine {
 public:
  JsonLine& open();
  JsonLine& close();
  JsonLine& key(std::string_view name);
  JsonLine& number(uint64_t value);
  JsonLine& signedNumber(int64_t value);
  JsonLine& real(double value);  ///< 17 significant digits
  JsonLine& null();
  JsonLine& raw(std::string_view text);
  JsonLine& string(std::string_view text);
  JsonLine& hash(uint64_t value);  ///< a string of 16 hexadecimal digits
  JsonLine& openArray();
  JsonLine& closeArray();
  JsonLine& field(std::string_view name, uint64_t value) { return key(name).number(value); }

  const std::string& text() const { return text_; }
  void clear() { text_.clear(); }

 private:
  void separate();
  std::string text_;
};

}  // namespace strata

#include "capture/sqlite/create_table.h"

#include <algorithm>

namespace strata::sqlite {
namespace {

constexpr size_t kMostColumns = 2000;  // SQLite's own default

char lower(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; }

/// A word, a quoted name, or one sign.
struct Token {
  std::string text;
  bool isQuoted = false;

  bool is(std::string_view word) const { return !isQuoted && isSameName(text, word); }
};

class Tokens {
 public:
  explicit Tokens(std::string_view sql) : rest_(sql) {}

  /// False at the end of the text.
  bool next(Token& token) {
    skipSpace();
    if (rest_.empty()) return false;
    const char first = rest_[0];
    token = {};
    if (first == '"' || first == '`' || first == '\'' || first == '[') {
      token.isQuoted = true;
      token.text = quoted(first == '[' ? ']' : first);
    } else {
      size_t length = 0;
      while (length < rest_.size() && isWordLetter(rest_[length])) ++length;
      token.text = rest_.substr(0, std::max<size_t>(length, 1));
      rest_.remove_prefix(token.text.size());
    }
    return true;
  }

 private:
  static bool isWordLetter(char letter) {
    const char small = lower(letter);
    return (small >= 'a' && small <= 'z') || (letter >= '0' && letter <= '9') || letter == '_' ||
           letter == '$' || static_cast<unsigned char>(letter) >= 0x80;
  }

  void skipSpace() {
    for (;;) {
      rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r\f"), rest_.size()));
      const char* end = rest_.starts_with("--") ? "\n" : rest_.starts_with("/*") ? "*/" : nullptr;
      if (end == nullptr) return;
      const size_t found = rest_.find(end, 2);
      rest_.remove_prefix(found == std::string_view::npos ? rest_.size() : found + 1 + (end[0] == '*'));
    }
  }

  /// A quote inside is written twice.
  std::string quoted(char end) {
    std::string text;
    rest_.remove_prefix(1);
    for (;;) {
      const size_t found = std::min(rest_.find(end), rest_.size());
      text += rest_.substr(0, found);
      rest_.remove_prefix(std::min(found + 1, rest_.size()));
      if (end == ']' || !rest_.starts_with(end)) return text;
      text += end;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

bool isConstraint(const Token& token) {
  return token.is("CONSTRAINT") || token.is("PRIMARY") || token.is("UNIQUE") || token.is("CHECK") ||
         token.is("FOREIGN");
}

/// One definition between commas: a column, or a constraint of the table.
void take(const std::vector<Token>& definition, TableColumns& columns, std::vector<bool>& isInteger) {
  if (definition.empty() || columns.names.size() >= kMostColumns) return;
  const auto primary = std::find_if(definition.begin(), definition.end(),
                                    [](const Token& token) { return token.is("PRIMARY"); });
  const bool hasKey =
      primary != definition.end() && std::next(primary) != definition.end() && std::next(primary)->is("KEY");
  if (!isConstraint(definition[0])) {
    const bool isIntegerColumn = definition.size() > 1 && definition[1].is("INTEGER") &&
                                 (definition.size() == 2 || !definition[2].is("("));
    if (isIntegerColumn && hasKey) columns.rowid = static_cast<int>(columns.names.size());
    columns.names.push_back(definition[0].text);
    isInteger.push_back(isIntegerColumn);
    return;
  }
  if (!hasKey || definition.end() - primary < 5 || !(primary + 2)->is("(") || !(primary + 4)->is(")")) return;
  for (size_t i = 0; i < columns.names.size(); ++i) {
    if (isInteger[i] && isSameName(columns.names[i], (primary + 3)->text))
      columns.rowid = static_cast<int>(i);
  }
}

}  // namespace

bool isSameName(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

TableColumns columnsOf(std::string_view sql) {
  TableColumns columns;
  std::vector<bool> isInteger;
  std::vector<Token> definition;
  Tokens tokens(sql);
  Token token;
  int depth = 0;
  while (tokens.next(token)) {
    const bool isOuter = depth == 0;
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (isOuter) continue;
    if (depth == 0 || (depth == 1 && token.is(","))) {
      take(definition, columns, isInteger);
      definition.clear();
      if (depth == 0) break;
    } else {
      definition.push_back(token);
    }
  }
  return columns;
}

}  // namespace strata::sqlite

#include "capture/csv_fields.h"

#include <algorithm>

namespace strata {
namespace {

/// A tab is no blank where it separates.
std::string_view withoutBlanks(std::string_view text, char separator) {
  const auto isBlank = [&](char sign) { return sign == ' ' || (sign == '\t' && separator != '\t'); };
  while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

bool CsvFields::split(std::string_view line, char separator) {
  fields_.clear();
  unquoted_.clear();
  unquoted_.reserve(kMost);  // so that views into it stay
  bool isClosed = true;
  while (fields_.size() < kMost) {
    const std::string_view start = withoutBlanks(line, separator);
    if (start.starts_with('"')) {
      line = start;
      isClosed = takeQuoted(line) && isClosed;
      line = line.substr(std::min(line.find(separator), line.size()));
    } else {
      const size_t end = std::min(line.find(separator), line.size());
      fields_.push_back(withoutBlanks(line.substr(0, end), separator));
      line = line.substr(end);
    }
    if (line.empty()) return isClosed;
    line.remove_prefix(1);
  }
  return isClosed;
}

/// Takes a quoted field off the front; false when its end is missing.
bool CsvFields::takeQuoted(std::string_view& line) {
  line.remove_prefix(1);
  const size_t first = line.find('"');
  const bool isPlain = first != std::string_view::npos && line.substr(first, 2) != "\"\"";
  if (isPlain) {
    fields_.push_back(line.substr(0, first));
    line.remove_prefix(first + 1);
    return true;
  }
  std::string text;
  bool isClosed = false;
  while (!isClosed) {
    const size_t quote = line.find('"');
    text += line.substr(0, quote);
    if (quote == std::string_view::npos) {
      line = {};
      break;
    }
    line.remove_prefix(quote + 1);
    isClosed = !line.starts_with('"');
    if (isClosed) break;
    text += '"';
    line.remove_prefix(1);
  }
  unquoted_.push_back(std::move(text));
  fields_.push_back(unquoted_.back());
  return isClosed;
}

}  // namespace strata

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The values of one row of CSV (RFC 4180, on one line): separated by commas or another sign, blanks around
/// them dropped, in double quotes when they hold that sign, a quote inside written twice.
class CsvFields {
 public:
  /// Keeps the line; it must outlive the fields. At most kMost are kept.
  /// Answers whether every quote is closed.
  bool split(std::string_view line, char separator = ',');
  size_t count() const { return fields_.size(); }
  std::string_view at(size_t field) const {
    return field < fields_.size() ? fields_[field] : std::string_view();
  }

 private:
  static constexpr size_t kMost = 256;

  bool takeQuoted(std::string_view& line);

  std::vector<std::string_view> fields_;
  std::vector<std::string> unquoted_;  ///< fields with quotes inside
};

}  // namespace strata

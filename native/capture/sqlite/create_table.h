#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::sqlite {

/// The columns of a table, in order, from the CREATE TABLE that SQLite keeps of it.
struct TableColumns {
  std::vector<std::string> names;
  int rowid = -1;  ///< position of the column that is declared INTEGER PRIMARY KEY
};

/// Reads the text of a CREATE TABLE: names in any of SQLite's quotes, comments, constraints. What is no such
/// text gives no columns.
/// Source: "CREATE TABLE" and "ROWIDs and the INTEGER PRIMARY KEY" in SQLite's documentation.
TableColumns columnsOf(std::string_view sql);

/// Whether two names are the same for SQLite, which does not tell capital letters from small ones in ASCII.
bool isSameName(std::string_view one, std::string_view other);

}  // namespace strata::sqlite

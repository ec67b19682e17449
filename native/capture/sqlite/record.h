#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strata::sqlite {

/// One value of a row. A column that a row does not have is Null.
struct Value {
  enum class Kind : uint8_t { Null, Integer, Real, Text, Blob } kind = Kind::Null;
  int64_t integer = 0;
  double real = 0;
  std::string_view bytes;  ///< of Text and Blob; a text may hold NUL bytes

  bool isInteger() const { return kind == Kind::Integer; }
  bool isText() const { return kind == Kind::Text; }
  int64_t integerOr(int64_t otherwise) const { return isInteger() ? integer : otherwise; }
};

/// Reads a number of one to nine bytes, seven bits in each but the last, off the front of what is left.
/// False when the bytes end first.
/// Source: "Database File Format" of SQLite, section 1.6.
bool takeVarint(std::string_view& bytes, uint64_t& number);

/// The columns that a reader wants of a table, by their positions in it.
struct WantedColumns {
  std::vector<int> slots;  ///< for each column of the table where its value goes, or -1; none behind the last
                           ///< one that is wanted
  int rowidColumn = -1;    ///< the column that is the row's own number (INTEGER PRIMARY KEY)
};

/// How many bytes of a record are enough to read the wanted columns, as far as its first bytes tell; else
/// all.
uint64_t bytesNeeded(std::string_view record, const WantedColumns& wanted);

/// Reads the wanted columns of a record; the others are not looked at. False when it is damaged.
/// Source: section 2.1, "Record Format".
bool readRecord(std::string_view record, int64_t rowid, const WantedColumns& wanted, std::span<Value> values);

}  // namespace strata::sqlite

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "capture/sqlite/create_table.h"
#include "capture/sqlite/record.h"

namespace strata::sqlite {

/// A table as the schema names it.
struct Table {
  std::string name;
  uint32_t root = 0;  ///< page, counted from 1
  TableColumns columns;

  bool has(std::string_view column) const { return positionOf(column) >= 0; }
  /// Position of a column, or -1.
  int positionOf(std::string_view column) const;
  /// Value i of a row read with these comes from the column of name i; Null where the table has none.
  WantedColumns want(std::span<const std::string_view> names) const;
};

/// What could not be read of a table.
struct TableDamage {
  uint64_t pages = 0;  ///< pages that are gone or are no pages of the table: the rows on them are missing
  uint64_t rows = 0;   ///< rows of readable pages that make no sense
  uint64_t firstByte = 0;

  bool isAny() const { return pages + rows > 0; }
  void note(uint64_t& count, uint64_t byte) {
    if (!isAny()) firstByte = byte;
    ++count;
  }
};

/// An SQLite database that lies in memory, to be read and never written: nothing appears beside the file, no
/// lock is taken, and only the tables and columns that are asked for are looked at. Damage costs the pages
/// that it hit and nothing else.
///
///   file:   | page 1: header, schema | page 2 | ...      a table is a tree of pages, rows by number:
///                        interior page ── leaf page ── rows ── (long ones) overflow pages
///
/// Source: "Database File Format" of SQLite, sections 1 and 2. Not read: indices, tables WITHOUT ROWID, what
/// lies in a write-ahead log beside the file.
class Database {
 public:
  /// Called for each page that is read, with the bytes of all so far; may throw to stop.
  using Pause = std::function<void(uint64_t)>;

  static bool isDatabase(std::span<const uint8_t> bytes);

  /// Errors: CaptureError when the header or the schema cannot be read.
  Database(std::span<const uint8_t> bytes, Pause pause);

  const Table* find(std::string_view name) const;
  const std::vector<Table>& tables() const { return tables_; }
  /// By how many bytes the file is shorter than its header says.
  uint64_t missingBytes() const;
  uint64_t pageBytes() const { return pageBytes_; }

  /// Called with the number of a row and the wanted values, which are valid until it returns.
  using OnRow = std::function<void(int64_t rowid, std::span<const Value> values)>;

  /// Reads a table from front to back, in order of row numbers. At most kMostOfRow bytes of a row are read.
  TableDamage scan(const Table& table, std::span<const std::string_view> columns, const OnRow& onRow);
  /// Reads the row of this number, O(log n); false when there is none, or it cannot be read.
  bool seek(const Table& table, int64_t rowid, std::span<const std::string_view> columns, const OnRow& onRow);

  static constexpr uint64_t kMostOfRow = uint64_t{1} << 20;

 private:
  struct Page;
  struct Cell {
    int64_t rowid = 0;
    std::string_view local;  ///< the part of the payload that lies on the page
    uint64_t payload = 0;
    uint32_t overflow = 0;
  };

  void readHeader();
  void readSchema();
  bool open(uint32_t number, Page& page) const;
  bool readCell(const Page& page, uint32_t index, Cell& cell) const;
  uint32_t childOf(const Page& page, uint32_t index) const;
  /// The last row number below a child.
  int64_t keyOf(const Page& page, uint32_t index) const;
  bool readRow(const Cell& cell, const WantedColumns& wanted, std::vector<Value>& values);
  std::string_view gather(const Cell& cell, uint64_t needed);
  uint32_t bigEndian32(uint64_t at) const;
  uint32_t bigEndian16(uint64_t at) const;

  std::string_view file_;
  Pause pause_;
  uint64_t pageBytes_ = 0, usable_ = 0, pageCount_ = 0, statedPages_ = 0, pagesRead_ = 0;
  std::vector<Table> tables_;
  std::string gathered_;
};

}  // namespace strata::sqlite

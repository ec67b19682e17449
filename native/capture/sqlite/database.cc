#include "capture/sqlite/database.h"

#include <algorithm>

#include "capture/capture.h"
#include "capture/text.h"

namespace strata::sqlite {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr uint64_t kHeaderBytes = 100;
constexpr uint64_t kSmallestPage = 512;
constexpr uint32_t kUtf8 = 1;
/// SQLite's own limit.
constexpr size_t kDeepest = 20;
constexpr size_t kMostTables = 20'000;
constexpr uint8_t kLeaf = 13, kInterior = 5;

[[noreturn]] void refuse(const std::string& sentence, uint64_t byte) {
  throw CaptureError("sqlite-damaged", sentence,
                     "Copy or export it again; \"sqlite3 FILE .recover\" may save what is left.",
                     static_cast<int64_t>(byte));
}

}  // namespace

int Table::positionOf(std::string_view column) const {
  for (size_t i = 0; i < columns.names.size(); ++i) {
    if (isSameName(columns.names[i], column)) return static_cast<int>(i);
  }
  return -1;
}

WantedColumns Table::want(std::span<const std::string_view> names) const {
  WantedColumns wanted;
  wanted.rowidColumn = columns.rowid;
  for (size_t i = 0; i < names.size(); ++i) {
    const int position = positionOf(names[i]);
    if (position < 0) continue;
    const auto column = static_cast<size_t>(position);
    if (column >= wanted.slots.size()) wanted.slots.resize(column + 1, -1);
    wanted.slots[column] = static_cast<int>(i);
  }
  return wanted;
}

/// A page of a table's tree: where its cells lie in the file.
struct Database::Page {
  uint64_t begin = 0;  ///< of the page, in the file
  uint64_t cells = 0;  ///< of the list of places of cells, in the file
  uint32_t count = 0;
  bool isLeaf = false;
  uint32_t rightmost = 0;  ///< the last child of an interior page
};

bool Database::isDatabase(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

Database::Database(std::span<const uint8_t> bytes, Pause pause)
    : file_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), pause_(std::move(pause)) {
  readHeader();
  readSchema();
}

uint32_t Database::bigEndian16(uint64_t at) const {
  const auto byte = [&](uint64_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(file_[i])); };
  return byte(at) << 8 | byte(at + 1);
}

uint32_t Database::bigEndian32(uint64_t at) const { return bigEndian16(at) << 16 | bigEndian16(at + 2); }

void Database::readHeader() {
  if (file_.size() < kHeaderBytes) refuse("This SQLite database ends in its header.", file_.size());
  const uint32_t stated = bigEndian16(16);
  pageBytes_ = stated == 1 ? 65536 : stated;
  const auto reserved = static_cast<unsigned char>(file_[20]);
  const bool isPower = (pageBytes_ & (pageBytes_ - 1)) == 0;
  if (!isPower || pageBytes_ < kSmallestPage || pageBytes_ - reserved < 480) {
    refuse("The header of this SQLite database is damaged, or the database is encrypted: it says pages of " +
               grouped(pageBytes_) + " bytes.",
           16);
  }
  if (bigEndian32(56) > kUtf8) {
    throw CaptureError("sqlite-not-nsight", "This is an SQLite database in UTF-16, which no profiler writes.",
                       "Open the export of a profiler: nsys export --type=sqlite REPORT.nsys-rep", 56);
  }
  usable_ = pageBytes_ - reserved;
  pageCount_ = (file_.size() + pageBytes_ - 1) / pageBytes_;
  const bool isSizeValid = bigEndian32(24) == bigEndian32(92);  // older writers left the size as it was
  statedPages_ = isSizeValid ? bigEndian32(28) : 0;
}

uint64_t Database::missingBytes() const {
  const uint64_t stated = statedPages_ * pageBytes_;
  return stated > file_.size() ? stated - file_.size() : 0;
}

/// Page 1 is the root of a table of all tables.
void Database::readSchema() {
  Table schema;
  schema.root = 1;
  schema.columns.names = {"type", "name", "tbl_name", "rootpage", "sql"};
  constexpr std::string_view kColumns[] = {"type", "name", "rootpage", "sql"};
  const TableDamage damage = scan(schema, kColumns, [&](int64_t, std::span<const Value> row) {
    const bool isTable = row[0].bytes == "table" && row[1].isText() && row[2].isInteger();
    if (!isTable || tables_.size() >= kMostTables || row[2].integer < 1 || row[2].integer > 0xffffffff)
      return;
    tables_.push_back(
        {std::string(row[1].bytes), static_cast<uint32_t>(row[2].integer), columnsOf(row[3].bytes)});
  });
  if (damage.isAny() && tables_.empty()) {
    refuse("The list of tables of this SQLite database cannot be read: the file is damaged, or encrypted.",
           damage.firstByte);
  }
}

const Table* Database::find(std::string_view name) const {
  for (const Table& table : tables_) {
    if (isSameName(table.name, name)) return &table;
  }
  return nullptr;
}

/// False when there is no such page, or it is none of a table.
bool Database::open(uint32_t number, Page& page) const {
  if (number == 0 || number > pageCount_) return false;
  page.begin = (number - 1) * pageBytes_;
  const uint64_t head = page.begin + (number == 1 ? kHeaderBytes : 0);
  if (head + 12 > file_.size()) return false;
  const auto type = static_cast<uint8_t>(file_[head]);
  if (type != kLeaf && type != kInterior) return false;
  page.isLeaf = type == kLeaf;
  page.count = bigEndian16(head + 3);
  page.rightmost = page.isLeaf ? 0 : bigEndian32(head + 8);
  page.cells = head + (page.isLeaf ? 8 : 12);
  const uint64_t end = std::min<uint64_t>(page.begin + usable_, file_.size());
  return page.cells + 2 * uint64_t{page.count} <= end;
}

/// The children of an interior page are counted from 0; the last is the one right of all keys.
uint32_t Database::childOf(const Page& page, uint32_t index) const {
  if (index == page.count) return page.rightmost;
  const uint64_t at = page.begin + bigEndian16(page.cells + 2 * uint64_t{index});
  return at + 4 <= std::min<uint64_t>(page.begin + usable_, file_.size()) ? bigEndian32(at) : 0;
}

int64_t Database::keyOf(const Page& page, uint32_t index) const {
  const uint64_t at = page.begin + bigEndian16(page.cells + 2 * uint64_t{index}) + 4;
  const uint64_t end = std::min<uint64_t>(page.begin + usable_, file_.size());
  uint64_t key = 0;
  if (at >= end) return 0;
  std::string_view bytes = file_.substr(at, end - at);
  takeVarint(bytes, key);
  return static_cast<int64_t>(key);
}

/// Source: section 1.6, with its formula for how much of a long row stays on the page.
bool Database::readCell(const Page& page, uint32_t index, Cell& cell) const {
  const uint64_t at = page.begin + bigEndian16(page.cells + 2 * uint64_t{index});
  const uint64_t end = std::min<uint64_t>(page.begin + usable_, file_.size());
  if (at < page.cells || at >= end) return false;
  std::string_view bytes = file_.substr(at, end - at);
  uint64_t rowid = 0;
  if (!takeVarint(bytes, cell.payload) || !takeVarint(bytes, rowid)) return false;
  cell.rowid = static_cast<int64_t>(rowid);
  cell.overflow = 0;
  const uint64_t most = usable_ - 35;
  uint64_t local = cell.payload;
  if (cell.payload > most) {
    const uint64_t least = (usable_ - 12) * 32 / 255 - 23;
    const uint64_t fitting = least + (cell.payload - least) % (usable_ - 4);
    local = fitting <= most ? fitting : least;
    if (bytes.size() < local + 4) return false;
    cell.overflow = bigEndian32(static_cast<uint64_t>(bytes.data() - file_.data()) + local);
  }
  if (bytes.size() < local) return false;
  cell.local = bytes.substr(0, local);
  return true;
}

/// The first bytes of a long row, put together from its overflow pages. Less comes back where they break off.
std::string_view Database::gather(const Cell& cell, uint64_t needed) {
  gathered_.assign(cell.local);
  uint32_t next = cell.overflow;
  const uint64_t wanted = std::min({needed, cell.payload, kMostOfRow});
  while (gathered_.size() < wanted && next != 0 && next <= pageCount_) {
    const uint64_t begin = (next - 1) * pageBytes_;
    if (begin + 4 >= file_.size()) break;
    const uint64_t left = std::min(usable_ - 4, file_.size() - begin - 4);
    gathered_ += file_.substr(begin + 4, std::min<uint64_t>(left, wanted - gathered_.size()));
    next = bigEndian32(begin);
  }
  return gathered_;
}

bool Database::readRow(const Cell& cell, const WantedColumns& wanted, std::vector<Value>& values) {
  std::string_view record = cell.local;
  if (cell.overflow != 0) {
    const uint64_t needed = bytesNeeded(record, wanted);
    if (needed > record.size()) record = gather(cell, needed);
  }
  return readRecord(record, cell.rowid, wanted, values);
}

TableDamage Database::scan(const Table& table, std::span<const std::string_view> columns,
                           const OnRow& onRow) {
  struct Step {
    Page page;
    uint32_t next = 0;
  };
  const WantedColumns wanted = table.want(columns);
  std::vector<Value> values(columns.size());
  std::vector<bool> isSeen(pageCount_ + 1);
  std::vector<Step> path;
  TableDamage damage;
  const auto descend = [&](uint32_t number) {
    Step step;
    const bool isUsable = number <= pageCount_ && !isSeen[number] && path.size() < kDeepest;
    if (!isUsable || !open(number, step.page)) {
      damage.note(damage.pages,
                  number == 0 ? 0 : std::min<uint64_t>((number - 1) * pageBytes_, file_.size()));
      return;
    }
    isSeen[number] = true;
    if (pause_) pause_(++pagesRead_ * pageBytes_);
    path.push_back(step);
  };
  descend(table.root);
  Cell cell;
  while (!path.empty()) {
    Step& step = path.back();
    if (!step.page.isLeaf && step.next <= step.page.count) {
      descend(childOf(step.page, step.next++));
      continue;
    }
    for (uint32_t i = 0; step.page.isLeaf && i < step.page.count; ++i) {
      if (readCell(step.page, i, cell) && readRow(cell, wanted, values)) {
        onRow(cell.rowid, values);
      } else {
        damage.note(damage.rows, step.page.begin);
      }
    }
    path.pop_back();
  }
  return damage;
}

bool Database::seek(const Table& table, int64_t rowid, std::span<const std::string_view> columns,
                    const OnRow& onRow) {
  uint32_t number = table.root;
  Page page;
  Cell cell;
  for (size_t depth = 0; depth < kDeepest && open(number, page); ++depth) {
    uint32_t from = 0, to = page.count;
    while (from < to) {
      const uint32_t middle = from + (to - from) / 2;
      const bool isReadable = !page.isLeaf || readCell(page, middle, cell);
      const int64_t key = page.isLeaf ? cell.rowid : keyOf(page, middle);
      if (!isReadable) return false;
      key < rowid ? from = middle + 1 : to = middle;
    }
    if (!page.isLeaf) {
      number = childOf(page, from);
      continue;
    }
    if (from == page.count || !readCell(page, from, cell) || cell.rowid != rowid) return false;
    std::vector<Value> values(columns.size());
    if (!readRow(cell, table.want(columns), values)) return false;
    onRow(rowid, values);
    return true;
  }
  return false;
}

}  // namespace strata::sqlite

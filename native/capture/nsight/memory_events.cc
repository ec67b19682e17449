#include "capture/nsight/memory_events.h"

#include <algorithm>

#include "capture/capture.h"
#include "capture/text.h"

namespace strata::nsight {
namespace {

using sqlite::Table;
using sqlite::Value;

/// Times beyond this are damage: from 1970 it is the year 2043, and no session lasts for decades.
constexpr int64_t kLatest = int64_t{1} << 61;

/// The columns of both tables, as they are named in every version that has them.
enum Column : size_t {
  kStart,
  kProcess,
  kDevice,
  kAddress,
  kBytes,
  kKind,
  kOperation,
  kName,
  kCorrelation,
  kStream,
  kLocalPool,
  kReleaseThreshold,
  kPoolSize,
  kPoolUsed,
  kImportedPool,
  kPoolOperation,
  kColumnCount
};
constexpr std::string_view kNames[kColumnCount] = {
    "start",
    "globalPid",
    "deviceId",
    "address",
    "bytes",
    "memKind",
    "memoryOperationType",
    "name",
    "correlationId",
    "streamId",
    "localMemoryPoolAddress",
    "localMemoryPoolReleaseThreshold",
    "localMemoryPoolSize",
    "localMemoryPoolUtilizedSize",
    "importedMemoryPoolAddress",
    "operationType",
};

using Row = std::span<const Value>;

uint64_t bytesOf(const Value& value) {
  return value.isInteger() && value.integer >= 0 ? static_cast<uint64_t>(value.integer) : kUnknownBytes;
}

bool isTime(const Value& value) {
  return value.isInteger() && value.integer >= -kLatest && value.integer <= kLatest;
}

int32_t deviceOf(const Value& value) {
  constexpr int64_t kMostDevices = 1024;
  const int64_t device = value.integerOr(0);
  return device >= 0 && device < kMostDevices ? static_cast<int32_t>(device) : 0;
}

template <typename T>
void sortByStart(std::vector<T>& rows) {
  const auto isEarlier = [](const T& a, const T& b) { return a.start < b.start; };
  if (!std::is_sorted(rows.begin(), rows.end(), isEarlier))
    std::stable_sort(rows.begin(), rows.end(), isEarlier);
}

class Reader {
 public:
  Reader(sqlite::Database& database, const EnumNames& names, Trace& trace)
      : database_(database), names_(names), trace_(trace) {}

  MemoryEvents run() {
    const Table* usage = database_.find(kUsageTable);
    // The first exports wrote events of pools in a table of that name, without sizes.
    const bool isOfPools = usage != nullptr && !usage->has("bytes") && usage->has("operationType");
    if (usage != nullptr && !isOfPools) readUsage(*usage);
    if (isOfPools) readPools(*usage);
    if (const Table* pools = database_.find(kPoolTable)) readPools(*pools);
    sortByStart(read_.events);
    sortByStart(read_.pools);
    return std::move(read_);
  }

 private:
  void readUsage(const Table& table) {
    requireColumns(table);
    read_.hasAddresses = table.has("address");
    read_.hasTimes = table.has("start");
    read_.hasProcesses = table.has("globalPid");
    hasKind_ = table.has("memKind");
    read_.damage = database_.scan(table, kNames, [&](int64_t rowid, Row row) { take(rowid, row); });
  }

  static void requireColumns(const Table& table) {
    for (const std::string_view column : {"bytes", "memoryOperationType"}) {
      if (table.has(column)) continue;
      throw CaptureError(
          "nsight-columns-missing",
          "The table " + std::string(kUsageTable) + " of this export has no column " + std::string(column) +
              ", so its events cannot be read.",
          "Export it again with a current version of Nsight Systems: nsys export --type=sqlite "
          "REPORT.nsys-rep");
    }
  }

  void take(int64_t rowid, Row row) {
    const TextPlace place{static_cast<uint64_t>(rowid), 0};
    const auto isFree = names_.isFree(row[kOperation].integerOr(-1));
    const uint64_t bytes = bytesOf(row[kBytes]);
    const bool hasTime = !read_.hasTimes || isTime(row[kStart]);
    const bool hasAddress = !read_.hasAddresses || row[kAddress].isInteger();
    if (!isFree || bytes == kUnknownBytes || !hasTime || !hasAddress) return read_.unreadable.note(place);
    MemoryEvent event;
    event.start = row[kStart].integerOr(0);
    event.address = static_cast<uint64_t>(row[kAddress].integerOr(0));  // SQLite has no unsigned numbers
    event.bytes = bytes;
    if (event.address + bytes < bytes) return read_.unreadable.note(place);
    event.row = rowid;
    event.process = static_cast<uint32_t>(processOf(row[kProcess].integerOr(0)));
    event.device = deviceOf(row[kDevice]);
    event.stream = static_cast<uint64_t>(row[kStream].integerOr(0));
    event.correlation = static_cast<uint32_t>(row[kCorrelation].integerOr(0));
    event.kind = hasKind_ ? names_.memoryKind(row[kKind].integerOr(-1)) : MemoryKind::Device;
    event.isFree = *isFree;
    if (event.kind == MemoryKind::Unknown) read_.unknownKind.note(place);
    if (row[kName].isText() && !row[kName].bytes.empty())
      event.label = trace_.strings.intern(repairUtf8(row[kName].bytes));
    takePool(event, row);
    read_.events.push_back(event);
  }

  void takePool(MemoryEvent& event, Row row) {
    const int64_t local = row[kLocalPool].integerOr(0), imported = row[kImportedPool].integerOr(0);
    if (local == 0 && imported == 0) return;
    event.poolUse = local != 0 ? PoolUse::Local : PoolUse::Imported;
    event.pool = static_cast<uint64_t>(local != 0 ? local : imported);
    if (local == 0) return;
    note({event.start, event.pool, event.process, event.device, bytesOf(row[kPoolSize]),
          bytesOf(row[kPoolUsed]), bytesOf(row[kReleaseThreshold]), false});
  }

  void note(const PoolReading& reading) {
    const bool saysSomething =
        reading.size != kUnknownBytes || reading.used != kUnknownBytes || reading.isGone;
    if (saysSomething) read_.pools.push_back(reading);
  }

  void readPools(const Table& table) {
    database_.scan(table, kNames, [&](int64_t, Row row) {
      if (!isTime(row[kStart]) || !row[kAddress].isInteger()) return;
      const PoolOperation operation = names_.poolOperation(row[kPoolOperation].integerOr(0));
      note({row[kStart].integer, static_cast<uint64_t>(row[kAddress].integer),
            static_cast<uint32_t>(processOf(row[kProcess].integerOr(0))), deviceOf(row[kDevice]),
            bytesOf(row[kPoolSize]), bytesOf(row[kPoolUsed]), bytesOf(row[kReleaseThreshold]),
            operation == PoolOperation::Destroyed});
    });
  }

  sqlite::Database& database_;
  const EnumNames& names_;
  Trace& trace_;
  MemoryEvents read_;
  bool hasKind_ = false;
};

}  // namespace

std::string firstRow(uint64_t row) {
  return "The first is row " + grouped(row) + " of " + std::string(kUsageTable) + ".";
}

MemoryEvents readMemoryEvents(sqlite::Database& database, const EnumNames& names, Trace& trace) {
  return Reader(database, names, trace).run();
}

}  // namespace strata::nsight

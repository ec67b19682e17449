#include "capture/nsight/export_reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "capture/capture.h"
#include "capture/nsight/callers.h"
#include "capture/nsight/enum_names.h"
#include "capture/nsight/lanes.h"
#include "capture/nsight/machine_facts.h"
#include "capture/nsight/memory_events.h"
#include "capture/nsight/pool_counters.h"
#include "capture/nsight/ranges.h"
#include "capture/nsight/refusals.h"
#include "capture/nsight/strings.h"
#include "capture/sqlite/database.h"
#include "capture/text.h"

namespace strata::nsight {
namespace {

class ExportReader {
 public:
  ExportReader(std::span<const uint8_t> bytes, const Progress& progress)
      : size_(bytes.size()),
        progress_(progress),
        database_(bytes, [this](uint64_t done) { breathe(done); }) {}

  Trace run() {
    requireExport(database_);
    trace_.format = "nsight-export";
    facts_ = readMachineFacts(database_, trace_);
    trace_.producer = facts_.version.empty() ? "Nsight Systems" : "Nsight Systems " + facts_.version;
    const EnumNames names(database_);
    read_ = readMemoryEvents(database_, names, trace_);
    if (read_.events.empty() && read_.pools.empty()) refuseEmpty(database_, facts_, read_);
    // With --ts-normalize=true the times are those since 1970; no session lasts from 1970 to 2001.
    constexpr int64_t kSince1970 = 1'000'000'000'000'000'000;
    if (firstStart() > kSince1970) facts_.startNs = 0;
    Strings strings(database_);
    Lanes lanes(read_, facts_, trace_);
    addEvents(lanes, callersOf(read_, database_, strings, trace_));
    lanes.finish();
    if (trace_.devices.empty() && read_.pools.empty()) refuseEmpty(database_, facts_, read_);
    setClock();
    addPoolCounters(read_, lanes, firstStart(), trace_);
    if (read_.hasTimes) annotateRanges(database_, names, strings, firstStart(), lastStart(), trace_);
    warn();
    return std::move(trace_);
  }

 private:
  void breathe(uint64_t bytes) {
    constexpr uint64_t kBytesBetweenReports = 1 << 18;
    if (bytes < nextReport_) return;
    nextReport_ = bytes + kBytesBetweenReports;
    if (progress_ && !progress_("read", std::min(size_, bytes), size_, 0)) throw Cancelled();
  }

  void addEvents(Lanes& lanes, const std::vector<uint32_t>& stacks) {
    for (size_t i = 0; i < read_.events.size(); ++i) lanes.add(read_.events[i], stacks[i]);
  }

  int64_t firstStart() const {
    return read_.events.empty() ? read_.pools.front().start : read_.events.front().start;
  }
  int64_t lastStart() const {
    return std::max(read_.events.empty() ? firstStart() : read_.events.back().start,
                    read_.pools.empty() ? firstStart() : read_.pools.back().start);
  }

  void setClock() {
    setClockOfRows(trace_, facts_.startNs.has_value());
    if (!trace_.devices.empty()) return;
    trace_.hasClock = true;  // of the counters
    trace_.hasOrigin = facts_.startNs.has_value();
    trace_.originNs = trace_.hasOrigin ? *facts_.startNs + firstStart() : 0;
  }

  void warn() {
    if (const uint64_t missing = database_.missingBytes()) {
      trace_.isComplete = false;
      trace_.warnings.push_back({"capture-truncated",
                                 "The database is cut off: " + counted(missing, "byte is", "bytes are") +
                                     " missing at its end. What is in the rest is shown.",
                                 static_cast<int64_t>(size_), true});
    }
    warnOfDamage();
    if (read_.unreadable.count > 0) {
      trace_.warnings.push_back({"row-unreadable",
                                 "Left out, because they say no time, size, address or operation: " +
                                     counted(read_.unreadable.count, "row", "rows") + ". " +
                                     firstRow(read_.unreadable.first.line),
                                 -1, true});
    }
    if (read_.unknownKind.count > 0) {
      trace_.warnings.push_back({"nsight-unknown-kind",
                                 counted(read_.unknownKind.count, "row is", "rows are") +
                                     " of memory of an unknown kind, shown as a device of its own. " +
                                     firstRow(read_.unknownKind.first.line),
                                 -1, false});
    }
    if (!read_.hasAddresses) {
      trace_.warnings.push_back({"no-addresses",
                                 "This export has no column of addresses: only totals are known, not which "
                                 "block lay where or how long it lived.",
                                 -1, false});
    } else if (!trace_.devices.empty()) {
      trace_.warnings.push_back(
          {"no-segments",
           "Nsight Systems records what a program takes from CUDA. How an allocator in "
           "the program, such as that of PyTorch, divides it, and what was free between "
           "the blocks, is not known.",
           -1, false});
    }
  }

  void warnOfDamage() {
    const sqlite::TableDamage& damage = read_.damage;
    if (!damage.isAny()) return;
    trace_.isComplete = false;
    std::string what;
    if (damage.pages > 0) what += counted(damage.pages, "page", "pages");
    if (damage.pages > 0 && damage.rows > 0) what += " and ";
    if (damage.rows > 0) what += counted(damage.rows, "row", "rows");
    trace_.warnings.push_back({"capture-damaged",
                               what + " of the table " + std::string(kUsageTable) +
                                   " cannot be read, the first at byte " + grouped(damage.firstByte) +
                                   "; the other rows are shown.",
                               static_cast<int64_t>(damage.firstByte), true});
  }

  uint64_t size_;
  const Progress& progress_;
  uint64_t nextReport_ = 0;
  MemoryEvents read_;
  sqlite::Database database_;
  MachineFacts facts_;
  Trace trace_;
};

}  // namespace

bool isDatabase(std::span<const uint8_t> bytes) { return sqlite::Database::isDatabase(bytes); }

Trace readExport(std::span<const uint8_t> bytes, const Progress& progress) {
  return ExportReader(bytes, progress).run();
}

void warnOfLog(const std::string& path, Trace& trace) {
  for (const char* ending : {"-wal", "-journal"}) {
    const std::string log = path + ending;
    std::error_code error;
    const auto bytes = std::filesystem::file_size(std::u8string(log.begin(), log.end()), error);
    if (error || bytes == 0) continue;
    trace.warnings.push_back(
        {"sqlite-log-beside",
         "What was written last may lie in the log beside this database, " + log +
             ", which is not read. Close the program that has the database open, or run: "
             "sqlite3 FILE \"pragma wal_checkpoint(truncate)\"",
         -1, false});
  }
}

}  // namespace strata::nsight

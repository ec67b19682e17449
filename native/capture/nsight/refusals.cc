#include "capture/nsight/refusals.h"

#include <algorithm>
#include <string>

#include "capture/capture.h"
#include "capture/text.h"

namespace strata::nsight {
namespace {

constexpr char kHowToRecord[] =
    "Record with \"nsys profile --trace=cuda --cuda-memory-usage=true PROGRAM\", then \"nsys export "
    "--type=sqlite REPORT.nsys-rep\".";

/// Nsight Systems records GPUs of NVIDIA alone.
constexpr char kOtherGpu[] =
    "Record a memory snapshot of PyTorch, or what the driver counts with \"strata sample --out FILE\".";

/// Databases that lie beside captures or are opened by mistake, by a table that only they have.
struct Known {
  std::string_view table;
  bool isPrefix;
  const char* what;
  const char* remedy = kHowToRecord;
};
constexpr Known kKnown[] = {
    {"rocpd_", true, "a trace of ROCm's profiler (rocprofv3)", kOtherGpu},
    {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", false, "a profile of nvprof or the NVIDIA Visual Profiler"},
    {"CANN_API", false, "a profile of Ascend's msprof", kOtherGpu},
    {"moz_places", false, "the history of a browser"},
    {"alembic_version", false, "the store of an experiment tracker"},
    {"studies", false, "a study of Optuna"},
};

const Known* recognise(const sqlite::Database& database) {
  for (const Known& known : kKnown) {
    for (const sqlite::Table& table : database.tables()) {
      const std::string_view name = table.name;
      if (known.isPrefix ? name.starts_with(known.table) : name == known.table) return &known;
    }
  }
  return nullptr;
}

bool isExport(const sqlite::Database& database) {
  const auto& tables = database.tables();
  const bool hasActivity = std::any_of(tables.begin(), tables.end(), [](const sqlite::Table& table) {
    return table.name.starts_with("CUPTI_ACTIVITY_KIND_") || table.name.starts_with("TARGET_INFO_") ||
           table.name.starts_with("ENUM_NSYS_");
  });
  return database.find(kUsageTable) != nullptr || database.find(kPoolTable) != nullptr ||
         (hasActivity && database.find("StringIds") != nullptr);
}

}  // namespace

void requireExport(const sqlite::Database& database) {
  const Known* known = recognise(database);
  if (known == nullptr && isExport(database)) return;
  const size_t count = database.tables().size();
  const std::string what = known != nullptr
                               ? std::string("This SQLite database is ") + known->what
                               : "This is an SQLite database with " + counted(count, "table", "tables");
  throw CaptureError("sqlite-not-nsight", what + ", not an export of Nsight Systems.",
                     known != nullptr ? known->remedy : kHowToRecord, 0);
}

void refuseEmpty(const sqlite::Database& database, const MachineFacts& facts, const MemoryEvents& read) {
  if (read.damage.isAny() || read.unreadable.count > 0 || !read.events.empty()) {
    throw CaptureError("capture-damaged",
                       "No row of the table " + std::string(kUsageTable) + " of this export makes sense.",
                       "Copy or export it again: nsys export --type=sqlite REPORT.nsys-rep",
                       static_cast<int64_t>(read.damage.firstByte));
  }
  if (const uint64_t missing = database.missingBytes()) {
    throw CaptureError("capture-truncated",
                       "This export of Nsight Systems is cut off before its first memory event: " +
                           counted(missing, "byte is", "bytes are") + " missing at its end.",
                       "Copy or export it again: nsys export --type=sqlite REPORT.nsys-rep", -1);
  }
  throw CaptureError("nsight-no-memory-events",
                     facts.isMemoryOff
                         ? "This profile of Nsight Systems was recorded without memory events."
                         : "This export of Nsight Systems holds no memory events: the program took no memory "
                           "from CUDA while it was profiled, or it was recorded without them.",
                     kHowToRecord);
}

}  // namespace strata::nsight

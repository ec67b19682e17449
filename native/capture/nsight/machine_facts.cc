#include "capture/nsight/machine_facts.h"

#include "capture/text.h"
#include "capture/text_numbers.h"

namespace strata::nsight {
namespace {

using Row = std::span<const sqlite::Value>;

constexpr int64_t kMostGpus = 64;
constexpr size_t kMostLetters = 256;

std::string textOf(const sqlite::Value& value) {
  return value.isText() ? repairUtf8(value.bytes.substr(0, kMostLetters)) : std::string();
}

/// A whole number that is no longer than a session could be.
std::optional<int64_t> parseSigned(std::string_view text) {
  constexpr uint64_t kMost = uint64_t{1} << 60;
  const bool isNegative = text.starts_with('-');
  const auto number = parseDecimal(text.substr(isNegative ? 1 : 0));
  if (!number || *number > kMost) return std::nullopt;
  return isNegative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
}

class Facts {
 public:
  Facts(sqlite::Database& database, Trace& trace) : database_(database), trace_(trace) {}

  MachineFacts run() {
    readExport();
    readCapture();
    readStart();
    readGpus();
    readDevices();
    if (facts_.startNs) *facts_.startNs -= shift_;  // times are exported that much later
    return std::move(facts_);
  }

 private:
  template <size_t N>
  void scan(std::string_view name, const std::string_view (&columns)[N],
            const sqlite::Database::OnRow& onRow) {
    const sqlite::Table* table = database_.find(name);
    if (table != nullptr) database_.scan(*table, columns, onRow);
  }

  void readExport() {
    scan("META_DATA_EXPORT", {"name", "value"}, [&](int64_t, Row row) {
      if (row[0].bytes == "EXPORT_PRODUCT_VERSION") facts_.version = textOf(row[1]);
      if (row[0].bytes == "EXPORT_PARAM_TIME_SHIFT") shift_ = parseSigned(row[1].bytes).value_or(0);
      if (row[0].bytes == "EXPORT_SCHEMA_VERSION")
        trace_.settings.emplace_back("export_schema", textOf(row[1]));
    });
  }

  void readCapture() {
    scan("META_DATA_CAPTURE", {"name", "value"}, [&](int64_t, Row row) {
      if (row[0].bytes == "COLLECT_GPU_MEMORY_USAGE") facts_.isMemoryOff = row[1].bytes == "false";
    });
  }

  void readStart() {
    scan("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, [&](int64_t, Row row) {
      constexpr int64_t kLatest = int64_t{1} << 61;
      if (row[0].isInteger() && row[0].integer > 0 && row[0].integer < kLatest)
        facts_.startNs = row[0].integer;
    });
  }

  void readGpus() {
    scan("TARGET_INFO_GPU", {"id", "name", "totalMemory"}, [&](int64_t, Row row) {
      const int64_t id = row[0].integerOr(-1);
      if (id < 0 || id >= kMostGpus || trace_.settings.size() >= 3 * kMostGpus) return;
      const std::string key = "device_" + std::to_string(id);
      if (row[1].isText()) trace_.settings.emplace_back(key, textOf(row[1]));
      if (row[2].integerOr(0) > 0)
        trace_.settings.emplace_back(key + "_total_memory", std::to_string(row[2].integer));
    });
  }

  void readDevices() {
    scan("TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}, [&](int64_t, Row row) {
      const int64_t gpu = row[2].integerOr(-1), device = row[1].integerOr(-1);
      if (gpu < 0 || gpu >= kMostGpus || device < 0 || device >= kMostGpus) return;
      facts_.gpuOf[{static_cast<uint32_t>(row[0].integerOr(0)), static_cast<int32_t>(device)}] =
          static_cast<int32_t>(gpu);
    });
  }

  sqlite::Database& database_;
  Trace& trace_;
  MachineFacts facts_;
  int64_t shift_ = 0;
};

}  // namespace

MachineFacts readMachineFacts(sqlite::Database& database, Trace& trace) {
  return Facts(database, trace).run();
}

}  // namespace strata::nsight

#include "capture/nsight/enum_names.h"

#include <string>

namespace strata::nsight {
namespace {

/// "CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC" and "Device Static" are both DEVICE_STATIC.
std::string symbolOf(std::string_view name) {
  for (const std::string_view prefix : {"_KIND_", "_OPR_", "_OPER_", "_OPERATION_"}) {
    const size_t found = name.rfind(prefix);
    if (found != std::string_view::npos) name.remove_prefix(found + prefix.size());
  }
  std::string symbol(name.substr(0, 64));
  for (char& letter : symbol) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 32);
    if (letter == ' ') letter = '_';
  }
  return symbol;
}

template <typename T>
constexpr uint8_t as(T value) {
  return static_cast<uint8_t>(value);
}

}  // namespace

/// Source of the numbers: the enum tables of an export of schema 3.24.
EnumNames::EnumNames(sqlite::Database& database) {
  constexpr Meaning kKinds[] = {
      {"PAGEABLE", 0, as(MemoryKind::Pageable)},
      {"PINNED", 1, as(MemoryKind::Pinned)},
      {"DEVICE", 2, as(MemoryKind::Device)},
      {"ARRAY", 3, as(MemoryKind::Array)},
      {"MANAGED", 4, as(MemoryKind::Managed)},
      {"DEVICE_STATIC", 5, as(MemoryKind::DeviceStatic)},
      {"MANAGED_STATIC", 6, as(MemoryKind::ManagedStatic)},
      {"UNKNOWN", 7, as(MemoryKind::Unknown)},
  };
  constexpr Meaning kOperations[] = {{"ALLOCATION", 0, 0}, {"DEALLOCATION", 1, 1}};
  constexpr Meaning kPools[] = {
      {"INVALID", 0, as(PoolOperation::Invalid)},
      {"CREATED", 1, as(PoolOperation::Created)},
      {"DESTROYED", 2, as(PoolOperation::Destroyed)},
      {"TRIMMED", 3, as(PoolOperation::Trimmed)},
  };
  constexpr Meaning kRanges[] = {{"NVTXPUSHPOPRANGE", 59, 0},
                                 {"NVTXSTARTENDRANGE", 60, 0},
                                 {"NVTXTPUSHPOPRANGE", 70, 0},
                                 {"NVTXTSTARTENDRANGE", 71, 0}};
  kinds_ = read(database, "ENUM_CUDA_MEM_KIND", kKinds);
  operations_ = read(database, "ENUM_CUDA_DEV_MEM_EVENT_OPER", kOperations);
  pools_ = read(database, "ENUM_CUDA_MEMPOOL_OPER", kPools);
  ranges_ = read(database, "ENUM_NSYS_EVENT_TYPE", kRanges);
}

EnumNames::Meanings EnumNames::read(sqlite::Database& database, std::string_view table,
                                    std::span<const Meaning> known) {
  Meanings meanings;
  const sqlite::Table* names = database.find(table);
  if (names == nullptr) {
    for (const Meaning& meaning : known) meanings[meaning.number] = meaning.value;
    return meanings;
  }
  constexpr std::string_view kColumns[] = {"id", "name", "label"};
  database.scan(*names, kColumns, [&](int64_t, std::span<const sqlite::Value> row) {
    const std::string symbols[] = {symbolOf(row[1].bytes), symbolOf(row[2].bytes)};
    for (const Meaning& meaning : known) {
      const bool isMeant = symbols[0] == meaning.symbol || symbols[1] == meaning.symbol;
      if (isMeant && row[0].isInteger()) meanings[row[0].integer] = meaning.value;
    }
  });
  return meanings;
}

MemoryKind EnumNames::memoryKind(int64_t number) const {
  const auto found = kinds_.find(number);
  return found == kinds_.end() ? MemoryKind::Unknown : static_cast<MemoryKind>(found->second);
}

std::optional<bool> EnumNames::isFree(int64_t number) const {
  const auto found = operations_.find(number);
  return found == operations_.end() ? std::nullopt : std::optional(found->second != 0);
}

PoolOperation EnumNames::poolOperation(int64_t number) const {
  const auto found = pools_.find(number);
  return found == pools_.end() ? PoolOperation::Invalid : static_cast<PoolOperation>(found->second);
}

}  // namespace strata::nsight

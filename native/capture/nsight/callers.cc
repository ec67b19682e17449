#include "capture/nsight/callers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace strata::nsight {
namespace {

using sqlite::Table;
using Row = std::span<const sqlite::Value>;

/// More frames than this help nobody.
constexpr size_t kMostFrames = 256;

/// The calls that events name, by process and correlation. Correlations count up, and the tables are in order
/// of time: pages of neighbours keep look-ups of a hundred million calls in the processor's cache.
class WantedCalls {
 public:
  void want(uint32_t process, uint32_t correlation) {
    const auto [known, isNew] = pages_.try_emplace(keyOf(process, correlation), calls_.size());
    if (isNew) calls_.resize(calls_.size() + kPage, kUnwanted);
    calls_[known->second + correlation % kPage] = kNone;
  }

  /// The call of a wanted correlation, to be filled or read; null when nobody wants it.
  uint32_t* find(uint32_t process, uint32_t correlation) {
    const uint64_t key = keyOf(process, correlation);
    if (key != lastKey_) {
      const auto known = pages_.find(key);
      lastKey_ = key;
      lastPage_ = known == pages_.end() ? kNoPage : known->second;
    }
    if (lastPage_ == kNoPage) return nullptr;
    uint32_t* call = &calls_[lastPage_ + correlation % kPage];
    return *call == kUnwanted ? nullptr : call;
  }

 private:
  static constexpr uint32_t kPage = 64;
  static constexpr uint32_t kUnwanted = kNone - 1;
  static constexpr size_t kNoPage = std::numeric_limits<size_t>::max();

  static uint64_t keyOf(uint32_t process, uint32_t correlation) {
    return uint64_t{process} << 32 | correlation / kPage;
  }

  std::unordered_map<uint64_t, size_t> pages_;  ///< to where the page begins in calls_
  std::vector<uint32_t> calls_;
  uint64_t lastKey_ = std::numeric_limits<uint64_t>::max();
  size_t lastPage_ = kNoPage;
};

struct Call {
  int64_t name = -1;       ///< of the function, a number of StringIds
  int64_t callchain = -1;  ///< number of the backtrace, or -1
};

/// "cudaMalloc_v3020" is cudaMalloc: the number is that of CUDA's interface, not of the call.
std::string_view withoutVersion(std::string_view name) {
  const size_t at = name.rfind("_v");
  const bool isVersion = at != std::string_view::npos && at + 2 < name.size() &&
                         name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return isVersion ? name.substr(0, at) : name;
}

class Callers {
 public:
  Callers(sqlite::Database& database, Strings& strings, Trace& trace)
      : database_(database), strings_(strings), trace_(trace) {}

  std::vector<uint32_t> of(const MemoryEvents& read) {
    const auto& events = read.events;
    std::vector<uint32_t> stacks(events.size(), kNone);
    WantedCalls wanted;
    for (const MemoryEvent& event : events) {
      if (event.correlation != 0) wanted.want(event.process, event.correlation);
    }
    readCalls(wanted, read.hasProcesses);
    readBacktraces();
    const std::vector<uint32_t> stackOfCall = resolve();
    for (size_t i = 0; i < events.size(); ++i) {
      if (events[i].correlation == 0) continue;
      const uint32_t call = *wanted.find(events[i].process, events[i].correlation);
      if (call != kNone) stacks[i] = stackOfCall[call];
    }
    return stacks;
  }

 private:
  void readCalls(WantedCalls& wanted, bool hasProcesses) {
    const Table* table = database_.find("CUPTI_ACTIVITY_KIND_RUNTIME");
    if (table == nullptr) return;
    constexpr std::string_view kColumns[] = {"correlationId", "globalTid", "nameId", "callchainId"};
    database_.scan(*table, kColumns, [&](int64_t, Row row) {
      const auto correlation = static_cast<uint32_t>(row[0].integerOr(0));
      if (correlation == 0) return;
      const auto process = hasProcesses ? static_cast<uint32_t>(processOf(row[1].integerOr(0))) : 0;
      uint32_t* call = wanted.find(process, correlation);
      if (call != nullptr) *call = callOf(row[2].integerOr(-1), row[3].integerOr(-1));
    });
  }

  uint32_t callOf(int64_t name, int64_t callchain) {
    const auto [known, isNew] = numbers_.try_emplace({name, callchain}, static_cast<uint32_t>(calls_.size()));
    if (isNew) {
      calls_.push_back({name, callchain});
      if (callchain >= 0) backtraces_[callchain];
    }
    return known->second;
  }

  /// Frames of the wanted backtraces: depth, function, module.
  void readBacktraces() {
    const Table* table = database_.find("CUDA_CALLCHAINS");
    if (table == nullptr || backtraces_.empty()) return;
    constexpr std::string_view kColumns[] = {"id", "stackDepth", "symbol", "module"};
    database_.scan(*table, kColumns, [&](int64_t, Row row) {
      const auto wanted = backtraces_.find(row[0].integerOr(-1));
      if (wanted == backtraces_.end() || wanted->second.size() >= kMostFrames) return;
      wanted->second.push_back({row[1].integerOr(0), row[2].integerOr(-1), row[3].integerOr(-1)});
    });
    for (auto& [id, frames] : backtraces_) std::sort(frames.begin(), frames.end());
  }

  std::vector<uint32_t> resolve() {
    std::unordered_set<int64_t> wanted;
    for (const Call& call : calls_) wanted.insert(call.name);
    for (const auto& [id, frames] : backtraces_) {
      for (const auto& [depth, function, module] : frames) wanted.insert({function, module});
    }
    const auto texts = strings_.at(wanted);
    const auto textOf = [&](int64_t id) {
      const auto found = texts.find(id);
      return found == texts.end() ? std::string_view() : std::string_view(found->second);
    };
    std::vector<uint32_t> stacks;
    std::vector<uint32_t> frames;
    for (const Call& call : calls_) {
      frames.clear();
      add(frames, withoutVersion(textOf(call.name)), "");
      if (call.callchain >= 0) {
        for (const auto& [depth, function, module] : backtraces_[call.callchain])
          add(frames, textOf(function), textOf(module));
      }
      stacks.push_back(frames.empty() ? kNone : trace_.stacks.intern(frames));
    }
    return stacks;
  }

  void add(std::vector<uint32_t>& frames, std::string_view function, std::string_view module) {
    if (function.empty() && module.empty()) return;
    frames.push_back(trace_.frames.intern(trace_.strings.intern(function), trace_.strings.intern(module), 0));
  }

  sqlite::Database& database_;
  Strings& strings_;
  Trace& trace_;
  std::vector<Call> calls_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> numbers_;
  std::map<int64_t, std::vector<std::tuple<int64_t, int64_t, int64_t>>> backtraces_;
};

}  // namespace

std::vector<uint32_t> callersOf(const MemoryEvents& events, sqlite::Database& database, Strings& strings,
                                Trace& trace) {
  return Callers(database, strings, trace).of(events);
}

}  // namespace strata::nsight

#include "capture/nsight/ranges.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "capture/text.h"

namespace strata::nsight {
namespace {

struct Range {
  int64_t begin = 0, end = 0;
  int64_t thread = 0;
  int64_t textId = -1;
  uint32_t name = kNone;
  bool hasEnd = true;
};

class Ranges {
 public:
  Ranges(int64_t from, int64_t to) : from_(from), to_(to) {}

  void read(sqlite::Database& database, const sqlite::Table& table, const EnumNames& names, Trace& trace) {
    constexpr std::string_view kColumns[] = {"start", "end", "eventType", "globalTid", "text", "textId"};
    database.scan(table, kColumns, [&](int64_t, std::span<const sqlite::Value> row) {
      if (!names.isRange(row[2].integerOr(-1)) || !row[0].isInteger()) return;
      Range range;
      range.begin = row[0].integer;
      range.hasEnd = row[1].isInteger();
      range.end = std::max(range.begin, row[1].integerOr(to_));
      if (range.end < from_ || range.begin > to_) return;
      if (ranges_.size() == kMostRanges) {
        ++left_;
        return;
      }
      range.thread = row[3].integerOr(0);
      range.textId = row[5].integerOr(-1);
      if (row[4].isText())
        range.name = trace.strings.intern(repairUtf8(row[4].bytes.substr(0, Strings::kMostLetters)));
      ranges_.push_back(range);
    });
  }

  void name(Strings& strings, Trace& trace) {
    std::unordered_set<int64_t> wanted;
    for (const Range& range : ranges_) {
      if (range.name == kNone) wanted.insert(range.textId);
    }
    const auto texts = strings.at(wanted);
    for (Range& range : ranges_) {
      if (range.name != kNone) continue;
      const auto found = texts.find(range.textId);
      range.name = trace.strings.intern(found == texts.end() ? std::string_view() : found->second);
    }
  }

  /// Ranges of a thread lie one inside the other; a range that contains another comes first.
  void annotate(int device, Trace& trace) {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) {
      return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
    });
    std::vector<const Range*> open;
    for (const Range& range : ranges_) {
      while (!open.empty() && (open.back()->thread != range.thread || open.back()->end <= range.begin))
        open.pop_back();
      const auto depth = static_cast<uint16_t>(std::min<size_t>(open.size(), 0xffff));
      if (open.size() < kDeepest) open.push_back(&range);
      const bool hasBegin = range.begin >= from_;
      trace.annotations.push_back({range.name, device, hasBegin ? range.begin - from_ : 0, range.end - from_,
                                   depth, hasBegin, range.hasEnd});
    }
  }

  void warn(Trace& trace) const {
    if (left_ == 0) return;
    trace.warnings.push_back({"nsight-many-ranges",
                              "This export has " + grouped(ranges_.size() + left_) +
                                  " NVTX ranges; the first " + grouped(ranges_.size()) + " are shown.",
                              -1, false});
  }

 private:
  static constexpr size_t kDeepest = 256;

  int64_t from_, to_;
  std::vector<Range> ranges_;
  uint64_t left_ = 0;
};

}  // namespace

void annotateRanges(sqlite::Database& database, const EnumNames& names, Strings& strings, int64_t from,
                    int64_t to, Trace& trace) {
  const sqlite::Table* table = database.find("NVTX_EVENTS");
  if (table == nullptr) return;
  Ranges ranges(from, to);
  ranges.read(database, *table, names, trace);
  ranges.name(strings, trace);
  std::set<int> ordinals;
  for (const Device& device : trace.devices) {
    if (ordinals.insert(device.ordinal).second) ranges.annotate(device.ordinal, trace);
  }
  ranges.warn(trace);
}

}  // namespace strata::nsight

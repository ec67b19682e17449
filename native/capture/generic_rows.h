#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "capture/generic_row.h"
#include "capture/numbered_lines.h"
#include "capture/placed_blocks.h"
#include "capture/running_totals.h"
#include "capture/span_annotations.h"
#include "trace/trace.h"

namespace strata {

/// The lines of Strata's own format (GENERIC.md), taken one after the other, on their way to a trace. A copy
/// can be finished while the original goes on, which is how a trace grows while its program runs.
class GenericRows {
 public:
  /// A growing one has no end yet: a missing end is not said.
  explicit GenericRows(bool isGrowing = false) : isGrowing_(isGrowing) {}

  /// isEnded: false for a last line without a line end, which may be half of one.
  void take(std::string_view line, const TextPlace& place, bool isEnded);

  /// A row that was read as JSON, by another way than line by line.
  void take(const GenericValues& values, const TextPlace& place);
  /// The text breaks off, or is no JSON any more, at a place.
  void breakOff(const TextPlace& place, bool isDamage);

  /// Rows that could be used, whatever they say.
  uint64_t rows() const { return usable_; }
  /// Of the trace, so without what was there before the first of them.
  uint64_t events() const;
  /// Blocks that were there before.
  uint64_t held() const { return held_; }
  /// Rows that could not be read.
  const TextOddity& unreadable() const { return unreadable_; }
  /// Events that the producer says are missing, as far as their number is known.
  uint64_t dropped() const { return dropped_; }
  uint64_t gaps() const { return gaps_.count; }

  /// Nothing may be taken afterwards. Errors: CaptureError when no row could be read.
  Trace finish();

 private:
  struct DeviceRows {
    PlacedBlocks placed;
    RunningTotals totals;
    SpanAnnotations spans;
    std::vector<uint32_t> openGaps;  ///< names of those that the next event ends

    EventIndex lastEvent() const { return placed.eventCount() + totals.eventCount() - 1; }
    /// Of no row that could be used.
    bool isEmpty() const { return placed.isEmpty() && totals.eventCount() == 0; }
  };

  void takeComment(std::string_view line);
  void takeCsv(std::string_view line);
  void takeJson(std::string_view line);
  void take(const std::optional<GenericRow>& row);
  bool canPlace(const GenericRow& row);
  void add(const GenericRow& row);
  void addGap(const GenericRow& row);
  void closeGaps(DeviceRows& rows);
  void place(DeviceRows& rows, const GenericRow& row);
  void hold(DeviceRows& rows, const EventRows::Entry& entry, const GenericRow& row);
  void free(DeviceRows& rows, EventRows::Entry entry, GenericAction action);
  void allocate(DeviceRows& rows, const EventRows::Entry& entry, const GenericRow& row);
  EventIndex note(DeviceRows& rows, const EventRows::Entry& entry);
  void annotate(DeviceRows& rows, EventRows::Entry entry, GenericAction action);
  uint32_t stackOf(std::string_view text);
  uint32_t frameOf(std::string_view text);
  [[noreturn]] void refuse() const;
  void warn(uint64_t backwards);
  void warnOfRecording();

  bool isGrowing_;
  bool hasHeader_ = false, isJson_ = false;
  TextPlace place_;
  bool isEnded_ = true;
  uint64_t usable_ = 0, held_ = 0;
  Trace trace_;
  GenericHeader header_;
  CsvFields fields_;
  std::deque<std::string> storage_;
  std::map<std::pair<DeviceKind, int>, DeviceRows> devices_;
  std::optional<bool> hasAddresses_;
  bool isSinceEpoch_ = false, isCutOff_ = false, isDamaged_ = false;
  bool isRecordedLive_ = false, hasEnd_ = false, areSizesEstimated_ = false;
  uint64_t dropped_ = 0;
  TextOddity unreadable_, requestedTooLarge_, unopened_, gaps_;
  std::string lastStackText_;
  uint32_t lastStack_ = kNone;
  std::vector<uint32_t> frames_;
};

}  // namespace strata

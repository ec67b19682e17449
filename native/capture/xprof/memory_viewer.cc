#include "capture/xprof/memory_viewer.h"

#include <algorithm>
#include <limits>
#include <string>

#include "capture/active_peak.h"
#include "capture/capture.h"
#include "capture/chrome_event.h"
#include "capture/placed_blocks.h"
#include "capture/stated_totals.h"
#include "capture/text.h"
#include "capture/xprof/memory_viewer_json.h"
#include "capture/xprof/proto_json.h"

namespace strata::xprof {
namespace {

/// The first allocation is drawn here, those that last each at a multiple of it.
constexpr uint64_t kSpacing = uint64_t{2} << 20;

constexpr char kHowToDump[] =
    "Open the program itself, which XLA writes with XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_proto\", "
    "the file "
    "that ends in .after_optimizations.hlo.pb.";

class MemoryViewerReader {
 public:
  MemoryViewerReader(std::span<const uint8_t> bytes, const Progress& progress)
      : viewer_(readMemoryViewerJson(bytes, progress)) {}

  Trace run() {
    trace_.format = "xla-memory-viewer";
    trace_.producer = "XLA (memory viewer)";
    if (!viewer_.module.empty()) trace_.settings.emplace_back("module", unescaped(viewer_.module));
    if (!viewer_.entry.empty()) trace_.settings.emplace_back("entry_computation", unescaped(viewer_.entry));
    for (const auto& [name, bytes] : viewer_.totals) {
      if (bytes > 0) trace_.settings.emplace_back(name, std::to_string(bytes));
    }
    countSteps();
    if (!findContainers())
      stateTotals();
    else
      placeBlocks();
    warn();
    return std::move(trace_);
  }

 private:
  using Entry = EventRows::Entry;

  /// Allocations with an offset, sorted by it; those that reach into one before them are none.
  bool findContainers() {
    for (const BufferBlock& block : viewer_.blocks) {
      if (block.buffer < 0 && block.bytes > 0 && isPossible(block)) containers_.push_back(&block);
    }
    std::sort(containers_.begin(), containers_.end(), [](const BufferBlock* one, const BufferBlock* other) {
      return one->offset != other->offset ? one->offset < other->offset : one->bytes > other->bytes;
    });
    uint64_t end = 0;
    std::erase_if(containers_, [&](const BufferBlock* block) {
      if (block->offset < end) return true;
      end = block->offset + block->bytes;
      return false;
    });
    return !containers_.empty();
  }

  /// The tool ends what is never freed at the last step, even what begins there.
  bool isPossible(const BufferBlock& block) const {
    return block.offset < kMostBytes && block.bytes < kMostBytes && block.startStep >= 0 &&
           (block.startStep < block.endStep ||
            (block.startStep == block.endStep && block.endStep == steps_ - 1));
  }

  bool isInContainer(const BufferBlock& block) const {
    const auto after = std::upper_bound(
        containers_.begin(), containers_.end(), block.offset,
        [](uint64_t offset, const BufferBlock* container) { return offset < container->offset; });
    if (after == containers_.begin()) return false;
    const BufferBlock& container = **std::prev(after);
    return block.offset + block.bytes <= container.offset + container.bytes;
  }

  void placeBlocks() {
    uint64_t address = kSpacing;
    for (const BufferBlock* container : containers_) {
      takeSegment(kSpacing + container->offset, container->bytes);
      address = kSpacing + container->offset + container->bytes;
    }
    for (const LastingAllocation& lasting : viewer_.lasting) {
      address = (address / kSpacing + 1) * kSpacing;
      if (lasting.bytes == 0 || address > kMostBytes) continue;
      takeSegment(address, lasting.bytes);
      fills_.push_back({&lasting, address});
      address += lasting.bytes;
    }
    for (const auto& [lasting, at] : fills_) fill(*lasting, at);
    playSteps();
    Device& device = addDevice();
    placed_.finish(device);
    const EventIndex peak = firstOfMostActive(device);
    if (peak != kBeforeFirst) device.peak = peak;
    warnOfPlacement(placed_.oddities(), trace_);
    compareHeap(device);
  }

  void takeSegment(uint64_t address, uint64_t bytes) {
    Entry entry;
    entry.action = Action::SegmentAlloc;
    entry.address = address;
    entry.bytes = bytes;
    placed_.takeSegment(entry, Region::Pooled, {});
  }

  void fill(const LastingAllocation& lasting, uint64_t address) {
    Entry entry;
    entry.action = Action::Alloc;
    entry.address = address;
    entry.bytes = lasting.bytes;
    if (!lasting.instruction.empty()) entry.stack = stackOf({lasting.instruction, {}, {}, 0}, {});
    if (!lasting.attribute.empty()) entry.label = trace_.strings.intern(unescaped(lasting.attribute));
    placed_.allocate(entry, entry.bytes, {});
  }

  /// Buffers in the order in which they end, and in which they begin.
  void playSteps() {
    std::vector<const BufferBlock*> starts, ends;
    for (const BufferBlock& block : viewer_.blocks) {
      if (block.buffer < 0 || block.bytes == 0) continue;
      if (!isPossible(block) || !isInContainer(block)) {
        ++unplaced_;
        continue;
      }
      starts.push_back(&block);
    }
    ends = starts;
    const auto byStart = [](auto* one, auto* other) { return one->startStep < other->startStep; };
    const auto byEnd = [](auto* one, auto* other) { return one->endStep < other->endStep; };
    std::stable_sort(starts.begin(), starts.end(), byStart);
    std::stable_sort(ends.begin(), ends.end(), byEnd);
    std::erase_if(ends, [&](const BufferBlock* block) { return !isFreed(*block); });
    first_ = placed_.eventCount();
    size_t nextStart = 0, nextEnd = 0;
    for (int64_t step = 0; step < steps_ || nextStart < starts.size() || nextEnd < ends.size(); ++step) {
      if (step >= steps_) step = std::max(step, nextStep(starts, nextStart, ends, nextEnd));
      const EventIndex before = placed_.eventCount();
      for (; nextEnd < ends.size() && ends[nextEnd]->endStep <= step; ++nextEnd)
        play(*ends[nextEnd], step, true);
      for (; nextStart < starts.size() && starts[nextStart]->startStep <= step; ++nextStart)
        play(*starts[nextStart], step, false);
      if (placed_.eventCount() == before) noteStep(step);
    }
  }

  /// Sizes and names are those before each step, and one more of each after the last.
  void countSteps() {
    const size_t moments = std::max(viewer_.heap.size(), viewer_.steps.size());
    steps_ = moments < 2 ? 0 : static_cast<int64_t>(moments) - 1;
  }

  /// Where no step is known any more, the next at which a buffer ends or begins.
  static int64_t nextStep(const std::vector<const BufferBlock*>& starts, size_t nextStart,
                          const std::vector<const BufferBlock*>& ends, size_t nextEnd) {
    int64_t step = std::numeric_limits<int64_t>::max();
    if (nextStart < starts.size()) step = starts[nextStart]->startStep;
    if (nextEnd < ends.size()) step = std::min(step, ends[nextEnd]->endStep);
    return step;
  }

  /// The tool ends at the last step what is never freed; the heap after it tells them apart.
  bool isFreed(const BufferBlock& block) {
    if (steps_ == 0 || block.endStep < steps_ - 1) return true;
    if (block.endStep >= steps_ || isLastFreed_ || viewer_.heap.size() < 2) return false;
    const uint64_t before = viewer_.heap[viewer_.heap.size() - 2], after = viewer_.heap.back();
    isLastFreed_ = after < before && before - after == block.bytes;
    return isLastFreed_;
  }

  void play(const BufferBlock& block, int64_t step, bool isFree) {
    Entry entry;
    entry.action = isFree ? Action::Free : Action::Alloc;
    entry.address = kSpacing + block.offset;
    entry.bytes = block.bytes;
    if (isFree) {
      entry.label = labelOfStep(step);
      return placed_.free(entry, {});
    }
    entry.stack = stackOf(block.origin, block.shape);
    entry.label = labelOfBuffer(block);
    placed_.allocate(entry, entry.bytes, {});
  }

  void noteStep(int64_t step) {
    Entry entry;
    entry.label = labelOfStep(step);
    placed_.note(entry);
  }

  uint32_t labelOfStep(int64_t step) {
    const auto at = static_cast<size_t>(step);
    if (at >= viewer_.steps.size() || viewer_.steps[at].empty()) return kNone;
    return trace_.strings.intern(unescaped(viewer_.steps[at]));
  }

  /// "f32[128,256]{1,0}, Temporary"
  uint32_t labelOfBuffer(const BufferBlock& block) {
    std::string label = unescaped(block.shape);
    if (!block.category.empty()) label += (label.empty() ? "" : ", ") + unescaped(block.category);
    return label.empty() ? kNone : trace_.strings.intern(label);
  }

  /// The instruction, at the line of the program that it came from, within the operation of the framework.
  uint32_t stackOf(const BufferOrigin& origin, std::string_view otherwise) {
    const std::string_view name = origin.instruction.empty() ? otherwise : origin.instruction;
    if (name.empty()) return kNone;
    std::vector<uint32_t> frames{frameOf(name, origin.file, origin.line)};
    if (!origin.operation.empty()) frames.push_back(frameOf(origin.operation, "", 0));
    return trace_.stacks.intern(frames);
  }

  uint32_t frameOf(std::string_view name, std::string_view file, int64_t line) {
    return trace_.frames.intern(trace_.strings.intern(unescaped(name)),
                                trace_.strings.intern(unescaped(file)),
                                static_cast<int32_t>(std::clamp<int64_t>(line, 0, INT32_MAX)));
  }

  /// The tool's own totals must be those of the blocks.
  void compareHeap(const Device& device) {
    const auto steps = static_cast<size_t>(steps_);
    const bool isOneEach = device.events.count() == static_cast<size_t>(first_) + steps;
    if (viewer_.isBroken || !isOneEach || viewer_.heap.size() != steps + 1) return;
    std::vector<uint64_t> changes(device.events.count() + 1, 0);
    const BlockColumns& blocks = device.blocks;
    for (size_t row = 0; row < blocks.count(); ++row) {
      changes[static_cast<size_t>(blocks.birth[row] + 1)] += blocks.bytes[row];
      if (blocks.death[row] != kNever)
        changes[static_cast<size_t>(blocks.death[row] + 1)] -= blocks.bytes[row];
    }
    uint64_t active = 0;
    for (size_t event = 0; event < changes.size(); ++event) {
      active += changes[event];
      if (event < static_cast<size_t>(first_) || viewer_.heap[event - static_cast<size_t>(first_)] == active)
        continue;
      const size_t step = event - static_cast<size_t>(first_);
      trace_.warnings.push_back({"memory-viewer-heap",
                                 "Before step " + grouped(step) + " the tool counts " +
                                     grouped(viewer_.heap[step]) +
                                     " bytes, and the buffers that it places take " + grouped(active) + ".",
                                 -1, false});
      return;
    }
  }

  /// Without offsets, heap sizes are all there is; without those, the peak.
  void stateTotals() {
    StatedTotals totals;
    uint64_t atPeak = 0;
    for (const HeapObject& object : viewer_.peakObjects) atPeak = std::min(kMostBytes, atPeak + object.bytes);
    const std::vector<uint64_t>& heap = viewer_.heap;
    if (heap.empty() && atPeak == 0) refuse();
    if (heap.size() < 2) {
      totals.startWith(std::max(atPeak, heap.empty() ? 0 : heap.front()));
      own(totals);
    } else {
      totals.startWith(heap.front());
      for (size_t step = 0; step + 1 < heap.size(); ++step) {
        Entry entry;
        entry.action = heap[step + 1] > heap[step]   ? Action::Alloc
                       : heap[step + 1] < heap[step] ? Action::Free
                                                     : Action::Other;
        entry.bytes = std::max(heap[step], heap[step + 1]) - std::min(heap[step], heap[step + 1]);
        entry.label = labelOfStep(static_cast<int64_t>(step));
        totals.state(entry, heap[step + 1]);
        if (static_cast<int64_t>(step) == viewer_.peakStep) own(totals);
      }
    }
    totals.finish(addDevice());
    trace_.warnings.push_back(
        {"no-addresses",
         std::string("This result of the memory viewer has no offsets: the total of each step is "
                     "known, and what is alive at the peak, not where it lies. ") +
             kHowToDump,
         -1, false});
  }

  void own(StatedTotals& totals) {
    if (viewer_.peakObjects.empty()) return;
    std::vector<StatedTotals::Owner> owners;
    for (const HeapObject& object : viewer_.peakObjects)
      owners.push_back({object.bytes, 1, stackOf(object.origin, object.label)});
    if (totals.own(owners)) return;
    trace_.warnings.push_back({"memory-viewer-peak",
                               "The buffers at the peak do not add up to the heap there, " +
                                   grouped(totals.total()) +
                                   " bytes: what holds memory at the peak is not shown.",
                               -1, false});
  }

  Device& addDevice() {
    Device& device = trace_.devices.emplace_back();
    device.kind = DeviceKind::Unknown;
    return device;
  }

  [[noreturn]] void refuse() const {
    if (viewer_.isBroken) {
      const bool isEnd = viewer_.brokenBecause.empty();
      throw CaptureError(isEnd ? "capture-truncated" : "capture-damaged",
                         "This result of the memory viewer breaks off at byte " + grouped(viewer_.brokenAt) +
                             (isEnd ? "" : " (it " + viewer_.brokenBecause + ")") + ", before any buffer.",
                         "Copy it again from where it was written.", static_cast<int64_t>(viewer_.brokenAt));
    }
    throw CaptureError("memory-viewer-empty", "This result of the memory viewer names no buffer.", kHowToDump,
                       0);
  }

  void warn() {
    if (viewer_.isBroken) {
      trace_.isComplete = false;
      const bool isEnd = viewer_.brokenBecause.empty();
      trace_.warnings.push_back({isEnd ? "capture-truncated" : "capture-damaged",
                                 "The file breaks off at byte " + grouped(viewer_.brokenAt) +
                                     (isEnd ? "" : " (it " + viewer_.brokenBecause + ")") +
                                     "; what comes before is shown.",
                                 static_cast<int64_t>(viewer_.brokenAt), true});
    }
    if (viewer_.impossible > 0) {
      trace_.warnings.push_back({"row-unreadable",
                                 "Taken as nothing, because they are no number of bytes: " +
                                     counted(viewer_.impossible, "size", "sizes") + ".",
                                 static_cast<int64_t>(viewer_.firstImpossible), true});
    }
    if (unplaced_ > 0) {
      trace_.warnings.push_back({"memory-viewer-unplaced",
                                 counted(unplaced_, "buffer has", "buffers have") +
                                     " no place inside an allocation and is left out.",
                                 -1, true});
    }
  }

  struct Fill {
    const LastingAllocation* lasting;
    uint64_t address;
  };

  MemoryViewer viewer_;
  Trace trace_;
  PlacedBlocks placed_;
  std::vector<const BufferBlock*> containers_;
  std::vector<Fill> fills_;
  EventIndex first_ = 0;  ///< the event of step 0
  int64_t steps_ = 0;
  bool isLastFreed_ = false;  ///< a buffer was found that the last step frees
  uint64_t unplaced_ = 0;
};

}  // namespace

Trace readMemoryViewer(std::span<const uint8_t> bytes, const Progress& progress) {
  return MemoryViewerReader(bytes, progress).run();
}

}  // namespace strata::xprof

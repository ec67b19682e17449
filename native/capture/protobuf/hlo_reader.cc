#include "capture/protobuf/hlo_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "capture/active_peak.h"
#include "capture/capture.h"
#include "capture/placed_blocks.h"
#include "capture/possible_memory.h"
#include "capture/protobuf/cut_off.h"
#include "capture/protobuf/hlo_order.h"
#include "capture/text.h"
#include "capture/text_warnings.h"

namespace strata::protobuf {
namespace {

/// Allocations are drawn one behind the other from here, each at a multiple of it.
constexpr uint64_t kSpacing = uint64_t{2} << 20;

class HloReader {
 public:
  HloReader(std::span<const uint8_t> bytes, const Progress& progress)
      : bytes_(reinterpret_cast<const char*>(bytes.data()), bytes.size()), progress_(progress) {}

  Trace run() {
    breathe(0);
    module_ = readHloModule(bytes_);
    if (!module_.hasAssignment || module_.allocations.empty()) refuse();
    for (HeapTrace& trace : module_.heapTraces) {
      if (trace.isCut) findAllocation(trace);
    }
    for (const HeapTrace& trace : module_.heapTraces) simulated_.insert(trace.allocation);
    layOut();
    for (const OrderedHeapEvent& next : programOrder(module_.heapTraces)) play(next);
    finish();
    return std::move(trace_);
  }

 private:
  struct Allocation {
    const BufferAllocation* read;
    uint64_t address;
  };

  void breathe(uint64_t done) {
    if (progress_ && !progress_("read", done, bytes_.size(), events_)) throw Cancelled();
  }

  [[noreturn]] void refuse() const {
    if (module_.isDamaged) throw cutOffBefore("its buffer assignment", module_.damagedAt);
    throw CaptureError(
        "hlo-no-assignment",
        "This is an XLA module without a buffer assignment: nothing says where its buffers lie.",
        "Dump it after optimisation, with XLA_FLAGS=\"--xla_dump_to=DIR --xla_dump_hlo_as_proto\", and open "
        "the "
        "file that ends in .after_optimizations.hlo.pb.",
        0);
  }

  /// A heap trace names its allocation behind its events: of one that is cut off, the buffers tell.
  void findAllocation(HeapTrace& trace) const {
    std::unordered_map<uint64_t, uint64_t> allocationOf;
    for (const BufferAllocation& allocation : module_.allocations) {
      for (const AssignedBuffer& assigned : allocation.assigned)
        allocationOf.emplace(assigned.buffer, allocation.index);
    }
    for (const HeapEvent& event : trace.events) {
      const auto found = allocationOf.find(event.buffer);
      if (event.kind != HeapEvent::Kind::Allocate || found == allocationOf.end()) continue;
      trace.allocation = found->second;
      return;
    }
  }

  /// Takes every allocation as a segment; what no heap was simulated for is in use from start to end.
  void layOut() {
    uint64_t address = kSpacing;
    for (const BufferAllocation& allocation : module_.allocations) {
      if (allocation.isThreadLocal) {
        ++threadLocal_;
        continue;
      }
      if (!isPossibleExtent(address, allocation.bytes)) {
        ++impossible_;
        continue;
      }
      allocations_.emplace(allocation.index, Allocation{&allocation, address});
      takeSegment(allocation, address);
      address += (allocation.bytes / kSpacing + 1) * kSpacing;
    }
    for (const auto& [index, allocation] : allocations_) {
      if (!simulated_.contains(index)) fill(allocation);
    }
  }

  void takeSegment(const BufferAllocation& allocation, uint64_t address) {
    EventRows::Entry entry;
    entry.action = Action::SegmentAlloc;
    entry.address = address;
    entry.bytes = allocation.bytes;
    blocksOf(allocation.memorySpace).takeSegment(entry, Region::Pooled, {});
    ++events_;
  }

  /// One block for the whole allocation: within it, nothing says which buffer is there when.
  void fill(const Allocation& allocation) {
    const BufferAllocation& read = *allocation.read;
    const auto largest =
        std::max_element(read.assigned.begin(), read.assigned.end(),
                         [](const AssignedBuffer& a, const AssignedBuffer& b) { return a.bytes < b.bytes; });
    EventRows::Entry entry;
    entry.action = Action::Alloc;
    entry.address = allocation.address;
    entry.bytes = read.bytes;
    if (largest != read.assigned.end()) entry.stack = stackOf(largest->buffer);
    entry.label = trace_.strings.intern(purposeOf(read));
    blocksOf(read.memorySpace).allocate(entry, entry.bytes, {});
    ++events_;
  }

  static std::string purposeOf(const BufferAllocation& allocation) {
    if (allocation.isParameter) return "parameter " + std::to_string(allocation.parameter);
    if (allocation.isConstant) return "constant";
    if (allocation.isLiveOut) return "result";
    if (allocation.isCut) return "not known";  // what would say so is behind the cut
    return allocation.isTuple ? "tuple" : "temporary";
  }

  void play(const OrderedHeapEvent& next) {
    const HeapEvent& event = *next.event;
    if (++events_ % 4096 == 0) breathe(bytes_.size());
    switch (event.kind) {
      case HeapEvent::Kind::Allocate:
        return allocate(next.trace->allocation, event);
      case HeapEvent::Kind::Share:
        return share(event);
      case HeapEvent::Kind::Free:
        return release(event);
    }
  }

  void allocate(uint64_t allocationIndex, const HeapEvent& event) {
    const auto allocation = allocations_.find(allocationIndex);
    const AssignedBuffer* assigned =
        allocation == allocations_.end() ? nullptr : assignmentOf(*allocation->second.read, event.buffer);
    if (assigned == nullptr) {
      ++unplaced_;
      return;
    }
    Live live;
    live.address = allocation->second.address + assigned->offset;
    live.bytes = assigned->bytes;
    live.memorySpace = allocation->second.read->memorySpace;
    live_[event.buffer] = live;
    EventRows::Entry entry;
    entry.action = Action::Alloc;
    entry.address = live.address;
    entry.bytes = live.bytes;
    entry.stack = stackOf(event.buffer);
    blocksOf(live.memorySpace).allocate(entry, entry.bytes, {});
  }

  /// The place of a buffer in its allocation; looked up in an index made when first asked for.
  const AssignedBuffer* assignmentOf(const BufferAllocation& allocation, uint64_t buffer) {
    auto& index = assignments_[allocation.index];
    if (index.empty()) {
      for (const AssignedBuffer& assigned : allocation.assigned) {
        const bool isInside =
            assigned.offset <= allocation.bytes && assigned.bytes <= allocation.bytes - assigned.offset;
        if (isInside) index.emplace(assigned.buffer, &assigned);
      }
    }
    const auto found = index.find(buffer);
    return found == index.end() ? nullptr : found->second;
  }

  /// A buffer that shares keeps the canonical one's memory until both are freed.
  void share(const HeapEvent& event) {
    const uint64_t canonical = canonicalOf(event.sharedWith);
    const auto found = live_.find(canonical);
    if (found == live_.end()) return;
    ++found->second.uses;
    sharing_[event.buffer] = canonical;
  }

  uint64_t canonicalOf(uint64_t buffer) const {
    const auto shared = sharing_.find(buffer);
    return shared == sharing_.end() ? buffer : shared->second;
  }

  void release(const HeapEvent& event) {
    const uint64_t buffer = canonicalOf(event.buffer);
    sharing_.erase(event.buffer);
    const auto found = live_.find(buffer);
    if (found == live_.end() || --found->second.uses > 0) return;
    EventRows::Entry entry;
    entry.action = Action::Free;
    entry.address = found->second.address;
    entry.bytes = found->second.bytes;
    blocksOf(found->second.memorySpace).free(entry, {});
    live_.erase(found);
  }

  /// The instruction, at the line of the program that it came from, within the operation of the framework.
  uint32_t stackOf(uint64_t bufferId) {
    const auto buffer = module_.buffers.find(bufferId);
    if (buffer == module_.buffers.end()) return kNone;
    uint64_t id = buffer->second.instructionId;
    const auto named = module_.byName.find(buffer->second.instructionName);
    if (id == 0 && named != module_.byName.end()) id = named->second;
    const auto found = module_.instructions.find(id);
    if (found == module_.instructions.end()) return kNone;
    const HloInstruction& instruction = found->second;
    std::vector<uint32_t> frames{frameOf(instruction.name, instruction.sourceFile, instruction.sourceLine)};
    if (!instruction.opName.empty()) frames.push_back(frameOf(instruction.opName, "", 0));
    return trace_.stacks.intern(frames);
  }

  uint32_t frameOf(std::string_view name, std::string_view file, int32_t line) {
    return trace_.frames.intern(trace_.strings.intern(repairUtf8(name)),
                                trace_.strings.intern(repairUtf8(file)), line);
  }

  PlacedBlocks& blocksOf(int64_t memorySpace) { return spaces_[memorySpace]; }

  void finish() {
    trace_.format = "xla-hlo";
    trace_.producer = "XLA (HloProto)";
    trace_.settings.emplace_back("module", repairUtf8(module_.name));
    for (auto& [memorySpace, blocks] : spaces_) {
      Device& device = trace_.devices.emplace_back();
      device.ordinal = static_cast<int>(std::clamp<int64_t>(memorySpace, 0, 1 << 20));
      device.kind = DeviceKind::Unknown;
      device.allocator = "memory space " + std::to_string(memorySpace);
      blocks.finish(device);
      const EventIndex peak = firstOfMostActive(device);
      if (peak != kBeforeFirst) device.peak = peak;
      warnOfPlacement(blocks.oddities(), trace_);
    }
    warn();
  }

  void warn() {
    const auto add = [&](const char* code, uint64_t count, const char* one, const char* many, bool isDamage) {
      warnOfOddity(trace_, {count, {}}, code, one, many, isDamage);
    };
    add("hlo-thread-local", threadLocal_, "allocation of a thread of its own is left out.",
        "allocations of threads of their own are left out.", false);
    add("hlo-impossible", impossible_, "allocation is larger than any memory, and is left out.",
        "allocations are larger than any memory, and are left out.", true);
    add("hlo-unplaced", unplaced_, "buffer has no place inside its allocation, and is left out.",
        "buffers have no place inside their allocations, and are left out.", true);
    if (module_.heapTraces.empty()) {
      trace_.warnings.push_back(
          {"hlo-no-heap-trace",
           "The module holds no heap simulator trace: allocations are shown whole, from start "
           "to end.",
           -1, false});
    }
    if (!module_.isDamaged) return;
    trace_.isComplete = false;
    trace_.warnings.push_back({"capture-truncated",
                               "The module breaks off at byte " + grouped(module_.damagedAt) +
                                   "; the buffers and the steps of the program before it are shown.",
                               static_cast<int64_t>(module_.damagedAt), true});
  }

  struct Live {
    uint64_t address = 0;
    uint64_t bytes = 0;
    int64_t memorySpace = 0;
    uint32_t uses = 1;
  };

  std::string_view bytes_;
  const Progress& progress_;
  HloModule module_;
  Trace trace_;
  std::set<uint64_t> simulated_;                ///< allocations that have a heap trace
  std::map<uint64_t, Allocation> allocations_;  ///< by index
  std::unordered_map<uint64_t, std::unordered_map<uint64_t, const AssignedBuffer*>> assignments_;
  std::unordered_map<uint64_t, Live> live_;         ///< by buffer id
  std::unordered_map<uint64_t, uint64_t> sharing_;  ///< buffer -> the one whose memory it shares
  std::map<int64_t, PlacedBlocks> spaces_;
  uint64_t events_ = 0;
  uint64_t threadLocal_ = 0, impossible_ = 0, unplaced_ = 0;
};

}  // namespace

Trace readHlo(std::span<const uint8_t> bytes, const Progress& progress) {
  return HloReader(bytes, progress).run();
}

}  // namespace strata::protobuf

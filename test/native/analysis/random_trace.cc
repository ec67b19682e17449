#include "analysis/random_trace.h"

#include <algorithm>

namespace strata::test {

namespace {

class Maker {
 public:
  Maker(uint32_t seed, const RandomTraceOptions& options) : random_(seed), options_(options) {}

  Trace make() {
    makeStacks();
    trace_.devices.emplace_back();
    device_ = &trace_.devices[0];
    device_->hasHistory = true;
    device_->streams = {0};
    device_->pools = {{0, 0}};
    now_ = kBeforeFirst;
    for (int i = 0; i < options_.before; ++i) step();
    for (now_ = 0; now_ < options_.events; ++now_) {
      row_ = kNone;
      action_ = Action::Other;
      step();
      while (chance(15)) step();
      addEvent();
    }
    return std::move(trace_);
  }

 private:
  uint32_t below(uint64_t bound) { return static_cast<uint32_t>(random_() % bound); }
  bool chance(int percent) { return below(100) < static_cast<uint32_t>(percent); }

  void makeStacks() {
    trace_.hasClock = options_.hasClock;
    const uint32_t library = trace_.strings.intern("/x/site-packages/torch/nn/functional.py");
    for (int i = 0; i < 14; ++i) {
      const uint32_t file = trace_.strings.intern("/home/me/file" + std::to_string(i) + ".py");
      const uint32_t name = trace_.strings.intern("function" + std::to_string(i));
      const uint32_t inner = trace_.frames.intern(trace_.strings.intern("linear"), library, i % 3);
      const uint32_t outer = trace_.frames.intern(name, file, i * 10);
      const uint32_t stack[] = {inner, outer};
      trace_.stacks.intern(stack);
    }
  }

  void step() {
    const uint32_t choice = below(100);
    const auto live = static_cast<int>(liveBlocks_.size());
    if (liveSegments_.empty() || choice < 4) return addSegment();
    if (choice < 8) return addPiece();
    if (choice < 11) return removeSegment();
    if (choice < 15) return unmapPart();
    if (choice < 18) return;  // changes nothing
    if (live < 2 || (choice < 60 && live < options_.liveBlocks)) return addBlock();
    choice % 3 == 0 ? requestFree() : removeBlock();
  }

  uint32_t newSegment(uint64_t address, uint64_t bytes, uint32_t range, Region region, bool isExpandable) {
    SegmentColumns& segments = device_->segments;
    const auto row = static_cast<uint32_t>(segments.count());
    segments.address.push_back(address);
    segments.bytes.push_back(bytes);
    segments.birth.push_back(now_);
    segments.death.push_back(kNever);
    segments.stack.push_back(kNone);
    segments.range.push_back(range == kNone ? row : range);
    segments.region.push_back(region);
    segments.stream.push_back(0);
    segments.pool.push_back(0);
    segments.isLarge.push_back(1);
    segments.isExpandable.push_back(isExpandable);
    liveSegments_.push_back(row);
    row_ = row;
    return row;
  }

  bool isTaken(uint64_t from, uint64_t to) const {
    return std::any_of(liveSegments_.begin(), liveSegments_.end(), [&](uint32_t row) {
      return device_->segments.address[row] < to &&
             from < device_->segments.address[row] + device_->segments.bytes[row];
    });
  }

  void addSegment() {
    // Few places, so that segments touch and addresses are used again.
    const uint64_t address = (100 + below(24) * 40) * options_.unit,
                   bytes = (20 + below(3) * 10) * options_.unit;
    if (isTaken(address, address + bytes)) return;
    action_ = Action::SegmentAlloc;
    newSegment(address, bytes, kNone, static_cast<Region>(below(2)), false);
  }

  void addPiece() {
    // Two ranges far away, in granules; the rows that name them are their first
    // pieces.
    const uint32_t which = below(2);
    const uint64_t bytes = 40 * options_.unit;
    const uint64_t address = (10000 + which * 2000) * options_.unit + below(10) * bytes;
    if (isTaken(address, address + bytes)) return;
    action_ = Action::SegmentMap;
    const uint32_t row = newSegment(address, bytes, ranges_[which], Region::Virtual, true);
    if (ranges_[which] == kNone) ranges_[which] = row;
  }

  bool isFree(uint64_t from, uint64_t to) const {
    return std::none_of(liveBlocks_.begin(), liveBlocks_.end(), [&](uint32_t row) {
      return device_->blocks.address[row] < to &&
             from < device_->blocks.address[row] + device_->blocks.bytes[row];
    });
  }

  void endSegment(size_t place) {
    device_->segments.death[liveSegments_[place]] = now_;
    row_ = liveSegments_[place];
    liveSegments_.erase(liveSegments_.begin() + static_cast<ptrdiff_t>(place));
  }

  void removeSegment() {
    const size_t place = below(liveSegments_.size());
    const uint32_t row = liveSegments_[place];
    const uint64_t from = device_->segments.address[row];
    if (device_->segments.birth[row] == now_ || !isFree(from, from + device_->segments.bytes[row])) return;
    action_ = Action::SegmentFree;
    endSegment(place);
  }

  void unmapPart() {
    const size_t place = below(liveSegments_.size());
    const uint32_t row = liveSegments_[place];
    if (!device_->segments.isExpandable[row] || device_->segments.birth[row] == now_) return;
    const uint64_t address = device_->segments.address[row], bytes = device_->segments.bytes[row];
    const uint64_t grain = 10 * options_.unit, grains = bytes / grain;
    const uint64_t first = below(grains), count = 1 + below(grains - first);
    const uint64_t from = address + first * grain, to = from + count * grain;
    if (!isFree(from, to)) return;
    action_ = Action::SegmentUnmap;
    const uint32_t range = device_->segments.range[row];
    endSegment(place);
    if (from > address) newSegment(address, from - address, range, Region::Virtual, true);
    if (to < address + bytes) newSegment(to, address + bytes - to, range, Region::Virtual, true);
    row_ = row;
  }

  void addBlock() {
    const uint32_t segment = liveSegments_[below(liveSegments_.size())];
    const uint64_t units = device_->segments.bytes[segment] / options_.unit;
    const uint64_t first = below(units);
    const uint64_t count = 1 + below(std::min<uint64_t>(units - first, chance(20) ? 40 : 6));
    const uint64_t address = device_->segments.address[segment] + first * options_.unit;
    const uint64_t bytes = count * options_.unit;
    if (!isFree(address, address + bytes)) return;
    BlockColumns& blocks = device_->blocks;
    const auto row = static_cast<uint32_t>(blocks.count());
    blocks.address.push_back(address);
    blocks.bytes.push_back(bytes);
    blocks.requested.push_back(bytes - below(options_.unit / 2));
    blocks.birth.push_back(now_);
    blocks.freeRequested.push_back(kNever);
    blocks.death.push_back(kNever);
    blocks.stack.push_back(chance(10) ? kNone : below(trace_.stacks.count()));
    blocks.segment.push_back(segment);
    blocks.region.push_back(device_->segments.region[segment]);
    blocks.stream.push_back(0);
    blocks.pool.push_back(0);
    liveBlocks_.push_back(row);
    action_ = Action::Alloc;
    row_ = row;
  }

  void requestFree() {
    const uint32_t row = liveBlocks_[below(liveBlocks_.size())];
    if (device_->blocks.freeRequested[row] != kNever) return;
    device_->blocks.freeRequested[row] = now_;
    action_ = Action::FreeRequested;
    row_ = row;
  }

  /// Mostly without a separate request, as when that was not recorded.
  void removeBlock() {
    const size_t place = below(liveBlocks_.size());
    const uint32_t row = liveBlocks_[place];
    if (device_->blocks.birth[row] == now_) return;
    if (device_->blocks.freeRequested[row] == kNever && chance(50)) device_->blocks.freeRequested[row] = now_;
    device_->blocks.death[row] = now_;
    liveBlocks_.erase(liveBlocks_.begin() + static_cast<ptrdiff_t>(place));
    action_ = Action::FreeCompleted;
    row_ = row;
  }

  void addEvent() {
    EventColumns& events = device_->events;
    events.action.push_back(action_);
    events.address.push_back(0);
    events.size.push_back(0);
    events.stack.push_back(kNone);
    events.stream.push_back(0);
    events.pool.push_back(0);
    events.row.push_back(options_.hasRows ? row_ : kNone);
    if (!options_.hasClock) return;
    if (chance(60)) clock_ += chance(3) ? 5000 : below(40);
    events.time.push_back(clock_);
  }

  std::mt19937 random_;
  RandomTraceOptions options_;
  Trace trace_;
  Device* device_ = nullptr;
  EventIndex now_ = kBeforeFirst;
  Action action_ = Action::Other;
  uint32_t row_ = kNone;
  int64_t clock_ = 0;
  uint32_t ranges_[2] = {kNone, kNone};
  std::vector<uint32_t> liveSegments_, liveBlocks_;
};

}  // namespace

Trace randomTrace(uint32_t seed, const RandomTraceOptions& options) { return Maker(seed, options).make(); }

}  // namespace strata::test

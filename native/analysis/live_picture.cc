#include "analysis/live_picture.h"

#include <algorithm>
#include <span>

namespace strata {

namespace {

constexpr EventIndex kKeyframeDistance = 192;
/// Lists longer than this are worth thinning when what is active has grown.
constexpr size_t kLongList = 4 * LivePicture::kFinestRows;

}  // namespace

/// The stack at one moment, moved forwards event by event. Knows each block from `smallest` bytes up, and the
/// sums of each site.
class LivePicture::Cursor {
 public:
  explicit Cursor(const LivePicture& picture)
      : picture_(picture), blocks_(picture.device_.blocks), siteCount_(picture.sites_.list().size()) {}

  EventIndex event() const { return event_; }
  uint64_t smallest() const { return smallest_; }
  size_t listed() const {
    size_t count = 0;
    for (size_t site = 0; site < siteCount_; ++site) count += kept_[site].size() + big_[site].size();
    return count;
  }
  uint64_t active() const {
    uint64_t bytes = 0;
    for (const SiteSum& sum : sums_) bytes += sum.bytes;
    return bytes;
  }
  const SiteSum& sum(size_t site) const { return sums_[site]; }

  /// Starts from the checkpoints, which know all blocks.
  void startFromCheckpoint(EventIndex event, uint64_t smallest) {
    clear(event, smallest);
    std::vector<uint32_t> alive = picture_.blocks_.alive(event);
    for (const uint32_t block : alive) add(block, blocks_.bytes[block]);
    for (auto& list : big_) {
      std::sort(list.begin(), list.end(), [](const Big& a, const Big& b) { return a.block < b.block; });
    }
  }

  void startFromKeyframe(size_t index) {
    const Keyframe& keyframe = picture_.keyframes_[index];
    clear(keyframe.event, keyframe.smallest);
    const Big* next = picture_.listed_.data() + keyframe.firstBlock;
    for (size_t site = 0; site < siteCount_; ++site) {
      sums_[site] = picture_.sums_[index * siteCount_ + site];
      kept_[site] = {next, sums_[site].listed};
      next += sums_[site].listed;
    }
  }

  void moveTo(EventIndex event) {
    while (event_ < event) {
      picture_.changes_.visit(++event_, [&](Changes::Kind kind, uint32_t row, const Changes::Amount& amount) {
        if (kind == Changes::BlockBirth) add(row, amount.bytes);
        if (kind == Changes::BlockDeath) subtract(row, amount.bytes);
      });
    }
  }

  /// Calls visit(big) for each listed block of a site that is alive, oldest first.
  template <typename Visit>
  void forEachBig(size_t site, Visit&& visit) {
    for (const Big& big : kept_[site]) {
      if (big.death > event_) visit(big);
    }
    auto& list = big_[site];
    size_t kept = 0;
    for (const Big big : list) {
      if (big.death <= event_) continue;
      list[kept++] = big;
      visit(big);
    }
    list.resize(kept);
  }

  /// Forgets listed blocks below a size.
  void raiseSmallest(uint64_t smallest) {
    smallest_ = smallest;
    for (auto& list : big_) std::erase_if(list, [&](const Big& big) { return big.bytes < smallest; });
  }

 private:
  void clear(EventIndex event, uint64_t smallest) {
    event_ = event;
    smallest_ = smallest;
    for (auto& list : big_) list.clear();
    std::fill(std::begin(kept_), std::end(kept_), std::span<const Big>());
    std::fill(std::begin(sums_), std::end(sums_), SiteSum{});
  }

  void add(uint32_t block, uint64_t bytes) {
    const uint8_t site = picture_.sites_.rankOfBlock(block);
    sums_[site].bytes += bytes;
    ++sums_[site].blocks;
    if (bytes >= smallest_) list(block, site);
  }

  void list(uint32_t block, uint8_t site) {
    big_[site].push_back({blocks_.bytes[block], block, blocks_.death[block]});
  }

  void subtract(uint32_t block, uint64_t bytes) {
    const uint8_t site = picture_.sites_.rankOfBlock(block);
    sums_[site].bytes -= bytes;
    --sums_[site].blocks;
  }

  const LivePicture& picture_;
  const BlockColumns& blocks_;
  const size_t siteCount_;
  EventIndex event_ = kBeforeFirst;
  uint64_t smallest_ = 0;
  std::span<const Big> kept_[RankedSites::kMost];  ///< what the keyframe lists, read where it lies
  std::vector<Big> big_[RankedSites::kMost];       ///< and what came since, all younger
  SiteSum sums_[RankedSites::kMost];
};

LivePicture::LivePicture(const Device& device, const Changes& changes, const Checkpoints& blocks,
                         const RankedSites& sites)
    : device_(device), changes_(changes), blocks_(blocks), sites_(sites) {
  Cursor cursor(*this);
  cursor.startFromCheckpoint(kBeforeFirst, 1);
  int64_t event = kBeforeFirst;
  while (event < changes.eventCount()) {
    cursor.moveTo(static_cast<EventIndex>(event));
    // The cursor lists a little more than needed, so that it need not start anew each time less is active.
    const uint64_t smallest = std::max<uint64_t>(1, cursor.active() / kFinestRows);
    if (smallest < cursor.smallest()) {
      cursor.startFromCheckpoint(cursor.event(), std::max<uint64_t>(1, smallest / 2));
    } else if (cursor.listed() > kLongList) {
      cursor.raiseSmallest(std::max(cursor.smallest(), smallest / 2));
    }
    keyframes_.push_back({cursor.event(), smallest, listed_.size()});
    for (size_t site = 0; site < sites.list().size(); ++site) {
      const size_t before = listed_.size();
      cursor.forEachBig(site, [&](const Big& big) {
        if (big.bytes >= smallest) listed_.push_back(big);
      });
      sums_.push_back(cursor.sum(site));
      sums_.back().listed = static_cast<uint32_t>(listed_.size() - before);
    }
    const size_t listed = listed_.size() - keyframes_.back().firstBlock;
    event += std::max<int64_t>(kKeyframeDistance, static_cast<int64_t>(listed));
  }
  keyframes_.shrink_to_fit();
  sums_.shrink_to_fit();
  listed_.shrink_to_fit();
}

size_t LivePicture::keyframeBefore(EventIndex event) const {
  const auto after = std::upper_bound(keyframes_.begin(), keyframes_.end(), event,
                                      [](EventIndex wanted, const Keyframe& k) { return wanted < k.event; });
  return static_cast<size_t>(after - keyframes_.begin()) - 1;
}

namespace {

/// Writes runs without asking for room at each.
class RunWriter {
 public:
  explicit RunWriter(LiveWindow& window) : window_(window) {}

  void makeRoom(size_t runs) {
    if (count_ + runs > window_.block.size()) resize((count_ + runs) * 2);
  }
  void add(uint32_t block, size_t site, uint64_t bytes, uint32_t blockCount) {
    window_.block[count_] = block;
    window_.site[count_] = static_cast<uint16_t>(site);
    window_.bytes[count_] = static_cast<double>(bytes);
    window_.blockCount[count_] = blockCount;
    ++count_;
  }
  uint32_t count() const { return static_cast<uint32_t>(count_); }
  void finish() { resize(count_); }

 private:
  void resize(size_t size) {
    window_.block.resize(size);
    window_.site.resize(size);
    window_.bytes.resize(size);
    window_.blockCount.resize(size);
  }

  LiveWindow& window_;
  size_t count_ = 0;
};

}  // namespace

LiveWindow LivePicture::window(const std::vector<PeakPoint>& columns, uint32_t pixelRows) const {
  uint64_t most = 1;
  for (const PeakPoint& column : columns) most = std::max(most, column.bytes);
  const uint64_t rows = std::clamp<uint64_t>(pixelRows, 1, kFinestRows);
  const uint64_t smallest = most / rows + (most % rows != 0);

  LiveWindow result;
  result.moment.reserve(columns.size());
  result.firstRun.reserve(columns.size() + 1);
  result.firstRun.push_back(0);
  RunWriter runs(result);
  Cursor cursor(*this);
  bool isStarted = false;
  for (const PeakPoint& column : columns) {
    const size_t index = keyframeBefore(column.event);
    const Keyframe& keyframe = keyframes_[index];
    const bool isAhead = !isStarted || keyframe.event > cursor.event();
    if (isAhead && keyframe.smallest <= smallest) {
      cursor.startFromKeyframe(index);
    } else if (!isStarted) {
      cursor.startFromCheckpoint(column.event, smallest);
    }
    isStarted = true;
    cursor.moveTo(column.event);
    result.moment.push_back(column.event);
    runs.makeRoom(cursor.listed() + sites_.list().size());
    for (size_t site = 0; site < sites_.list().size(); ++site) {
      SiteSum rest = cursor.sum(site);
      cursor.forEachBig(site, [&](const Big& big) {
        if (big.bytes < smallest) return;
        runs.add(big.block, site, big.bytes, 1);
        rest.bytes -= big.bytes;
        --rest.blocks;
      });
      if (rest.bytes > 0) runs.add(kNone, site, rest.bytes, rest.blocks);
    }
    result.firstRun.push_back(runs.count());
  }
  runs.finish();
  return result;
}

size_t LivePicture::bytes() const {
  return keyframes_.capacity() * sizeof(Keyframe) + sums_.capacity() * sizeof(SiteSum) +
         listed_.capacity() * sizeof(Big);
}

}  // namespace strata

#include "allocator/rebuild_truth.h"

#include <algorithm>
#include <sstream>
#include <tuple>

namespace strata::test {
namespace {

using Row = std::tuple<uint64_t, uint64_t, uint64_t, EventIndex, EventIndex, EventIndex, int>;

EventIndex shifted(EventIndex event, EventIndex first) {
  if (event == kNever) return kNever;
  return std::max(event - first, kBeforeFirst);
}

std::string asText(const Row& row) {
  std::ostringstream out;
  out << std::hex << std::get<0>(row) << std::dec << " bytes " << std::get<1>(row) << " requested "
      << std::get<2>(row) << " born " << std::get<3>(row) << " freed " << std::get<4>(row) << " died "
      << std::get<5>(row) << " region " << std::get<6>(row);
  return out.str();
}

std::vector<Row> trueRows(const PytorchSlowModel& model, EventIndex first) {
  std::vector<Row> rows;
  for (const auto& life : model.blocks()) {
    if (life.death < first) continue;
    rows.emplace_back(life.address, life.bytes, life.requested, shifted(life.birth, first),
                      shifted(life.freeRequested, first), shifted(life.death, first),
                      static_cast<int>(life.region));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Row> rebuiltRows(const BlockColumns& blocks) {
  std::vector<Row> rows;
  for (size_t row = 0; row < blocks.count(); ++row)
    rows.emplace_back(blocks.address[row], blocks.bytes[row], blocks.requested[row], blocks.birth[row],
                      blocks.freeRequested[row], blocks.death[row], static_cast<int>(blocks.region[row]));
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// Reserved bytes after every event, the first entry being the moment before
/// the first.
std::vector<int64_t> reservedOverTime(const SegmentColumns& segments, size_t events) {
  std::vector<int64_t> change(events + 2, 0);
  for (size_t row = 0; row < segments.count(); ++row) {
    change[static_cast<size_t>(segments.birth[row] + 1)] += static_cast<int64_t>(segments.bytes[row]);
    if (segments.death[row] != kNever)
      change[static_cast<size_t>(segments.death[row] + 1)] -= static_cast<int64_t>(segments.bytes[row]);
  }
  for (size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
  return change;
}

SegmentColumns trueSegments(const PytorchSlowModel& model, EventIndex first) {
  SegmentColumns columns;
  for (const auto& life : model.segments()) {
    // Memory given back is marked with requested = 1 and counts against what is
    // mapped.
    columns.bytes.push_back(life.requested == 1 ? ~life.bytes + 1 : life.bytes);
    columns.birth.push_back(shifted(life.birth, first));
    columns.death.push_back(shifted(life.death, first));
    columns.address.push_back(life.address);
  }
  return columns;
}

struct Extent {
  uint64_t from, to;
  EventIndex birth, death;
};

/// Whether any two extents share an address at one time, found by sweeping over
/// time.
std::string overlapIn(std::vector<Extent> extents, const char* what) {
  std::vector<std::tuple<int64_t, int, size_t>> moments;
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].birth == extents[i].death) continue;
    moments.emplace_back(extents[i].birth, 1, i);
    moments.emplace_back(extents[i].death, 0, i);
  }
  std::sort(moments.begin(), moments.end());
  std::map<uint64_t, uint64_t> alive;
  for (const auto& [event, isBirth, i] : moments) {
    if (isBirth == 0) {
      alive.erase(extents[i].from);
      continue;
    }
    auto next = alive.upper_bound(extents[i].from);
    const bool overlapsNext = next != alive.end() && next->first < extents[i].to;
    const bool overlapsPrevious = next != alive.begin() && std::prev(next)->second > extents[i].from;
    if (overlapsNext || overlapsPrevious)
      return std::string(what) + " overlap at event " + std::to_string(event) + "\n";
    alive[extents[i].from] = extents[i].to;
  }
  return {};
}

/// Every byte of a block must be in segments when it is born: checked for its
/// first and last byte.
std::string homelessIn(const Device& device) {
  const SegmentColumns& segments = device.segments;
  std::vector<std::tuple<int64_t, int, size_t>> moments;
  for (size_t row = 0; row < segments.count(); ++row) {
    if (segments.birth[row] == segments.death[row]) continue;
    moments.emplace_back(segments.birth[row], 1, row);
    moments.emplace_back(segments.death[row], 0, row);
  }
  for (size_t row = 0; row < device.blocks.count(); ++row)
    if (device.blocks.birth[row] != device.blocks.death[row])
      moments.emplace_back(device.blocks.birth[row], 2, row);
  std::sort(moments.begin(), moments.end());
  std::map<uint64_t, uint64_t> alive;
  const auto isInside = [&](uint64_t address) {
    const auto above = alive.upper_bound(address);
    return above != alive.begin() && std::prev(above)->second > address;
  };
  for (const auto& [event, kind, row] : moments) {
    if (kind == 0) alive.erase(segments.address[row]);
    if (kind == 1) alive[segments.address[row]] = segments.address[row] + segments.bytes[row];
    if (kind != 2) continue;
    const uint64_t address = device.blocks.address[row];
    if (!isInside(address) || !isInside(address + device.blocks.bytes[row] - 1))
      return "block outside of segments at event " + std::to_string(event) + "\n";
  }
  return {};
}

}  // namespace

/// Takes out the pairs that differ only in a size which the recording does not
/// tell: a block from before it, whose end free memory hides, is shown with the
/// least it can have.
void dropHiddenEnds(std::vector<Row>& missing, std::vector<Row>& extra) {
  constexpr uint64_t kMostHidden = uint64_t{64} << 20;
  for (size_t i = 0; i < missing.size();) {
    const auto twin = std::find_if(extra.begin(), extra.end(), [&](Row row) {
      const uint64_t shown = std::get<1>(row), real = std::get<1>(missing[i]);
      std::get<1>(row) = real;
      return std::get<3>(row) == kBeforeFirst && row == missing[i] && shown < real &&
             real - shown < kMostHidden;
    });
    if (twin == extra.end()) {
      ++i;
      continue;
    }
    extra.erase(twin);
    missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::string differencesFromTruth(const Device& device, const PytorchSlowModel& model, EventIndex first) {
  std::ostringstream out;
  const std::vector<Row> expected = trueRows(model, first);
  const std::vector<Row> actual = rebuiltRows(device.blocks);
  std::vector<Row> missing, extra;
  std::set_difference(expected.begin(), expected.end(), actual.begin(), actual.end(),
                      std::back_inserter(missing));
  std::set_difference(actual.begin(), actual.end(), expected.begin(), expected.end(),
                      std::back_inserter(extra));
  if (device.exactness.code == "hidden-ends") dropHiddenEnds(missing, extra);
  for (size_t i = 0; i < std::min<size_t>(missing.size(), 3); ++i)
    out << "missing " << asText(missing[i]) << "\n";
  for (size_t i = 0; i < std::min<size_t>(extra.size(), 3); ++i)
    out << "extra   " << asText(extra[i]) << "\n";
  const size_t events = device.events.count();
  const auto expectedReserved = reservedOverTime(trueSegments(model, first), events);
  const auto actualReserved = reservedOverTime(device.segments, events);
  for (size_t i = 0; i <= events; ++i) {
    if (expectedReserved[i] == actualReserved[i]) continue;
    out << "reserved after event " << static_cast<int64_t>(i) - 1 << " is " << actualReserved[i] << ", not "
        << expectedReserved[i] << "\n";
    break;
  }
  return out.str();
}

std::string brokenInvariants(const Device& device) {
  std::ostringstream out;
  const BlockColumns& blocks = device.blocks;
  const SegmentColumns& segments = device.segments;
  const size_t events = device.events.count();
  std::vector<Extent> blockExtents, segmentExtents;
  for (size_t row = 0; row < blocks.count(); ++row) {
    blockExtents.push_back(
        {blocks.address[row], blocks.address[row] + blocks.bytes[row], blocks.birth[row], blocks.death[row]});
    if (row > 0 && blocks.birth[row] < blocks.birth[row - 1]) out << "blocks are not in order of birth\n";
    if (blocks.segment[row] >= segments.count()) out << "block " << row << " has no segment\n";
    if (blocks.bytes[row] == 0) out << "block " << row << " has no bytes\n";
    if (blocks.freeRequested[row] > blocks.death[row])
      out << "block " << row << " died before it was freed\n";
  }
  for (size_t row = 0; row < segments.count(); ++row)
    segmentExtents.push_back({segments.address[row], segments.address[row] + segments.bytes[row],
                              segments.birth[row], segments.death[row]});
  if (device.events.row.size() != events) out << "events.row has another length\n";
  for (size_t at = 0; at < device.events.row.size(); ++at) {
    const bool isSegment = device.events.action[at] >= Action::SegmentAlloc;
    const size_t limit = isSegment ? segments.count() : blocks.count();
    if (device.events.row[at] != kNone && device.events.row[at] >= limit)
      out << "row of event " << at << "\n";
  }
  out << overlapIn(std::move(blockExtents), "blocks") << overlapIn(std::move(segmentExtents), "segments")
      << homelessIn(device);
  return out.str();
}

std::string summaryOf(const Exactness& exactness) {
  const char* verdicts[] = {"exact", "estimated", "mismatch", "not-applicable"};
  std::ostringstream out;
  out << verdicts[static_cast<int>(exactness.verdict)] << " " << exactness.placementsMatched << "/"
      << exactness.placements << ", segments " << exactness.segmentEventsMatched << "/"
      << exactness.segmentEvents << ", final blocks " << exactness.finalBlocksMatched << "/"
      << exactness.finalBlocks;
  if (!exactness.code.empty()) out << ", " << exactness.code;
  return out.str();
}

}  // namespace strata::test

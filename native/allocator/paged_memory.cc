#include "allocator/paged_memory.h"

#include <algorithm>

namespace strata {

void PageSet::add(const PageRun& run) {
  uint64_t first = run.first, end = run.first + run.count;
  auto next = runs_.lower_bound(first);
  if (next != runs_.end() && next->first == end) {
    end = next->second;
    next = runs_.erase(next);
  }
  if (next != runs_.begin() && std::prev(next)->second == first) {
    std::prev(next)->second = end;
    return;
  }
  runs_.emplace_hint(next, first, end);
}

void PageSet::remove(const PageRun& run) {
  const uint64_t end = run.first + run.count;
  const auto around = std::prev(runs_.upper_bound(run.first));
  const uint64_t aroundEnd = around->second;
  if (aroundEnd > end) runs_.emplace_hint(std::next(around), end, aroundEnd);
  if (around->first == run.first)
    runs_.erase(around);
  else
    around->second = run.first;
}

PagedMemory::PagedMemory(Driver& driver, uint64_t pageBytes)
    : driver_(driver), pageBytes_(pageBytes), pages_(std::min(driver.capacity(), kMostBytes) / pageBytes) {}

void PagedMemory::start() {
  if (pages_ == 0) return;
  base_ = driver_.reserveRange(pages_ * pageBytes_);
  insertHole({0, pages_ * pageBytes_});
}

PageRun PagedMemory::pagesTouched(const Piece& piece) const {
  const uint64_t first = piece.offset / pageBytes_;
  return {first, (piece.offset + piece.bytes - 1) / pageBytes_ - first + 1};
}

PageRun PagedMemory::pagesInside(const Piece& piece) const {
  const uint64_t first = (piece.offset + pageBytes_ - 1) / pageBytes_;
  const uint64_t end = (piece.offset + piece.bytes) / pageBytes_;
  return {first, end > first ? end - first : 0};
}

template <typename Visit>
void PagedMemory::forEachHeldPiece(const Piece& hole, Visit&& visit) const {
  held_.forEachPart(pagesTouched(hole), [&](const PageRun& run, bool isHeld) {
    if (!isHeld) return;
    const uint64_t begin = std::max(hole.offset, run.first * pageBytes_);
    const uint64_t end = std::min(hole.offset + hole.bytes, (run.first + run.count) * pageBytes_);
    visit(Piece{begin, end - begin});
  });
}

uint64_t PagedMemory::largestHeldIn(const Piece& hole) const {
  uint64_t largest = 0;
  forEachHeldPiece(hole, [&](const Piece& piece) { largest = std::max(largest, piece.bytes); });
  return largest;
}

void PagedMemory::insertHole(const Piece& hole) {
  if (hole.bytes == 0) return;
  const uint32_t row = holes_.add(hole);
  const uint64_t pages = pagesInside(hole).count;
  holesBySize_.insert(hole.bytes, hole.offset, row);
  freePagesInHole_.insert({hole.offset, pages, row});
  heldInHole_.insert({hole.offset, largestHeldIn(hole), row});
  freePages_ += pages;
}

void PagedMemory::eraseHole(uint32_t row) {
  const Piece hole = holes_[row];
  holesBySize_.erase(hole.bytes, hole.offset);
  freePagesInHole_.erase(hole.offset);
  heldInHole_.erase(hole.offset);
  freePages_ -= pagesInside(hole).count;
  holes_.remove(row);
}

std::optional<PagedMemory::Piece> PagedMemory::bestHole(uint64_t bytes) const {
  BestFitIndex::Cursor cursor;
  if (!holesBySize_.bestFit(bytes, cursor)) return std::nullopt;
  return holes_[holesBySize_.blockAt(cursor)];
}

/// Gets what is missing of a run from the driver; false, and everything as before, when it refuses.
bool PagedMemory::hold(const PageRun& run, std::vector<TakenRun>& runs) {
  const size_t before = runs.size();
  held_.forEachPart(run, [&](const PageRun& part, bool isHeld) { runs.push_back({part, !isHeld}); });
  for (size_t i = before; i < runs.size(); ++i) {
    if (!runs[i].isNew) continue;
    const PageRun pages = runs[i].pages;
    if (!driver_.createPhysical(pages.count * pageBytes_)) {
      for (size_t j = before; j < i; ++j)
        if (runs[j].isNew) letGo(runs[j].pages);
      runs.resize(before);
      return false;
    }
    // A page can only be mapped elsewhere if it is an allocation of its own: one call each.
    driver_.calls.create += pages.count - 1;
    driver_.calls.map += pages.count;
    driver_.calls.setAccess += 1;
    held_.add(pages);
    heldPages_ += pages.count;
  }
  return true;
}

void PagedMemory::letGo(const PageRun& run) {
  driver_.releasePhysical(run.count * pageBytes_);
  driver_.calls.releasePhysical += run.count - 1;
  driver_.calls.unmap += run.count;
  held_.remove(run);
  heldPages_ -= run.count;
}

std::vector<PagedMemory::TakenRun> PagedMemory::take(const Piece& piece) {
  std::vector<TakenRun> runs;
  if (!hold(pagesTouched(piece), runs)) return runs;
  FirstFitIndex::Cursor cursor;
  freePagesInHole_.floor(piece.offset, cursor);
  const uint32_t row = freePagesInHole_.at(cursor).block;
  const Piece hole = holes_[row];
  eraseHole(row);
  const uint64_t end = piece.offset + piece.bytes;
  insertHole({hole.offset, piece.offset - hole.offset});
  insertHole({end, hole.offset + hole.bytes - end});
  return runs;
}

std::vector<PagedMemory::TakenRun> PagedMemory::takePages(uint64_t count) {
  std::vector<TakenRun> all;
  if (count > freePages_) return all;
  while (count > 0) {
    FirstFitIndex::Cursor cursor;
    freePagesInHole_.firstFit(1, cursor);
    const PageRun inside = pagesInside(holes_[freePagesInHole_.at(cursor).block]);
    const PageRun run{inside.first, std::min(inside.count, count)};
    const std::vector<TakenRun> taken = take({run.first * pageBytes_, run.count * pageBytes_});
    if (taken.empty()) {
      for (const TakenRun& earlier : all) {
        if (earlier.isNew) letGo(earlier.pages);
        give({earlier.pages.first * pageBytes_, earlier.pages.count * pageBytes_});
      }
      return {};
    }
    all.insert(all.end(), taken.begin(), taken.end());
    count -= run.count;
  }
  return all;
}

PagedMemory::Piece PagedMemory::give(const Piece& piece) {
  Piece merged = piece;
  FirstFitIndex::Cursor cursor;
  if (freePagesInHole_.find(piece.offset + piece.bytes, cursor)) {
    const uint32_t row = freePagesInHole_.at(cursor).block;
    merged.bytes += holes_[row].bytes;
    eraseHole(row);
  }
  if (freePagesInHole_.floor(piece.offset, cursor)) {
    const uint32_t row = freePagesInHole_.at(cursor).block;
    const Piece below = holes_[row];
    if (below.offset + below.bytes == piece.offset) {
      merged = {below.offset, below.bytes + merged.bytes};
      eraseHole(row);
    }
  }
  insertHole(merged);
  return merged;
}

std::vector<PageRun> PagedMemory::releaseFreePages() {
  std::vector<uint32_t> rows;
  freePagesInHole_.forEach([&](const FirstFitIndex::Entry& entry) { rows.push_back(entry.block); });
  std::vector<PageRun> released;
  for (const uint32_t row : rows) {
    const Piece hole = holes_[row];
    const size_t before = released.size();
    held_.forEachPart(pagesInside(hole), [&](const PageRun& run, bool isHeld) {
      if (isHeld) released.push_back(run);
    });
    for (size_t i = before; i < released.size(); ++i) letGo(released[i]);
    if (released.size() == before) continue;
    eraseHole(row);
    insertHole(hole);
  }
  return released;
}

std::vector<PagedMemory::Piece> PagedMemory::heldPieces() const {
  std::vector<Piece> pieces;
  freePagesInHole_.forEach([&](const FirstFitIndex::Entry& entry) {
    forEachHeldPiece(holes_[entry.block], [&](const Piece& piece) { pieces.push_back(piece); });
  });
  return pieces;
}

}  // namespace strata

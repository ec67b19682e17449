#include "allocator/offset_space.h"

namespace strata {

OffsetSpace::OffsetSpace(uint64_t bytes) {
  if (bytes > 0) holes_.insert({0, bytes, 0});
}

std::optional<uint64_t> OffsetSpace::takeLowest(uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (!holes_.firstFit(bytes, cursor)) return std::nullopt;
  const uint64_t offset = holes_.at(cursor).address;
  takeAt(offset, bytes);
  return offset;
}

bool OffsetSpace::takeAt(uint64_t offset, uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (!holes_.floor(offset, cursor)) return false;
  const FirstFitIndex::Entry hole = holes_.at(cursor);
  const uint64_t before = offset - hole.address;
  if (before >= hole.bytes || hole.bytes - before < bytes) return false;
  const uint64_t behind = hole.bytes - before - bytes;
  if (before > 0) {
    holes_.replaceAt(cursor, {hole.address, before, 0});
    if (behind > 0) holes_.insert({offset + bytes, behind, 0});
  } else if (behind > 0) {
    holes_.replaceAt(cursor, {offset + bytes, behind, 0});
  } else {
    holes_.eraseAt(cursor);
  }
  return true;
}

void OffsetSpace::give(uint64_t offset, uint64_t bytes) {
  FirstFitIndex::Cursor cursor;
  if (holes_.find(offset + bytes, cursor)) {
    bytes += holes_.at(cursor).bytes;
    holes_.eraseAt(cursor);
  }
  if (holes_.floor(offset, cursor)) {
    const FirstFitIndex::Entry hole = holes_.at(cursor);
    if (hole.address + hole.bytes == offset) {
      holes_.replaceAt(cursor, {hole.address, hole.bytes + bytes, 0});
      return;
    }
  }
  holes_.insert({offset, bytes, 0});
}

}  // namespace strata

#include "trace/table_map.h"

namespace strata {

TableMap::TableMap(const Trace& from, Trace& to) {
  strings_.reserve(from.strings.count());
  for (uint32_t row = 0; row < from.strings.count(); ++row) {
    strings_.push_back(to.strings.intern(from.strings.at(row)));
  }
  std::vector<uint32_t> frames;
  frames.reserve(from.frames.count());
  for (uint32_t row = 0; row < from.frames.count(); ++row) {
    frames.push_back(to.frames.intern(string(from.frames.name(row)), string(from.frames.file(row)),
                                      from.frames.line(row)));
  }
  stacks_.reserve(from.stacks.count());
  std::vector<uint32_t> moved;
  for (uint32_t row = 0; row < from.stacks.count(); ++row) {
    moved.clear();
    for (const uint32_t frame : from.stacks.at(row)) moved.push_back(frames[frame]);
    stacks_.push_back(to.stacks.intern(moved));
  }
}

void TableMap::moveStrings(std::vector<uint32_t>& rows) const {
  for (uint32_t& row : rows) row = string(row);
}

void TableMap::moveStacks(std::vector<uint32_t>& rows) const {
  for (uint32_t& row : rows) row = stack(row);
}

}  // namespace strata

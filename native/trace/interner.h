#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

/// De-duplicates runs of small values and gives each a row number: open addressing over one arena.
///
///   arena:   | a b c | d | a c | ...      starts: 0 3 4 6      slots: hash -> row
///
/// Interning is O(length); equal runs get the same row, rows are dense and in order of first use.
template <typename T>
class RunTable {
 public:
  uint32_t intern(std::span<const T> run);
  std::span<const T> at(uint32_t row) const {
    return {arena_.data() + starts_[row], starts_[row + 1] - starts_[row]};
  }
  uint32_t count() const { return static_cast<uint32_t>(starts_.size() - 1); }
  size_t bytes() const;
  /// Frees the hash slots once nothing more will be added.
  void seal() { slots_ = {}; }

 private:
  void grow();
  std::vector<T> arena_;
  std::vector<uint64_t> starts_{0};
  std::vector<uint32_t> hashes_;
  std::vector<uint32_t> slots_;
};

class StringTable : public RunTable<char> {
 public:
  uint32_t intern(std::string_view text) { return RunTable::intern({text.data(), text.size()}); }
  std::string_view at(uint32_t row) const {
    const auto run = RunTable::at(row);
    return {run.data(), run.size()};
  }
};

/// Lists of frame rows, innermost frame first.
using StackTable = RunTable<uint32_t>;

/// Frames as (name, file, line), names and files being StringTable rows.
class FrameTable {
 public:
  uint32_t intern(uint32_t name, uint32_t file, int32_t line) {
    const uint32_t run[] = {name, file, static_cast<uint32_t>(line)};
    return runs_.intern(run);
  }
  uint32_t name(uint32_t row) const { return runs_.at(row)[0]; }
  uint32_t file(uint32_t row) const { return runs_.at(row)[1]; }
  int32_t line(uint32_t row) const { return static_cast<int32_t>(runs_.at(row)[2]); }
  uint32_t count() const { return runs_.count(); }
  size_t bytes() const { return runs_.bytes(); }
  void seal() { runs_.seal(); }

 private:
  RunTable<uint32_t> runs_;
};

}  // namespace strata

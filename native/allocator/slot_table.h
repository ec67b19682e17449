#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace strata {

/// Rows that are handed out and given back; a row given back is the next one handed out.
template <typename Row>
class SlotTable {
 public:
  /// A fresh row; references to other rows may move.
  uint32_t add(const Row& row) {
    if (unused_.empty()) {
      rows_.push_back(row);
      return static_cast<uint32_t>(rows_.size() - 1);
    }
    const uint32_t index = unused_.back();
    unused_.pop_back();
    rows_[index] = row;
    return index;
  }
  void remove(uint32_t index) { unused_.push_back(index); }
  Row& operator[](uint32_t index) { return rows_[index]; }
  const Row& operator[](uint32_t index) const { return rows_[index]; }

 private:
  std::vector<Row> rows_;
  std::vector<uint32_t> unused_;
};

/// Streams in order of first use.
class StreamOrder {
 public:
  /// Where the stream stands in the order; a new one is put at the end.
  uint32_t positionOf(uint32_t stream) {
    if (stream >= kDirect) {
      const auto [at, isNew] = others_.try_emplace(stream, count_);
      if (isNew) ++count_;
      return at->second;
    }
    if (stream >= direct_.size()) direct_.resize(stream + 1, kUnseen);
    if (direct_[stream] == kUnseen) direct_[stream] = count_++;
    return direct_[stream];
  }
  uint32_t count() const { return count_; }

 private:
  static constexpr uint32_t kDirect = 1024;  ///< numbers below are looked up in an array
  static constexpr uint32_t kUnseen = UINT32_MAX;
  std::vector<uint32_t> direct_;
  std::unordered_map<uint32_t, uint32_t> others_;
  uint32_t count_ = 0;
};

}  // namespace strata

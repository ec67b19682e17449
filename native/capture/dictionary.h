#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture/capture.h"

namespace strata {

/// Distinct values in order of first use, each with a row number; the last hit is tried first, because
/// neighbours mostly agree.
/// Errors: CaptureError above 65,535 values, which no allocator has.
template <typename T>
class Dictionary {
 public:
  uint16_t rowOf(const T& value) {
    return last_ < values_.size() && values_[last_] == value ? last_ : find(value);
  }
  const std::vector<T>& values() const { return values_; }
  std::vector<T> take() { return std::move(values_); }

 private:
  static constexpr size_t kMaxValues = 0xffff;

  uint16_t find(const T& value) {
    const auto [place, isNew] = rows_.try_emplace(value, static_cast<uint16_t>(values_.size()));
    if (isNew) {
      if (values_.size() == kMaxValues) {
        throw CaptureError("capture-too-many-streams",
                           "This file names more than 65,535 streams or pools on one device.",
                           "It is damaged or was not written by PyTorch; record it again.");
      }
      values_.push_back(value);
    }
    return last_ = place->second;
  }

  std::vector<T> values_;
  std::map<T, uint16_t> rows_;
  uint16_t last_ = 0;
};

}  // namespace strata

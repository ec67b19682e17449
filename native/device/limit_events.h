#pragma once

#include <array>
#include <optional>
#include <vector>

#include "device/sample.h"

namespace strata::device {

/// What the user wants to be told of, for one GPU.
struct Limits {
  std::optional<double> memory;       ///< percent of what the GPU has
  std::optional<double> temperature;  ///< °C
  std::optional<double> power;        ///< W
  bool operator==(const Limits&) const = default;
};

/// Tells when a reading passes its limit: once, until it has been below for a while. What is not known passes
/// nothing.
class LimitEvents {
 public:
  /// One entry for each GPU.
  void set(std::vector<Limits> limits);
  std::vector<Event> next(const Sample& sample);

 private:
  static constexpr size_t kQuantities = 3;
  static constexpr int64_t kCalmNs = 5'000'000'000;  ///< below the limit, before it can be passed anew
  struct State {
    bool isPassed = false;
    int64_t passedAt = 0;  ///< when it was last seen at or above the limit
  };

  std::vector<Limits> limits_;
  std::vector<std::array<State, kQuantities>> states_;
};

}  // namespace strata::device

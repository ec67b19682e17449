#include "capture/bfc_units.h"

#include <cmath>

namespace strata::bfc {

double HumanBytes::bytes() const {
  return static_cast<double>(digits) / std::pow(10.0, decimals) * std::pow(1024.0, unit);
}

bool HumanBytes::standsFor(uint64_t bytes) const {
  for (int step = 1; step < unit; ++step) bytes /= 1024;
  const double value = unit == 0 ? static_cast<double>(bytes) : static_cast<double>(bytes) / 1024.0;
  constexpr double kRounding = 0.5 + 1e-6;
  return std::abs(value * std::pow(10.0, decimals) - static_cast<double>(digits)) <= kRounding;
}

std::optional<uint64_t> HumanBytes::exact() const {
  if (unit == 0) return digits;
  return std::nullopt;
}

}  // namespace strata::bfc

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Warnings about a text: the first few of a kind with their line, the rest counted.
class LogWarnings {
 public:
  void add(const std::string& code, std::string message, int64_t line, bool isDamage = false) {
    if (++counts_[code] > kMostOfAKind) return;
    warnings_.push_back({code, std::move(message), -1, isDamage, line});
  }
  /// Hands the warnings over, with one more for each kind that was cut short.
  void moveTo(Trace& trace);

 private:
  static constexpr uint64_t kMostOfAKind = 5;
  std::vector<Warning> warnings_;
  std::map<std::string, uint64_t> counts_;
};

}  // namespace strata

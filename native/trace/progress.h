#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace strata {

/// Thrown out of a long operation after its progress callback answered false.
class Cancelled : public std::runtime_error {
 public:
  Cancelled() : std::runtime_error("cancelled") {}
};

/// Called now and then from the working thread; answers false to cancel.
///   stage: "read", "rebuild" or "index"; done and total in units of the stage (bytes, events)
using Progress = std::function<bool(const char* stage, uint64_t done, uint64_t total, uint64_t events)>;

}  // namespace strata

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace strata::device {

/// Monotonic time in ns.
inline int64_t monotonicNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Which call of a driver is under way and since when. Written by the thread that calls, read by any other: a
/// driver that hangs is named although its call never returns.
class CallWatch {
 public:
  struct Call {
    const char* name = nullptr;  ///< a literal; null between calls
    int64_t since = 0;           ///< monotonic ns
  };

  /// `name` must be a literal.
  void begin(const char* name) {
    since_.store(monotonicNow(), std::memory_order_relaxed);
    name_.store(name, std::memory_order_release);
  }
  void end() { name_.store(nullptr, std::memory_order_release); }
  Call current() const {
    const char* name = name_.load(std::memory_order_acquire);
    return {name, since_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<const char*> name_{nullptr};
  std::atomic<int64_t> since_{0};
};

}  // namespace strata::device

#pragma once

#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Counters that grow reading by reading, in order of time. A reading that says what the last one said is
/// left out.
class CounterTracks {
 public:
  explicit CounterTracks(Trace& trace) : trace_(trace) {}

  /// A new, empty counter. Those that stay empty are dropped by `finish`.
  uint32_t add(const std::string& group, const std::string& name, CounterUnit unit, bool isProcess);
  /// A reading, or NaN where nothing is known from here on. A time that is there already takes the new value.
  void push(uint32_t counter, int64_t time, double value);
  /// Makes room for so many times what each long counter holds now, which spares copies while it grows.
  void expect(double times);
  void finish();

 private:
  Trace& trace_;
};

}  // namespace strata

#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace strata {

/// Spans of a profiler's trace: operators and Python functions, one inside the other on each thread. They
/// tell who asked for memory, because the profiler writes no stack at the memory events themselves.
///
///   thread 7   step ───────────────────────────
///                aten::conv2d ──────────   aten::relu ──
///                  aten::empty ──                          a memory event here: [aten::empty, aten::conv2d,
///                  step]
///                     ^
class ProfilerSpans {
 public:
  struct Span {
    int64_t begin, end;  ///< ns
    uint32_t thread;
    uint32_t name;       ///< Trace::strings row
    uint32_t callStack;  ///< Trace::stacks row of the Python frames that the operator names, or kNone
    bool isStep;         ///< a step or a range that the user named: becomes an annotation
  };

  void add(const Span& span) { spans_.push_back(span); }
  size_t count() const { return spans_.size(); }

  /// Brings the spans in order; nothing may be added afterwards.
  void sort();

  struct Moment {
    uint32_t thread;
    int64_t time;
    uint32_t stack = kNone;  ///< to be filled: Trace::stacks row of what was open, innermost first
  };
  /// Fills the stack of each moment. Operators become frames without a file, Python functions frames with
  /// one.
  void attribute(std::vector<Moment>& moments, Trace& trace) const;

  /// Adds the steps as annotations of a device; times are from `origin`.
  void annotate(int device, int64_t origin, Trace& trace) const;

 private:
  uint32_t stackOf(std::span<const uint32_t> open, Trace& trace, std::vector<uint32_t>& frames) const;

  std::vector<Span> spans_;
};

/// Frames of "file.py(12): function;..." or of one such name, innermost first.
void appendPythonFrames(std::string_view text, Trace& trace, std::vector<uint32_t>& frames);

}  // namespace strata

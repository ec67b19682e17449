#include "capture/profiler_spans.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "capture/text_numbers.h"

namespace strata {
namespace {

/// More frames than this help nobody, and a made-up trace could nest without end.
constexpr size_t kMostFrames = 256;

/// "path/file.py(12): function" as a frame; nothing for other names.
uint32_t pythonFrame(std::string_view text, Trace& trace) {
  const size_t close = text.find("): ");
  if (close == std::string_view::npos) return kNone;
  const size_t open = text.rfind('(', close);
  if (open == std::string_view::npos) return kNone;
  const auto line = parseDecimal(text.substr(open + 1, close - open - 1));
  if (!line || *line > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) return kNone;
  return trace.frames.intern(trace.strings.intern(text.substr(close + 3)),
                             trace.strings.intern(text.substr(0, open)), static_cast<int32_t>(*line));
}

}  // namespace

void appendPythonFrames(std::string_view text, Trace& trace, std::vector<uint32_t>& frames) {
  while (!text.empty() && frames.size() < kMostFrames) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view one = text.substr(0, end);
    const uint32_t frame = pythonFrame(one, trace);
    if (frame != kNone) {
      frames.push_back(frame);
    } else if (!one.empty()) {
      frames.push_back(trace.frames.intern(trace.strings.intern(one), trace.strings.intern(""), 0));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// A span that contains another comes before it.
void ProfilerSpans::sort() {
  const auto isBefore = [](const Span& a, const Span& b) {
    return std::tuple(a.thread, a.begin, b.end) < std::tuple(b.thread, b.begin, a.end);
  };
  if (!std::is_sorted(spans_.begin(), spans_.end(), isBefore))
    std::stable_sort(spans_.begin(), spans_.end(), isBefore);
}

uint32_t ProfilerSpans::stackOf(std::span<const uint32_t> open, Trace& trace,
                                std::vector<uint32_t>& frames) const {
  frames.clear();
  for (size_t i = open.size(); i-- > 0 && frames.size() < kMostFrames;) {
    const Span& span = spans_[open[i]];
    appendPythonFrames(std::string(trace.strings.at(span.name)), trace, frames);
    if (span.callStack == kNone) continue;
    // The operators outside of this one were called by the same Python frames.
    for (size_t outer = i; outer-- > 0 && spans_[open[outer]].callStack != kNone;) {
      appendPythonFrames(std::string(trace.strings.at(spans_[open[outer]].name)), trace, frames);
    }
    const auto python = trace.stacks.at(span.callStack);
    frames.insert(frames.end(), python.begin(), python.end());
    break;
  }
  if (frames.size() > kMostFrames) frames.resize(kMostFrames);
  return frames.empty() ? kNone : trace.stacks.intern(frames);
}

void ProfilerSpans::attribute(std::vector<Moment>& moments, Trace& trace) const {
  std::vector<uint32_t> order(moments.size());
  std::iota(order.begin(), order.end(), 0);
  const auto isBefore = [&](uint32_t a, uint32_t b) {
    return std::tuple(moments[a].thread, moments[a].time) < std::tuple(moments[b].thread, moments[b].time);
  };
  if (!std::is_sorted(order.begin(), order.end(), isBefore))
    std::stable_sort(order.begin(), order.end(), isBefore);
  std::vector<uint32_t> open, frames;
  size_t next = 0;
  uint32_t stack = kNone;
  bool hasStack = false;  // of what is open now
  for (const uint32_t at : order) {
    Moment& moment = moments[at];
    while (next < spans_.size() &&
           std::tuple(spans_[next].thread, spans_[next].begin) <= std::tuple(moment.thread, moment.time)) {
      while (!open.empty() && (spans_[open.back()].thread != spans_[next].thread ||
                               spans_[open.back()].end <= spans_[next].begin)) {
        open.pop_back();
      }
      open.push_back(static_cast<uint32_t>(next++));
      hasStack = false;
    }
    while (!open.empty() &&
           (spans_[open.back()].thread != moment.thread || spans_[open.back()].end < moment.time)) {
      open.pop_back();
      hasStack = false;
    }
    if (!hasStack) stack = stackOf(open, trace, frames);
    hasStack = true;
    moment.stack = stack;
  }
}

void ProfilerSpans::annotate(int device, int64_t origin, Trace& trace) const {
  std::vector<const Span*> open;
  for (const Span& span : spans_) {
    if (!span.isStep) continue;
    while (!open.empty() && (open.back()->thread != span.thread || open.back()->end <= span.begin))
      open.pop_back();
    const auto depth = static_cast<uint16_t>(std::min<size_t>(open.size(), 0xffff));
    if (open.size() < kMostFrames) open.push_back(&span);
    const int64_t begin = std::max<int64_t>(0, span.begin - origin);
    trace.annotations.push_back(
        {span.name, device, begin, std::max(begin, span.end - origin), depth, true, true});
  }
}

}  // namespace strata

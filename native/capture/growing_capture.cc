#include "capture/growing_capture.h"

namespace strata {

GrowingCapture::Counts GrowingCapture::append(std::span<const uint8_t> lines) {
  const std::scoped_lock lock(mutex_);
  NumberedLines text(lines, nullptr);
  while (text.next()) {
    ++lines_;
    rows_.take(text.line(), {lines_, bytes_ + text.place().byte}, true);
  }
  bytes_ += lines.size();
  return {lines_, bytes_, rows_.events(), rows_.held(), rows_.dropped(), rows_.gaps(), rows_.unreadable()};
}

Trace GrowingCapture::trace() const {
  std::unique_lock lock(mutex_);
  GenericRows rows = rows_;
  const uint64_t bytes = bytes_;
  lock.unlock();
  Trace trace = rows.finish();
  trace.fileBytes = bytes;
  return trace;
}

}  // namespace strata

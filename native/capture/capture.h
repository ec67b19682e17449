#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// Why a file cannot be opened at all. What is merely damaged becomes a Warning on the trace instead.
class CaptureError : public std::runtime_error {
 public:
  CaptureError(std::string code, const std::string& sentence, std::string remedy, int64_t byte = -1)
      : std::runtime_error(sentence), code(std::move(code)), remedy(std::move(remedy)), byte(byte) {}
  std::string code;    ///< stable, e.g. "pickle-forbidden-opcode"
  std::string remedy;  ///< what the user can do, one sentence
  int64_t byte;        ///< position in the file, or -1
};

/// Reads a capture of any format we know, recognised by content. The result holds the recorded events and the
/// final state of each device; blocks and segments are still empty (see allocator/rebuild.h) unless
/// Device::isPlaced.
/// Errors: CaptureError, Cancelled.
Trace readCapture(const std::string& path, const Progress& progress);

/// The same from bytes in memory.
Trace readCapture(std::span<const uint8_t> bytes, const Progress& progress);

/// The format of a file whose beginning this is, as Trace::format names it; "json" or "html" for what may
/// hold a snapshot; empty when no reader knows it. For files in archives, of which only the first part is at
/// hand.
std::string_view recogniseStart(std::span<const uint8_t> start);

}  // namespace strata

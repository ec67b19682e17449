#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace strata::device {

/// Why a recording cannot be begun, in one sentence, and what the user can do.
class RecordingError : public std::runtime_error {
 public:
  RecordingError(std::string code, const std::string& message, std::string remedy)
      : std::runtime_error(message), code_(std::move(code)), remedy_(std::move(remedy)) {}

  /// Stable: "not-a-recording", "recording-of-others", "limit-too-small", "recording-failed".
  const std::string& code() const { return code_; }
  const std::string& remedy() const { return remedy_; }

 private:
  std::string code_, remedy_;
};

}  // namespace strata::device

#pragma once

#include <stdexcept>
#include <string>

namespace strata {

/// A trace or a configuration that cannot be replayed at all.
class ReplayError : public std::runtime_error {
 public:
  ReplayError(std::string code, const std::string& sentence, std::string remedy)
      : std::runtime_error(sentence), code(std::move(code)), remedy(std::move(remedy)) {}
  std::string code;    ///< stable, e.g. "replay-unknown-setting"
  std::string remedy;  ///< what the user can do, one sentence
};

}  // namespace strata

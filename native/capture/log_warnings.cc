#include "capture/log_warnings.h"

#include "capture/text.h"

namespace strata {

void LogWarnings::moveTo(Trace& trace) {
  for (Warning& warning : warnings_) {
    if (warning.isDamage) trace.isComplete = false;
    trace.warnings.push_back(std::move(warning));
  }
  for (const auto& [code, count] : counts_) {
    if (count <= kMostOfAKind) continue;
    trace.warnings.push_back(
        {code, counted(count - kMostOfAKind, "more warning", "more warnings") + " of this kind.", -1, false});
  }
  warnings_.clear();
  counts_.clear();
}

}  // namespace strata

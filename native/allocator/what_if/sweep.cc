#include "allocator/what_if/sweep.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <variant>

#include "allocator/replay_error.h"

namespace strata::what_if {
namespace {

/// Adds up the progress of all runs.
class SharedProgress {
 public:
  SharedProgress(const Progress& progress, uint64_t total) : progress_(progress), total_(total) {}

  bool advance(uint64_t done) {
    const std::scoped_lock lock(mutex_);
    done_ = std::min(done_ + done, total_);
    if (!isCancelled_ && progress_ && !progress_("simulate", done_, total_, 0)) isCancelled_ = true;
    return !isCancelled_;
  }
  void cancel() {
    const std::scoped_lock lock(mutex_);
    isCancelled_ = true;
  }

 private:
  const Progress& progress_;
  std::mutex mutex_;
  uint64_t done_ = 0;
  uint64_t total_;
  bool isCancelled_ = false;
};

using Outcomes = std::vector<std::variant<std::monostate, RunSummary, SweepResult::Refused>>;

/// One run of the sweep; a refusal is an outcome, everything else an error.
void runOne(const Recording& recording, const RunRequest& request, const RunOptions& options,
            SharedProgress& shared, Outcomes::value_type& outcome) {
  uint64_t seen = 0;
  const auto progress = [&](const char*, uint64_t done, uint64_t, uint64_t) {
    const uint64_t more = done - seen;
    seen = done;
    return shared.advance(more);
  };
  try {
    outcome = run(recording, request, options, nullptr, progress);
  } catch (const ReplayError& error) {
    outcome = SweepResult::Refused{request, error.code, error.what()};
  }
  if (!shared.advance(recording.requests.trace.operations.size() - seen)) throw Cancelled();
}

bool isBetter(const RunSummary& a, const RunSummary& b) {
  if ((a.failureCount == 0) != (b.failureCount == 0)) return a.failureCount == 0;
  if (a.failureCount == 0) return a.peakReserved < b.peakReserved;
  if (a.firstFailure->event != b.firstFailure->event) return a.firstFailure->event > b.firstFailure->event;
  return a.failureCount < b.failureCount;
}

SweepResult collect(const std::vector<RunRequest>& requests, Outcomes& outcomes) {
  SweepResult result;
  for (size_t at = 0; at < requests.size(); ++at) {
    if (auto* summary = std::get_if<RunSummary>(&outcomes[at]))
      result.runs.push_back({requests[at], std::move(*summary)});
    if (auto* refused = std::get_if<SweepResult::Refused>(&outcomes[at]))
      result.refused.push_back(std::move(*refused));
  }
  std::stable_sort(result.runs.begin(), result.runs.end(),
                   [](const auto& a, const auto& b) { return isBetter(a.summary, b.summary); });
  return result;
}

}  // namespace

SweepResult sweep(const Recording& recording, const std::vector<RunRequest>& requests,
                  const RunOptions& options, const Progress& progress) {
  SharedProgress shared(progress, recording.requests.trace.operations.size() * requests.size());
  Outcomes outcomes(requests.size());
  std::atomic<size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t at = next++; at < requests.size(); at = next++) {
      try {
        runOne(recording, requests[at], options, shared, outcomes[at]);
      } catch (...) {
        const std::scoped_lock lock(mutex);
        if (!failure) failure = std::current_exception();
        next = requests.size();
        shared.cancel();
      }
    }
  };
  std::vector<std::thread> helpers;
  const size_t threads = std::min<size_t>(std::max(1u, std::thread::hardware_concurrency()), requests.size());
  for (size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  return collect(requests, outcomes);
}

}  // namespace strata::what_if

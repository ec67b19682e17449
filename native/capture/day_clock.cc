#include "capture/day_clock.h"

#include <algorithm>
#include <cstdlib>

#include "capture/rmm_row.h"

namespace strata {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kHour = 3600 * kSecond;
constexpr int64_t kDay = 24 * kHour;

/// The times of day of the next few rows.
std::vector<int64_t> timesOf(TextLines lines) {
  constexpr size_t kMostRows = 7;
  constexpr int kMostLines = 64;
  std::vector<int64_t> times;
  TextLine line;
  for (int read = 0; read < kMostLines && times.size() < kMostRows && lines.next(line); ++read) {
    const auto row = parseRmmRow(line.text);
    if (row && row->clock == RmmClock::TimeOfDay) times.push_back(row->time);
  }
  return times;
}

/// How long after a time of day another one comes next.
int64_t fromTo(int64_t from, int64_t to) { return ((to - from) % kDay + kDay) % kDay; }

/// Whether a log may begin with a time: unless most rows behind it are before it.
bool isFirstBelieved(int64_t timeOfDay, const std::vector<int64_t>& behind) {
  const auto isBefore = [&](int64_t other) {
    const int64_t after = fromTo(timeOfDay, other);
    return after > kDay / 2 && after < kDay - kSecond;
  };
  return 2 * std::count_if(behind.begin(), behind.end(), isBefore) <= std::ssize(behind);
}

}  // namespace

std::optional<int64_t> DayClock::timeOf(int64_t timeOfDay, const TextLines& behind) {
  int64_t time = timeOfDay;
  if (latest_) {
    time += *latest_ - latestOfDay_;
    if (time < *latest_ - kDay / 2) time += kDay;
    if (time - kDay >= *latest_ - kHour) time -= kDay;  // a late row from before midnight
    if (time <= *latest_) return time;
  }
  const bool isNear = latest_ && time <= *latest_ + kSecond;
  if (!isNear && !isBelieved(time, timeOfDay, behind)) return std::nullopt;
  latest_ = time;
  latestOfDay_ = timeOfDay;
  return time;
}

bool DayClock::isBelieved(int64_t time, int64_t timeOfDay, const TextLines& behind) const {
  const std::vector<int64_t> times = timesOf(behind);
  if (!latest_) return isFirstBelieved(timeOfDay, times);
  const auto returns = [&](int64_t other) {
    const int64_t after = fromTo(latestOfDay_ - kSecond, other) - kSecond;
    return after < kHour && after < time - *latest_ - kSecond && std::abs(after) < fromTo(other, timeOfDay);
  };
  return 2 * std::count_if(times.begin(), times.end(), returns) <= std::ssize(times);
}

}  // namespace strata

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

/// How a row of RMM's log says when: a time of day without a date, or seconds of some clock.
enum class RmmClock : uint8_t { TimeOfDay, Seconds };

/// One row of a log of RAPIDS RMM, whichever era wrote it.
struct RmmRow {
  enum class Action : uint8_t { Allocate, Free, Failure, Realloc } action = Action::Allocate;
  std::optional<uint64_t> thread;  ///< not before June 2020
  std::string_view location;       ///< "file:line", only before 2020
  RmmClock clock = RmmClock::TimeOfDay;
  bool isOldClock = false;  ///< microseconds behind a colon, as until spring 2021
  bool isLegacy = false;    ///< of rmm.csv_log(), until early 2020
  int64_t time = 0;         ///< ns
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint64_t stream = 0;
  uint64_t device = 0;  ///< only in legacy rows
  uint64_t total = 0;   ///< memory of the device, only in legacy rows; 0 when not known
};

/// The row of a line, by the shape of its values and not by a header:
///   [thread,]time,action,pointer,size,stream      also in the middle of a line of a Spark executor's log
///   event,device,address,stream,size,free,total,count,start,end,elapsed,location         until early 2020
/// Nothing when the line holds no whole row.
/// Source: rmm/mr/device/logging_resource_adaptor.hpp since 0.13; rmm 0.12's csv_log() before.
std::optional<RmmRow> parseRmmRow(std::string_view line);

/// Whether a line is one of the headers.
bool isRmmHeader(std::string_view line);

/// Whether an action of RMM stands between commas: such a line is meant to be a row.
bool namesRmmAction(std::string_view line);

}  // namespace strata

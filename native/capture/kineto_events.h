#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/chrome_event.h"
#include "capture/numbered_lines.h"
#include "capture/profiler_spans.h"
#include "trace/progress.h"
#include "trace/trace.h"

namespace strata {

/// One `[memory]` or `[OutOfMemory]` event.
struct KinetoMemory {
  int64_t time = 0;   ///< ns
  int64_t bytes = 0;  ///< negative for a free
  uint64_t address = 0;
  uint64_t allocated = kUnknownBytes, reserved = kUnknownBytes;  ///< the device's totals after it
  int32_t deviceType = 0;
  int32_t deviceId = -1;
  uint32_t thread = 0;
  bool hasAddress = false, isFailure = false;
};

/// What a Chrome trace holds, as it is read: everything is in the order of the file.
struct KinetoEvents {
  std::vector<KinetoMemory> memory;
  ProfilerSpans spans;
  std::map<std::pair<std::string, std::string>, std::vector<std::pair<int64_t, double>>>
      counters;              ///< by process and name
  std::string_view process;  ///< that of the first memory event, as written
  int64_t baseNs = 0;        ///< to be added to every time
  uint64_t unreadable = 0;
  uint64_t firstUnreadable = 0;  ///< byte
  TextOddity impossible;         ///< sizes and addresses that no memory has: left out
  uint64_t damages = 0;          ///< places where the text is no JSON, behind which it goes on
  uint64_t firstDamage = 0;      ///< byte
  std::string firstProblem;      ///< what it should have there
};

/// Reads the text of a trace into events, and what it says of devices and the run into the settings.
class KinetoReader {
 public:
  KinetoReader(std::string_view text, Trace& trace, const Progress& progress)
      : text_(text), scanner_(text), trace_(trace), progress_(progress) {}

  /// Errors: those of the scanner, with position() where; what was whole is in events().
  void run();
  KinetoEvents& events() { return events_; }
  size_t position() const { return scanner_.position(); }
  /// After the text broke off: a bare list may leave its bracket out, as writers of Chrome traces do.
  bool isWhole() const { return isBareList_ && !isInside_; }

 private:
  /// What the args of a memory event say, before it is known whether that is enough.
  struct MemoryArgs {
    KinetoMemory memory;
    bool hasBytes = false, hasDevice = false;
  };

  void readList();
  void readEvent();
  bool passDamage(size_t from, const char* problem);
  bool readArgs(const ChromeEvent& event);
  static MemoryArgs readMemoryArgs(JsonScanner& args);
  void take(const ChromeEvent& event, size_t at);
  void takeMemory(const ChromeEvent& event, size_t at, bool isFailure);
  void takeSpan(const ChromeEvent& event);
  void takeCounter(const ChromeEvent& event);
  uint32_t callStackOf(size_t args);
  uint32_t threadOf(std::string_view text);
  void readDevices();
  void readRun();
  void breathe();

  std::string_view text_;
  JsonScanner scanner_;
  Trace& trace_;
  const Progress& progress_;
  KinetoEvents events_;
  std::optional<MemoryArgs> args_;  ///< of the event that is being read, when they were read in passing
  std::unordered_map<std::string_view, uint32_t> threads_;
  std::string_view lastThreadText_;
  uint32_t lastThread_ = 0;
  std::vector<uint32_t> frames_;
  size_t nextPause_ = 0;
  uint32_t unclosed_ = 0;  ///< events that seemed to last to the end of the file, and did not
  bool isBareList_ = false, isInside_ = false;  ///< inside of an event
};

}  // namespace strata

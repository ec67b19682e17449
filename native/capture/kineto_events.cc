#include "capture/kineto_events.h"

#include <charconv>

#include "capture/pickle_text.h"
#include "capture/possible_memory.h"
#include "capture/text.h"
#include "capture/text_numbers.h"

namespace strata {
namespace {

std::optional<int64_t> parseSigned(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Whole numbers that some writers print as 1.4e+14 or with ".0".
std::optional<uint64_t> parseWhole(std::string_view text) {
  if (const auto whole = parseDecimal(text)) return whole;
  try {
    const double real = parseReal(text);
    if (real >= 0 && real <= 9007199254740992.0 && real == static_cast<double>(static_cast<uint64_t>(real)))
      return static_cast<uint64_t>(real);
  } catch (const Malformed&) {  // no number
  }
  return std::nullopt;
}

bool isMemory(std::string_view name) { return name == "[memory]" || name == "[OutOfMemory]"; }

/// Spans that can hold an allocation; kernels, runtime calls and copies cannot.
bool isHostSpan(std::string_view category) {
  return category == "cpu_op" || category == "python_function" || category == "user_annotation" ||
         category == "Operator";
}

}  // namespace

void KinetoReader::breathe() {
  constexpr size_t kBytesBetweenPauses = 1 << 18;
  if (scanner_.position() < nextPause_) return;
  nextPause_ = scanner_.position() + kBytesBetweenPauses;
  if (progress_ && !progress_("read", scanner_.position(), text_.size(), events_.memory.size()))
    throw Cancelled();
}

void KinetoReader::run() {
  breathe();
  if (scanner_.next() == '[') {
    isBareList_ = true;
    return readList();
  }
  scanner_.open('{');
  std::string_view key;
  for (bool isFirst = true; scanner_.member(isFirst, key);) {
    const char start = scanner_.next();
    if (key == "traceEvents" && start == '[') {
      readList();
    } else if (key == "baseTimeNanoseconds") {
      events_.baseNs = parseSigned(readPlainValue(scanner_)).value_or(0);
    } else if (key == "deviceProperties" && start == '[') {
      readDevices();
    } else if (key == "distributedInfo" && start == '{') {
      readRun();
    } else {
      scanner_.skip();
    }
  }
}

void KinetoReader::readList() {
  constexpr uint32_t kMostUnclosed = 16;  // each is read to the end of the file
  scanner_.open('[');
  for (bool isFirst = true;;) {
    const size_t start = scanner_.position();
    try {
      if (!scanner_.item(isFirst)) return;
      breathe();
      readEvent();
    } catch (const JsonScanner::NotJson& error) {
      if (!passDamage(scanner_.position(), error.what())) throw;
      isFirst = true;
    } catch (const EndOfData&) {
      if (!isInside_ || unclosed_ == kMostUnclosed || !passDamage(start + 1, "should have an end")) throw;
      ++unclosed_;
      isFirst = true;
    }
  }
}

void KinetoReader::readEvent() {
  if (scanner_.next() != '{') return scanner_.skip();
  const ReadsArgs readsArgs = [this](const ChromeEvent& event) { return readArgs(event); };
  const size_t at = scanner_.position();
  isInside_ = true;
  args_.reset();
  take(readChromeEvent(scanner_, readsArgs), at);
  isInside_ = false;
}

/// Goes on at the next event behind this byte, which is not inside of another as writers write them: in a
/// list, its phase or name first. False where there is none.
bool KinetoReader::passDamage(size_t from, const char* problem) {
  constexpr std::string_view kBlank = " \n\r\t";
  for (size_t brace = text_.find('{', from); brace != std::string_view::npos;
       brace = text_.find('{', brace + 1)) {
    const size_t before = text_.find_last_not_of(kBlank, brace - 1);
    const size_t key = text_.find_first_not_of(kBlank, brace + 1);
    if (before == std::string_view::npos || text_[before] != ',' || key == std::string_view::npos) continue;
    const std::string_view rest = text_.substr(key, 7);
    if (!rest.starts_with("\"ph\"") && !rest.starts_with("\"name\"")) continue;
    if (events_.damages++ == 0) {
      events_.firstDamage = from;
      events_.firstProblem = problem;
    }
    scanner_ = JsonScanner(text_, brace);
    isInside_ = false;
    return true;
  }
  return false;
}

void KinetoReader::take(const ChromeEvent& event, size_t at) {
  if (event.phase == "X") return takeSpan(event);
  if (event.phase == "C") return takeCounter(event);
  if (event.name == "[memory]") return takeMemory(event, at, false);
  if (event.name == "[OutOfMemory]") return takeMemory(event, at, true);
}

/// The args of memory events are most of a file: where the name came before them, they are read in passing.
bool KinetoReader::readArgs(const ChromeEvent& event) {
  args_.reset();
  if (!isMemory(event.name) || scanner_.next() != '{') return false;
  args_ = readMemoryArgs(scanner_);
  return true;
}

KinetoReader::MemoryArgs KinetoReader::readMemoryArgs(JsonScanner& args) {
  MemoryArgs read;
  KinetoMemory& memory = read.memory;
  if (args.next() != '{') return read;
  args.open('{');
  std::string_view key;
  for (bool isFirst = true; args.member(isFirst, key);) {
    const std::string_view value = readPlainValue(args);
    if (key == "Bytes") {
      const auto bytes = parseSigned(value);
      read.hasBytes = bytes && *bytes != std::numeric_limits<int64_t>::min();
      memory.bytes = bytes.value_or(0);
    } else if (key == "Device Type") {
      const auto type = parseSigned(value);
      read.hasDevice = type && *type >= 0 && *type < 128;
      memory.deviceType = static_cast<int32_t>(read.hasDevice ? *type : 0);
    } else if (key == "Device Id") {
      const auto id = parseSigned(value).value_or(-1);
      memory.deviceId = static_cast<int32_t>(id < -1 || id > 1023 ? -1 : id);
    } else if (key == "Addr") {
      const auto address = parseWhole(value);
      memory.hasAddress = address.has_value();
      memory.address = address.value_or(0);
    } else if (key == "Total Allocated") {
      memory.allocated = parseWhole(value).value_or(kUnknownBytes);
    } else if (key == "Total Reserved") {
      memory.reserved = parseWhole(value).value_or(kUnknownBytes);
    }
  }
  return read;
}

void KinetoReader::takeMemory(const ChromeEvent& event, size_t at, bool isFailure) {
  if (!args_ && event.args != 0) {
    JsonScanner args(text_, event.args);
    if (args.next() != '{') return;
    args_ = readMemoryArgs(args);
  }
  const MemoryArgs read = args_.value_or(MemoryArgs());
  KinetoMemory memory = read.memory;
  memory.isFailure = isFailure;
  if (!read.hasBytes || !read.hasDevice || !event.time) {
    if (events_.unreadable++ == 0) events_.firstUnreadable = at;
    return;
  }
  const auto size = static_cast<uint64_t>(memory.bytes < 0 ? -memory.bytes : memory.bytes);
  if (!isFailure && !isPossibleExtent(memory.address, size)) return events_.impossible.note({0, at});
  memory.time = *event.time;
  memory.thread = threadOf(event.thread);
  if (events_.memory.empty()) events_.process = event.process;
  events_.memory.push_back(memory);
}

void KinetoReader::takeSpan(const ChromeEvent& event) {
  if (!isHostSpan(event.category) || !event.time || !event.duration || *event.duration < 0) return;
  const bool isStep = event.category == "user_annotation" || event.name.starts_with("ProfilerStep#");
  const bool isOperator = event.category == "cpu_op" || event.category == "Operator";
  events_.spans.add({*event.time, *event.time + *event.duration, threadOf(event.thread),
                     trace_.strings.intern(unescaped(event.name)),
                     isOperator && event.args != 0 ? callStackOf(event.args) : kNone, isStep});
}

/// Operators of traces with stacks name the Python frames that called them.
uint32_t KinetoReader::callStackOf(size_t at) {
  JsonScanner args(text_, at);
  if (args.next() != '{') return kNone;
  args.open('{');
  std::string_view key;
  for (bool isFirst = true; args.member(isFirst, key);) {
    if (key != "Call stack") {
      args.skip();
      continue;
    }
    frames_.clear();
    appendPythonFrames(unescaped(readPlainValue(args)), trace_, frames_);
    return frames_.empty() ? kNone : trace_.stacks.intern(frames_);
  }
  return kNone;
}

void KinetoReader::takeCounter(const ChromeEvent& event) {
  constexpr size_t kMostCounters = 4096;
  if (!event.time || event.args == 0) return;
  JsonScanner args(text_, event.args);
  if (args.next() != '{') return;
  args.open('{');
  std::string_view key;
  for (bool isFirst = true; args.member(isFirst, key);) {
    const std::string_view value = readPlainValue(args);
    if (value.empty() || value.find_first_not_of("0123456789.eE+-") != std::string_view::npos) continue;
    std::pair<std::string, std::string> name(unescaped(event.process), unescaped(event.name));
    if (key != "value") name.second += " " + unescaped(key);
    if (events_.counters.size() >= kMostCounters && !events_.counters.contains(name)) continue;
    try {
      const double reading = parseReal(value);
      events_.counters[name].emplace_back(*event.time, reading);
    } catch (const Malformed&) {  // no number after all
    }
  }
}

uint32_t KinetoReader::threadOf(std::string_view text) {
  if (text == lastThreadText_ && !threads_.empty()) return lastThread_;
  lastThreadText_ = text;
  return lastThread_ = threads_.try_emplace(text, static_cast<uint32_t>(threads_.size())).first->second;
}

/// Names and sizes of the devices; nothing else of the machine is looked at.
void KinetoReader::readDevices() {
  constexpr size_t kMostDevices = 64;
  scanner_.open('[');
  for (bool isFirst = true; scanner_.item(isFirst);) {
    if (scanner_.next() != '{') {
      scanner_.skip();
      continue;
    }
    scanner_.open('{');
    std::string id, name, total;
    std::string_view key;
    for (bool isFirstKey = true; scanner_.member(isFirstKey, key);) {
      std::string* wanted = key == "id"               ? &id
                            : key == "name"           ? &name
                            : key == "totalGlobalMem" ? &total
                                                      : nullptr;
      const std::string_view value = readPlainValue(scanner_);
      if (wanted != nullptr) *wanted = unescaped(value);
    }
    if (id.empty() || trace_.settings.size() >= 2 * kMostDevices) continue;
    if (!name.empty()) trace_.settings.emplace_back("device_" + id, name);
    if (!total.empty()) trace_.settings.emplace_back("device_" + id + "_total_memory", total);
  }
}

void KinetoReader::readRun() {
  scanner_.open('{');
  std::string_view key;
  for (bool isFirst = true; scanner_.member(isFirst, key);) {
    const bool isWanted = key == "rank" || key == "world_size" || key == "backend";
    const std::string name(key);
    const std::string_view value = readPlainValue(scanner_);
    if (isWanted && !value.empty()) trace_.settings.emplace_back(name, unescaped(value));
  }
}

}  // namespace strata

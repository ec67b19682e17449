#include "capture/made_captures.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace strata::test {
namespace {

namespace fs = std::filesystem;

/// The folder of all made files, gone at the end of the process.
class MadeFolder {
 public:
  MadeFolder() {
    std::string pattern = (fs::temp_directory_path() / "strata-captures-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
    path_ = pattern;
    const std::string command =
        "python3 \"" STRATA_TEST_DIR "/fixtures/make_captures.py\" \"" + path_.string() + "\"";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot run: " + command);
  }
  ~MadeFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path& madeFolder() {
  static const MadeFolder folder;
  return folder.path();
}

const char* actionName(Action action) {
  constexpr const char* kNames[] = {"alloc",         "free_requested", "free_completed", "segment_alloc",
                                    "segment_free",  "segment_map",    "segment_unmap",  "snapshot",
                                    "out_of_memory", "annotate",       "other"};
  return kNames[static_cast<size_t>(action)];
}

const char* kindName(DeviceKind kind) {
  constexpr const char* kNames[] = {"cuda", "host", "npu", "xpu", "unknown"};
  return kNames[static_cast<size_t>(kind)];
}

const char* stateName(BlockState state) {
  constexpr const char* kNames[] = {"inactive", "allocated", "pending_free"};
  return kNames[static_cast<size_t>(state)];
}

void describeEvents(const Trace& trace, const Device& device, std::ostream& out) {
  const EventColumns& events = device.events;
  for (size_t i = 0; i < events.count(); ++i) {
    out << "  " << actionName(events.action[i]) << " " << std::hex << events.address[i] << std::dec << " "
        << events.size[i];
    if (!events.time.empty()) out << " at " << events.time[i] / 1000;
    if (device.streams[events.stream[i]] != 0) out << " stream " << device.streams[events.stream[i]];
    const auto [first, second] = device.pools[events.pool[i]];
    if (first != 0 || second != 0) out << " pool " << first << "," << second;
    if (!events.label.empty() && events.label[i] != kNone) {
      out << " label " << trace.strings.at(events.label[i]);
    }
    out << describeStack(trace, events.stack[i]) << "\n";
  }
}

void describeFinal(const Trace& trace, const Device& device, std::ostream& out) {
  const FinalState& final = device.final;
  for (const FinalState::Segment& segment : final.segments) {
    out << "  segment " << std::hex << segment.address << std::dec << " " << segment.bytes << " allocated "
        << segment.allocated << " active " << segment.active << " requested " << segment.requested
        << (segment.isLarge ? " large" : " small") << (segment.isExpandable ? " expandable" : "")
        << describeStack(trace, segment.stack) << "\n";
    for (uint32_t i = segment.firstBlock; i < segment.firstBlock + segment.blockCount; ++i) {
      out << "    " << stateName(final.blockState[i]) << " " << std::hex << final.blockAddress[i] << std::dec
          << " " << final.blockBytes[i] << " requested " << final.blockRequested[i]
          << describeStack(trace, final.blockStack[i]) << "\n";
    }
  }
}

}  // namespace

std::string madeCapture(const std::string& name) { return (madeFolder() / name).string(); }

std::vector<std::string> madeCaptures(const std::string& start) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(madeFolder())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<uint8_t> bytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Trace read(const std::string& path) { return readCapture(path, {}); }
Trace read(const std::vector<uint8_t>& bytes) { return readCapture(bytes, {}); }
Trace readText(std::string_view text) { return read(std::vector<uint8_t>(text.begin(), text.end())); }

std::string describeStack(const Trace& trace, uint32_t stack) {
  if (stack == kNone) return "";
  std::string text = " in";
  for (const uint32_t frame : trace.stacks.at(stack)) {
    text += " " + std::string(trace.strings.at(trace.frames.name(frame))) + "@" +
            std::string(trace.strings.at(trace.frames.file(frame))) + ":" +
            std::to_string(trace.frames.line(frame));
  }
  return text;
}

std::string describe(const Trace& trace) {
  std::ostringstream out;
  for (const Device& device : trace.devices) {
    out << kindName(device.kind) << " " << device.ordinal << (device.hasHistory ? "" : " without history")
        << (device.isEventListComplete ? "" : ", events cut off") << "\n";
    describeEvents(trace, device, out);
    describeFinal(trace, device, out);
  }
  for (const Annotation& annotation : trace.annotations) {
    out << "annotation " << trace.strings.at(annotation.name) << " of " << annotation.device << " from "
        << annotation.begin / 1000 << (annotation.hasBegin ? "" : "?") << " to " << annotation.end / 1000
        << (annotation.hasEnd ? "" : "?") << " depth " << annotation.depth << "\n";
  }
  return out.str();
}

std::string warningCodes(const Trace& trace) {
  std::string codes;
  for (const Warning& warning : trace.warnings) codes += (codes.empty() ? "" : " ") + warning.code;
  return codes;
}

namespace {

/// `source`: whatever `read` takes.
template <typename Source>
std::string refusalOfAny(const Source& source) {
  try {
    read(source);
    return "";
  } catch (const CaptureError& error) {
    return error.code;
  }
}

}  // namespace

std::string refusal(const std::string& path) { return refusalOfAny(path); }
std::string refusalOfText(std::string_view text) {
  return refusalOfAny(std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace strata::test

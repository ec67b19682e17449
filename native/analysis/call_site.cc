#include "analysis/call_site.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

namespace strata {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

std::string_view baseName(std::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == path.npos ? path : path.substr(slash + 1);
}

bool isNativeFile(std::string_view file) {
  if (file.empty() || file == "??") return true;
  const std::string_view base = baseName(file);
  const size_t dot = base.rfind('.');
  if (dot == base.npos) return false;
  const std::string_view extension = base.substr(dot + 1);
  constexpr std::array<std::string_view, 16> kNative = {"c",   "cc", "cpp", "cxx", "cu", "cuh", "h",   "hh",
                                                        "hpp", "S",  "s",   "asm", "o",  "so",  "inl", "pyx"};
  return std::find(kNative.begin(), kNative.end(), extension) != kNative.end() || contains(base, ".so.");
}

bool isInterpreterFile(std::string_view file) {
  if (file.front() == '<') return !file.starts_with("<ipython-input");
  return contains(file, "torchinductor_");
}

bool isLibraryFile(std::string_view file) {
  // Windows paths have the same folders behind backslashes and a capital L.
  return contains(file, "site-packages") || contains(file, "dist-packages") ||
         contains(file, "/lib/python3") || contains(file, "\\Lib\\") || contains(file, "/torch/") ||
         contains(file, "\\torch\\") || file.starts_with("torch/");
}

/// Native functions that say nothing about who allocates: taking the stack, and the allocator itself.
bool isPlumbing(std::string_view function) {
  constexpr std::array<std::string_view, 6> kPlumbing = {
      "torch::unwind", "CapturedTraceback", "CachingAllocator", "<unwind", "StorageImpl", "_PyEval"};
  return function.empty() || std::any_of(kPlumbing.begin(), kPlumbing.end(),
                                         [&](std::string_view part) { return contains(function, part); });
}

/// "at::native::empty_strided_cuda(c10::ArrayRef<long>, ...)" -> "at::native::empty_strided_cuda". A return
/// type in front, template arguments and parameters are dropped; operators and odd names stay as they are.
std::string shortened(std::string_view function) {
  std::string name;
  int depth = 0;
  for (const char letter : function) {
    if (letter == '<') ++depth;
    if (depth == 0 && letter == '(') break;
    if (depth == 0) name += letter;
    if (depth == 0 && letter == ' ') name.clear();
    if (letter == '>' && depth > 0) --depth;
  }
  return name.empty() ? std::string(function.substr(0, 80)) : name.substr(0, 80);
}

/// Finds or adds sites. What makes two sites the same: file and line, or for named ones the name alone.
class SiteTable {
 public:
  SiteTable(const Trace& trace, std::vector<CallSites::CallSite>& sites) : trace_(trace), sites_(sites) {}

  uint32_t ofFrame(uint32_t frame) {
    const auto& frames = trace_.frames;
    const auto key = std::make_tuple(frames.file(frame), frames.line(frame), std::string());
    return intern(key, [&] {
      const std::string_view base = baseName(trace_.strings.at(frames.file(frame)));
      const int32_t line = frames.line(frame);
      return CallSites::CallSite{std::string(base) + (line == 0 ? "" : ":" + std::to_string(line)),
                                 std::string(trace_.strings.at(frames.name(frame))), "site"};
    });
  }

  uint32_t named(const std::string& name, std::string_view function) {
    return intern({kNone, 0, name}, [&] { return CallSites::CallSite{name, std::string(function), "site"}; });
  }

 private:
  using Key = std::tuple<uint32_t, int32_t, std::string>;

  template <typename Make>
  uint32_t intern(const Key& key, Make&& make) {
    const auto [place, isNew] = rows_.try_emplace(key, static_cast<uint32_t>(sites_.size()));
    if (isNew) sites_.push_back(make());
    return place->second;
  }

  const Trace& trace_;
  std::vector<CallSites::CallSite>& sites_;
  std::map<Key, uint32_t> rows_;
};

/// What the stacks need to know of a frame, found once for each frame.
struct FrameFacts {
  std::vector<FrameKind> kind;
  std::vector<bool> isEngine, isPlumbing;

  explicit FrameFacts(const Trace& trace) {
    const uint32_t count = trace.frames.count();
    kind.reserve(count);
    for (uint32_t frame = 0; frame < count; ++frame) {
      const std::string_view name = trace.strings.at(trace.frames.name(frame));
      kind.push_back(kindOf(trace, frame));
      isEngine.push_back(kind.back() == FrameKind::Native && contains(name, "torch::autograd::Engine"));
      const bool isPlace = name.empty() && trace.frames.line(frame) > 0;
      isPlumbing.push_back(!isPlace && strata::isPlumbing(name));
    }
  }
};

uint32_t siteOfStack(std::span<const uint32_t> stack, const Trace& trace, const FrameFacts& facts,
                     SiteTable& sites) {
  std::optional<uint32_t> library, native;
  bool isEngine = false;
  for (const uint32_t frame : stack) {
    const FrameKind kind = facts.kind[frame];
    if (kind == FrameKind::Own) return sites.ofFrame(frame);
    isEngine = isEngine || facts.isEngine[frame];
    if (kind == FrameKind::Library && !library) library = frame;
    if (kind == FrameKind::Native && !native && !facts.isPlumbing[frame]) native = frame;
  }
  if (isEngine) return sites.named("autograd engine", "");
  const auto functionOf = [&](uint32_t frame) { return trace.strings.at(trace.frames.name(frame)); };
  // A place without a function, as logs of RMM once gave it, is called by its file and line.
  const auto isPlace = [&](uint32_t frame) { return functionOf(frame).empty(); };
  if (library && isPlace(*library)) return sites.ofFrame(*library);
  if (library) return sites.named(std::string(functionOf(*library)), functionOf(*library));
  if (native && isPlace(*native)) return sites.ofFrame(*native);
  if (native) return sites.named(shortened(functionOf(*native)), functionOf(*native));
  return CallSites::kNoStack;
}

}  // namespace

FrameKind kindOf(const Trace& trace, uint32_t frame) {
  const std::string_view file = trace.strings.at(trace.frames.file(frame));
  if (isNativeFile(file)) return FrameKind::Native;
  if (isInterpreterFile(file)) return FrameKind::Interpreter;
  return isLibraryFile(file) ? FrameKind::Library : FrameKind::Own;
}

CallSites::CallSites(const Trace& trace, bool isOneMoment) : isOneMoment_(isOneMoment) {
  sites_.push_back({"before recording", "", "before"});
  sites_.push_back({"no stack recorded", "", "unknown"});
  const FrameFacts facts(trace);
  SiteTable table(trace, sites_);
  siteOf_.reserve(trace.stacks.count());
  for (uint32_t stack = 0; stack < trace.stacks.count(); ++stack) {
    siteOf_.push_back(siteOfStack(trace.stacks.at(stack), trace, facts, table));
  }
}

size_t CallSites::bytes() const {
  size_t bytes = siteOf_.capacity() * 4 + sites_.capacity() * sizeof(CallSite);
  for (const CallSite& site : sites_) bytes += site.name.capacity() + site.function.capacity();
  return bytes;
}

}  // namespace strata

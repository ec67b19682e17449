#include "allocator/golden_trace.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "allocator/replay_error.h"

namespace strata {
namespace {

using Operation = RequestTrace::Operation;

constexpr size_t kMaximumWords = 4;
constexpr size_t kMaximumWarnings = 100;

/// Which request an id means now. Ids that stay near the number of requests are looked up in an array.
class LiveIds {
 public:
  uint32_t& operator[](uint64_t id) {
    if (id < direct_.size()) return direct_[id];
    if (id <= direct_.size() * 2 + kSlack) {
      direct_.resize(id * 3 / 2 + 1, kNoBlock);
      moveIn();
      return direct_[id];
    }
    return others_.try_emplace(id, kNoBlock).first->second;
  }

 private:
  static constexpr uint64_t kSlack = 1 << 16;
  void moveIn() {
    for (auto at = others_.begin(); at != others_.end();) {
      if (at->first >= direct_.size()) {
        ++at;
        continue;
      }
      direct_[at->first] = at->second;
      at = others_.erase(at);
    }
  }
  std::vector<uint32_t> direct_;
  std::unordered_map<uint64_t, uint32_t> others_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  RequestTrace parse() {
    while (!text_.empty()) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      line_ = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++lineNumber_;
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (line_.starts_with('#'))
        readComment();
      else if (!line_.empty())
        readOperation();
    }
    addSkippedWarnings();
    return std::move(trace_);
  }

 private:
  void readComment() {
    constexpr std::string_view kName = " name=";
    const size_t at = line_.find(kName);
    if (lineNumber_ != 1 || at == std::string_view::npos) return;
    const std::string_view rest = line_.substr(at + kName.size());
    trace_.name = rest.substr(0, rest.find(' '));
  }

  void readOperation() {
    splitWords();
    if (words_[0].size() != 1) fail("is not an operation");
    if (trace_.operations.size() >= kNoBlock) fail("is one operation too many (2^32)");
    switch (words_[0][0]) {
      case 'a':
        return readAllocate();
      case 'f':
        return readUse(Operation::Kind::Free);
      case 'r':
        return readUse(Operation::Kind::RecordStream);
      case 'e':
        return addControl({.kind = Control::Kind::EmptyCache}, 0, false);
      case 's':
        return addControl({.kind = Control::Kind::Synchronize}, 0, true);
      case 'p':
        return addControl({.kind = Control::Kind::BeginPool}, 1, true);
      case 'q':
        return addControl({.kind = Control::Kind::EndPool}, 1, false);
      case 'x':
        return addControl({.kind = Control::Kind::ReleasePool}, 1, false);
      case 'm':
        return addFraction();
      case 't':
        return addControl({.kind = Control::Kind::AdvanceCounter}, 0, false);
      case 'w':
        return addControl({.kind = Control::Kind::SetSafeFrontier}, 1, false);
      case 'b':
        return addControl({.kind = Control::Kind::SetFreedBy}, 1, false);
      default:
        fail("is not an operation");
    }
  }

  void readAllocate() {
    expectWords(3, 4);
    const uint64_t id = number(1);
    const uint32_t request = static_cast<uint32_t>(trace_.ids.size());
    uint32_t& live = live_[id];
    if (live != kNoBlock)
      warn("replay-id-alive",
           "allocates id " + std::to_string(id) +
               " again while it is alive; later operations on it mean the newer block, the older one stays");
    live = request;
    trace_.ids.push_back(id);
    trace_.operations.push_back({.bytes = number(2),
                                 .request = request,
                                 .stream = count_ == 4 ? stream(3) : 0,
                                 .kind = Operation::Kind::Allocate});
  }

  void readUse(Operation::Kind kind) {
    const bool isFree = kind == Operation::Kind::Free;
    expectWords(isFree ? 2 : 3, isFree ? 2 : 3);
    const uint64_t id = number(1);
    uint32_t& live = live_[id];
    if (live == kNoBlock) {
      warn(isFree ? "replay-free-unknown" : "replay-stream-unknown",
           std::string(isFree ? "frees id " : "records a stream on id ") + std::to_string(id) +
               ", which is not alive; it is ignored");
      trace_.operations.push_back({});
      return;
    }
    trace_.operations.push_back({.request = live, .stream = isFree ? 0 : stream(2), .kind = kind});
    if (isFree) live = kNoBlock;
  }

  void addControl(Control control, size_t values, bool mayHaveStream) {
    expectWords(1 + values, 1 + values + (mayHaveStream ? 1 : 0));
    if (values == 1) control.value = number(1);
    if (count_ > 1 + values) {
      control.hasStream = true;
      control.stream = stream(1 + values);
    }
    if (control.kind == Control::Kind::BeginPool && control.value == 0) fail("has a pool id of 0");
    push(control);
  }

  void addFraction() {
    expectWords(2, 2);
    const std::string text(words_[1]);
    char* end = nullptr;
    const double fraction = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size() || !(fraction >= 0 && fraction <= 1))
      fail("does not have a fraction between 0 and 1");
    push({.kind = Control::Kind::SetMemoryFraction, .fraction = fraction});
  }

  void push(const Control& control) {
    trace_.operations.push_back(
        {.request = static_cast<uint32_t>(trace_.controls.size()), .kind = Operation::Kind::Control});
    trace_.controls.push_back(control);
  }

  void splitWords() {
    count_ = 0;
    std::string_view rest = line_;
    while (true) {
      const size_t begin = rest.find_first_not_of(" \t");
      if (begin == std::string_view::npos) break;
      const size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
      if (count_ == kMaximumWords) fail("has too many words");
      words_[count_++] = rest.substr(begin, end - begin);
      rest.remove_prefix(end);
    }
    if (count_ == 0) fail("is blank");
  }
  void expectWords(size_t least, size_t most) const {
    if (count_ < least) fail("is too short");
    if (count_ > most) fail("has too many words");
  }
  uint64_t number(size_t word) const {
    uint64_t value = 0;
    const char* begin = words_[word].data();
    const auto [end, error] = std::from_chars(begin, begin + words_[word].size(), value);
    if (error != std::errc() || end != begin + words_[word].size() || value > uint64_t{1} << 63)
      fail("does not have a whole number from 0 to 2^63 where it should");
    return value;
  }
  uint32_t stream(size_t word) const {
    const uint64_t value = number(word);
    if (value >= kNoBlock) fail("has a stream number above 2^32");
    return static_cast<uint32_t>(value);
  }

  [[noreturn]] void fail(const std::string& why) const {
    std::string shown(line_.substr(0, 60));
    throw ReplayError(
        "replay-bad-line",
        "Line " + std::to_string(lineNumber_) + " of the trace, \"" + shown + "\", " + why + ".",
        "Check the line against the trace format in test/golden/vectors/README.md.");
  }
  void warn(const char* code, const std::string& what) {
    if (trace_.warnings.size() >= kMaximumWarnings) {
      ++skippedWarnings_;
      return;
    }
    const size_t index = trace_.operations.size();
    trace_.warnings.push_back({.code = code,
                               .message = "Operation " + std::to_string(index) + " " + what + ".",
                               .byte = static_cast<int64_t>(index),
                               .isDamage = true});
  }

  void addSkippedWarnings() {
    if (skippedWarnings_ == 0) return;
    trace_.warnings.push_back(
        {.code = "replay-more-warnings",
         .message = "There are " + std::to_string(skippedWarnings_) + " more warnings of this kind.",
         .isDamage = true});
  }

  std::string_view text_;
  std::string_view line_;
  size_t lineNumber_ = 0;
  size_t skippedWarnings_ = 0;
  std::array<std::string_view, kMaximumWords> words_;
  size_t count_ = 0;
  LiveIds live_;
  RequestTrace trace_;
};

}  // namespace

RequestTrace parseGoldenTrace(std::string_view text) { return Parser(text).parse(); }

}  // namespace strata

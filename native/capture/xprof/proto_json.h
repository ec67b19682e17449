#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "capture/json_scanner.h"
#include "capture/possible_memory.h"
#include "trace/progress.h"

namespace strata::xprof {

/// Walks a protobuf message that was written as JSON. Values of another kind than asked for are passed over.
/// Errors: those of the scanner, Cancelled.
/// Source: "ProtoJSON format" in the Protocol Buffers documentation.
class ProtoJson {
 public:
  /// Starts behind a byte order mark.
  ProtoJson(std::string_view text, const Progress& progress)
      : text_(text), scanner_(text, text.starts_with("\xef\xbb\xbf") ? 3 : 0), progress_(progress) {}

  size_t position() const { return scanner_.position(); }
  bool isAtEnd() { return scanner_.isAtEnd(); }

  /// Calls `use` with the key of each member of an object, as written; it must read or skip the value.
  template <typename Use>
  void members(const Use& use) {
    if (scanner_.next() != '{') return scanner_.skip();
    scanner_.open('{');
    std::string_view key;
    for (bool isFirst = true; scanner_.member(isFirst, key);) use(key);
  }

  /// Calls `use` at each item of a list; it must read or skip the item.
  template <typename Use>
  void items(const Use& use) {
    if (scanner_.next() != '[') return scanner_.skip();
    scanner_.open('[');
    for (bool isFirst = true; scanner_.item(isFirst);) {
      breathe();
      use();
    }
  }

  /// A whole number, in quotes or without; nothing for one that is none, negative or no number of bytes.
  std::optional<uint64_t> whole();
  std::optional<int64_t> integer();
  std::optional<double> real();
  /// A text as written, escapes and all.
  std::string_view text();
  void skip() { scanner_.skip(); }

 private:
  void breathe();

  std::string_view text_;
  JsonScanner scanner_;
  const Progress& progress_;
  size_t nextPause_ = 0;
};

/// Whether a key is that of a field, "heap_sizes": printers write it so or as "heapSizes".
bool isField(std::string_view key, std::string_view field);

/// Mebibytes as bytes: exact for what was a whole number of bytes. Nothing for what no device holds.
std::optional<uint64_t> bytesOfMebibytes(double mebibytes);

}  // namespace strata::xprof

#include "capture/xprof/xprof_capture.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "capture/xprof/memory_profile.h"
#include "capture/xprof/memory_viewer.h"
#include "capture/xprof/proto_json.h"

namespace strata::xprof {
namespace {

/// The viewer's lists come one after the other; of a file that ends in the first, that one has to do.
bool isOfViewer(std::string_view key) {
  return isField(key, "heap_sizes") || isField(key, "unpadded_heap_sizes") || isField(key, "max_heap") ||
         isField(key, "logical_buffer_spans") || isField(key, "buffer_blocks");
}

}  // namespace

Tool recognise(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 16 << 20;
  std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kSearched));
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  int ofViewer = 0;
  const bool isCut = [&] {
    try {
      JsonScanner scanner(text);
      scanner.open('{');
      std::string_view key;
      for (bool isFirst = true; scanner.member(isFirst, key);) {
        if (isField(key, "memory_profile_per_allocator")) {
          ofViewer = -1;
          return false;
        }
        ofViewer += isOfViewer(key) ? 1 : 0;
        if (ofViewer == 2) return false;
        scanner.skip();
      }
    } catch (const EndOfData&) {
      return true;
    } catch (const JsonScanner::NotJson&) {  // not even JSON as far as that
    }
    return false;
  }();
  if (ofViewer < 0) return Tool::MemoryProfile;
  return ofViewer >= 2 || (ofViewer == 1 && isCut) ? Tool::MemoryViewer : Tool::None;
}

Trace read(Tool tool, std::span<const uint8_t> bytes, const Progress& progress) {
  return tool == Tool::MemoryProfile ? readMemoryProfile(bytes, progress) : readMemoryViewer(bytes, progress);
}

}  // namespace strata::xprof

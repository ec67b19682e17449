#include "capture/keywords.h"

#include <array>

namespace strata {
namespace {

/// In the order of Word.
constexpr std::array<std::string_view, kWordCount> kTexts = {
    "segments",
    "device_traces",
    "allocator_settings",
    "external_annotations",
    "host_segments",
    "host_traces",
    "trace_alloc_max_entries",
    "trace_alloc_overflowed",
    "action",
    "addr",
    "size",
    "stream",
    "time_us",
    "device_free",
    "compile_context",
    "user_metadata",
    "pool_id",
    "frames",
    "name",
    "filename",
    "line",
    "device",
    "address",
    "total_size",
    "allocated_size",
    "active_size",
    "requested_size",
    "segment_type",
    "segment_pool_id",
    "is_expandable",
    "blocks",
    "state",
    "history",
    "real_size",
    "stage",
    "graph_capture_record_stream_reuse",
    "alloc",
    "free_requested",
    "free_completed",
    "free",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
    "annotate",
    "user_defined",
    "workspace_snapshot",
    "small",
    "large",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "inactive",
    "START",
    "END",
    "N/A",
    "",
};

constexpr uint32_t kSlots = 512;

constexpr uint32_t slotOf(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&](size_t i) { return static_cast<uint32_t>(static_cast<unsigned char>(text[i])); };
  const uint32_t size = static_cast<uint32_t>(text.size());
  return (size * 131 + at(0) * 31 + at(size / 2) * 17 + at(size - 1) * 7) % kSlots;
}

constexpr std::array<uint8_t, kSlots> makeSlots() {
  std::array<uint8_t, kSlots> slots{};
  slots.fill(static_cast<uint8_t>(Word::Count));
  for (int word = 0; word < kWordCount; ++word) {
    uint32_t slot = slotOf(kTexts[word]);
    while (slots[slot] != static_cast<uint8_t>(Word::Count)) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<uint8_t>(word);
  }
  return slots;
}

constexpr std::array<uint8_t, kSlots> kWordAtSlot = makeSlots();

}  // namespace

std::string_view wordText(Word word) { return kTexts[static_cast<size_t>(word)]; }

Word findWord(std::string_view text) {
  for (uint32_t slot = slotOf(text);; slot = (slot + 1) % kSlots) {
    const uint8_t word = kWordAtSlot[slot];
    if (word == static_cast<uint8_t>(Word::Count)) return Word::Count;
    if (kTexts[word] == text) return static_cast<Word>(word);
  }
}

}  // namespace strata

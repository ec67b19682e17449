#pragma once

#include <cstdint>
#include <string_view>

namespace strata {

/// The words a snapshot is written in. Those used as keys come first, so that a set of keys fits in 64 bits.
enum class Word : uint8_t {
  // keys of the whole
  Segments,
  DeviceTraces,
  AllocatorSettings,
  ExternalAnnotations,
  HostSegments,
  HostTraces,
  MaxEntries,
  Overflowed,
  // keys of events
  Action,
  Addr,
  Size,
  Stream,
  TimeUs,
  DeviceFree,
  CompileContext,
  UserMetadata,
  PoolId,
  Frames,
  // keys of frames
  Name,
  Filename,
  Line,
  // keys of segments
  DeviceOrdinal,
  Address,
  TotalSize,
  AllocatedSize,
  ActiveSize,
  RequestedSize,
  SegmentType,
  SegmentPoolId,
  IsExpandable,
  Blocks,
  // keys of blocks and their history
  State,
  History,
  RealSize,
  // keys of annotations
  Stage,
  // keys of settings
  StreamReuse,
  // values
  Alloc,
  FreeRequested,
  FreeCompleted,
  Free,
  SegmentAlloc,
  SegmentFree,
  SegmentMap,
  SegmentUnmap,
  Snapshot,
  OutOfMemory,
  Annotate,
  UserDefined,
  WorkspaceSnapshot,
  Small,
  Large,
  Active,
  PendingFree,
  AwaitingFree,
  Inactive,
  Start,
  End,
  NotApplicable,
  Empty,
  Count,
};

inline constexpr int kWordCount = static_cast<int>(Word::Count);
inline constexpr int kKeyCount = static_cast<int>(Word::Alloc);
static_assert(kKeyCount <= 64);

/// A set of keys, one bit each.
using KeySet = uint64_t;
constexpr KeySet keyBit(Word word) { return KeySet{1} << static_cast<int>(word); }

std::string_view wordText(Word word);
/// The word with this text, or Word::Count. One hash and one comparison.
Word findWord(std::string_view text);

}  // namespace strata

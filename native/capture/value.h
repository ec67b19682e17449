#pragma once

#include <cstdint>
#include <span>

namespace strata {

/// What an operand of the snapshot machine is. Rows point into tables of the trace under construction, nodes
/// into the builder's lists and dicts that are not (yet) rows.
enum class Kind : uint8_t {
  Unset,         ///< a memo entry that was never stored
  Nothing,       ///< None, null
  Boolean,       ///< payload 0 or 1
  Integer,       ///< the payload itself, 56 bits with sign
  Wide,          ///< non-negative integer: row of the 64-bit values
  WideNegative,  ///< negative integer: row of the 64-bit values
  Real,          ///< row of the 64-bit values, as the bits of a double
  Opaque,        ///< a value that no snapshot needs: an integer above 64 bit, raw bytes
  String,        ///< Trace::strings row
  Keyword,       ///< one of the words of keywords.h
  Pair,          ///< row of the pairs of integers (pool ids)
  Frame,         ///< Trace::frames row
  Stack,         ///< Trace::stacks row
  Event,         ///< sink in the upper 24 bits, its row in the lower 32
  Block,
  Segment,
  Annotation,
  History,
  List,  ///< node; this and the kinds after it are nodes
  Dict,
  Tuple,
};

/// One operand in eight bytes: the kind in the top byte, a payload in the other seven. Millions of them wait
/// on the stack and in the memo, so they are kept this small; the rare 64-bit number lives in a side table.
struct Value {
  uint64_t bits = 0;

  static constexpr int kPayloadBits = 56;
  static constexpr uint64_t kPayloadMask = (uint64_t{1} << kPayloadBits) - 1;

  static Value of(Kind kind, uint64_t payload) {
    return {uint64_t{static_cast<uint8_t>(kind)} << kPayloadBits | (payload & kPayloadMask)};
  }
  static Value event(uint32_t sink, uint32_t row) { return of(Kind::Event, uint64_t{sink} << 32 | row); }

  Kind kind() const { return static_cast<Kind>(bits >> kPayloadBits); }
  uint64_t payload() const { return bits & kPayloadMask; }
  uint32_t row() const { return static_cast<uint32_t>(bits); }
  int64_t integer() const { return static_cast<int64_t>(bits << 8) >> 8; }
  uint32_t sink() const { return static_cast<uint32_t>(payload() >> 32); }
  bool isNode() const { return kind() >= Kind::List; }
  bool is(Kind wanted) const { return kind() == wanted; }
};

/// Whether every value is of one kind. Without a branch a value, for it is asked of every stack.
inline bool areAll(Kind kind, std::span<const Value> values) {
  const uint64_t wanted = Value::of(kind, 0).bits;
  uint64_t difference = 0;
  for (const Value value : values) difference |= value.bits ^ wanted;
  return (difference & ~Value::kPayloadMask) == 0;
}

/// Events name their list of origin in 24 bits.
inline constexpr uint32_t kMaxSinks = 1u << 16;

}  // namespace strata

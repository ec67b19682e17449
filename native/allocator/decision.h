#pragma once

#include <cstdint>

namespace strata {

/// One thing an allocator looked at or did while it served one operation, in the order it happened.
///
///   allocate 7 MiB   Round 7 MiB · Consider hole A (TooSmall) · Consider hole B (Fits) · Take B · Split rest
///   of B
struct Decision {
  enum class Step : uint8_t {
    Round,     ///< the request became `bytes`
    Consider,  ///< a free block (or tier, bin, reuse policy) was looked at; `reason` says what was found
    Take,      ///< this memory serves the request
    Split,     ///< the rest, kept free
    Coalesce,  ///< free neighbours became this one block
    Grow,      ///< the driver was asked for `bytes`; `reason` says with what result
    Flush,     ///< given back to the driver
    Defer,     ///< the free waits, e.g. for a stream
    Refuse,    ///< the request fails
  };
  enum class Reason : uint8_t {
    None,
    Fits,
    TooSmall,
    RestTooLarge,     ///< taking it would leave more unused than a setting allows
    AboveSplitLimit,  ///< blocks this large are kept for requests this large
    OtherStream,
    OtherPool,
    TierOff,
    BelowThreshold,
    AboveThreshold,
    LimitReached,   ///< the allocator's own limit
    DeviceRefused,  ///< the device has no room
    NotYetSafe,     ///< work on the memory is not known to be complete
    NothingFree,
    CollectGarbage,
    OutOfMemory,         ///< done to make room after a refusal
    Released,            ///< a setting or the program asked for it
    ExactFit,            ///< of exactly the size that is needed
    SameStream,          ///< freed earlier on the stream that asks
    EventDependency,     ///< the stream that asks already waits for the free
    CompletedFree,       ///< the free is known to be complete
    InternalDependency,  ///< the stream that asks is made to wait for the free
    PolicyOff,           ///< a reuse policy that the settings turn off
    Remapped,            ///< unused physical memory moves to other addresses
    Stitched,            ///< several blocks get one contiguous range of addresses
    Synchronized,        ///< all streams are waited for
    ImmediateTier,       ///< the tier is asked; the next decisions say what it found
    PooledTier,
    VirtualTier,
    StepEnd,  ///< given back because a step of the program ended
    Planned,  ///< the place was chosen before the program began
  };
  Step step = Step::Consider;
  Reason reason = Reason::None;
  uint64_t address = 0;  ///< 0 when there is none
  uint64_t bytes = 0;
};

/// Receives decisions in order. Without a sink none is built: off costs one predictable branch.
class DecisionSink {
 public:
  virtual ~DecisionSink() = default;
  virtual void onDecision(const Decision& decision) = 0;
};

}  // namespace strata

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace strata::bfc {

/// A size as TensorFlow writes it for people: "512B", "21.2KiB", "37.11GiB".
///
/// Below 1 KiB the bytes, KiB with one decimal, above with two; each unit above MiB divides by 1024 without
/// rest before it is written, and a tie is rounded up or to even, depending on the C library.
/// Source: HumanReadableNumBytes in tensorflow/core/platform/numbers.cc.
struct HumanBytes {
  uint64_t digits = 0;  ///< 3711 for "37.11GiB"
  int decimals = 0;
  int unit = 0;  ///< power of 1024
  std::string_view text;

  /// The middle of what the text may stand for.
  double bytes() const;
  /// Whether a size is written like this.
  bool standsFor(uint64_t bytes) const;
  /// The size itself where the text says it: below 1 KiB, or without a unit.
  std::optional<uint64_t> exact() const;
};

}  // namespace strata::bfc

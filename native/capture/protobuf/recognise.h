#pragma once

#include <cstdint>
#include <span>

namespace strata::protobuf {

/// The messages that are read here. Protobuf has no signature: what tells them apart is the shape of their
/// first fields.
enum class Schema {
  None,
  XSpace,      ///< a profile of TensorFlow, JAX or PyTorch/XLA
  MemoryDump,  ///< the state of a TensorFlow BFC allocator at a failure
  Pprof,       ///< JAX's device memory profile
  HloProto,    ///< an XLA module with its buffer assignment
};

Schema recognise(std::span<const uint8_t> bytes);

}  // namespace strata::protobuf

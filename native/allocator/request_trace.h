#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "allocator/allocator.h"

namespace strata {

/// What a program asked of its allocator, in order, without any answer: what a simulation is driven by.
/// Requests are numbered from 0 in order of allocation, so that a free needs no table of ids.
struct RequestTrace {
  struct Operation {
    enum class Kind : uint8_t {
      Allocate,
      Free,
      RecordStream,
      Control,
      Ignored,  ///< kept for its place in the order only; a warning says why
    };
    uint64_t bytes = 0;    ///< Allocate
    uint32_t request = 0;  ///< which request; Control: row of `controls`
    uint32_t stream = 0;
    Kind kind = Kind::Ignored;
  };

  std::string name;
  std::vector<Operation> operations;
  std::vector<uint64_t> ids;  ///< of each request, as the source names it
  std::vector<Control> controls;
  std::vector<Warning> warnings;  ///< what was defined rather than read; `byte` is the operation's index
};

}  // namespace strata

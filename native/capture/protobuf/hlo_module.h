#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "capture/protobuf/wire.h"

namespace strata::protobuf {

/// What an XLA module says of one of its instructions; views into the file.
struct HloInstruction {
  std::string_view name, opcode, opName, sourceFile;
  int32_t sourceLine = 0;
};

struct LogicalBuffer {
  uint64_t id = 0;
  uint64_t bytes = 0;
  uint64_t instructionId = 0;
  std::string_view instructionName;  ///< of older files
  int64_t memorySpace = 0;           ///< XLA calls it the colour
};

struct AssignedBuffer {
  uint64_t buffer = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct BufferAllocation {
  uint64_t index = 0;
  uint64_t bytes = 0;
  int64_t memorySpace = 0;
  uint64_t parameter = 0;
  bool isThreadLocal = false, isParameter = false, isLiveOut = false, isConstant = false, isTuple = false;
  bool isCut = false;  ///< the file ends inside it
  std::vector<AssignedBuffer> assigned;
};

struct HeapEvent {
  enum class Kind : uint8_t { Allocate, Free, Share };
  Kind kind = Kind::Allocate;
  uint64_t buffer = 0;
  uint64_t sharedWith = 0;  ///< of Share
  std::string_view computation, instruction;
};

/// The order in which a simulated heap served one allocation.
struct HeapTrace {
  uint64_t allocation = 0;  ///< follows the events, so one that isCut may not say it
  bool isCut = false;       ///< the file ends inside it
  std::vector<HeapEvent> events;
};

/// An XLA module with the result of its buffer assignment, as `--xla_dump_to` writes it.
/// Source: xla/service/hlo.proto: HloProto (1 module, 3 buffer assignment), BufferAssignmentProto,
/// LogicalBufferProto, BufferAllocationProto, HeapSimulatorTrace.
struct HloModule {
  std::string_view name;
  std::unordered_map<uint64_t, HloInstruction> instructions;  ///< by id
  std::unordered_map<std::string_view, uint64_t> byName;      ///< ids of the instructions
  std::unordered_map<uint64_t, LogicalBuffer> buffers;        ///< by id
  std::vector<BufferAllocation> allocations;
  std::vector<HeapTrace> heapTraces;
  bool hasAssignment = false;
  bool isDamaged = false;
  uint64_t damagedAt = 0;  ///< position in the file
};

HloModule readHloModule(std::string_view bytes);

}  // namespace strata::protobuf

#include "capture/protobuf/hlo_module.h"

namespace strata::protobuf {
namespace {

void readMetadata(const Field& whole, HloInstruction& instruction) {
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(2, Wire::Bytes)) instruction.opName = field.bytes;
    if (field.is(3, Wire::Bytes)) instruction.sourceFile = field.bytes;
    if (field.is(4, Wire::Varint)) instruction.sourceLine = static_cast<int32_t>(field.value);
  }
}

void readInstruction(const Field& whole, HloModule& module) {
  HloInstruction instruction;
  uint64_t id = 0;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Bytes)) instruction.name = field.bytes;
    if (field.is(2, Wire::Bytes)) instruction.opcode = field.bytes;
    if (field.is(7, Wire::Bytes)) readMetadata(field, instruction);
    if (field.is(35, Wire::Varint)) id = field.value;
  }
  module.byName.emplace(instruction.name, id);
  module.instructions.emplace(id, instruction);
}

void readComputations(const Field& whole, HloModule& module) {
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Bytes)) module.name = field.bytes;
    if (!field.is(3, Wire::Bytes)) continue;
    Message computation(field);
    for (Field part; computation.next(part);) {
      if (part.is(2, Wire::Bytes)) readInstruction(part, module);
    }
  }
}

void readLogicalBuffer(const Field& whole, HloModule& module) {
  LogicalBuffer buffer;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Varint)) buffer.id = field.value;
    if (field.is(2, Wire::Varint)) buffer.bytes = field.value;
    if (field.is(4, Wire::Varint)) buffer.memorySpace = field.integer();
    if (!field.is(3, Wire::Bytes)) continue;
    Message location(field);
    for (Field part; location.next(part);) {
      if (part.is(2, Wire::Bytes)) buffer.instructionName = part.bytes;
      if (part.is(4, Wire::Varint)) buffer.instructionId = part.value;
    }
  }
  module.buffers.emplace(buffer.id, buffer);
}

AssignedBuffer readAssigned(const Field& whole) {
  AssignedBuffer assigned;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Varint)) assigned.buffer = field.value;
    if (field.is(2, Wire::Varint)) assigned.offset = field.value;
    if (field.is(3, Wire::Varint)) assigned.bytes = field.value;
  }
  return assigned;
}

BufferAllocation readAllocation(const Field& whole) {
  BufferAllocation allocation;
  allocation.isCut = whole.isCut;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(9, Wire::Bytes) && !field.isCut) allocation.assigned.push_back(readAssigned(field));
    if (field.wire != Wire::Varint) continue;
    switch (field.number) {
      case 1:
        allocation.index = field.value;
        break;
      case 2:
        allocation.bytes = field.value;
        break;
      case 3:
        allocation.isThreadLocal = field.value != 0;
        break;
      case 5:
        allocation.isParameter = field.value != 0;
        break;
      case 6:
        allocation.parameter = field.value;
        break;
      case 7:
        allocation.isLiveOut = field.value != 0;
        break;
      case 8:
        allocation.memorySpace = field.integer();
        break;
      case 11:
        allocation.isTuple = field.value != 0;
        break;
      case 12:
        allocation.isConstant = field.value != 0;
        break;
      default:
        break;
    }
  }
  return allocation;
}

HeapEvent readHeapEvent(const Field& whole) {
  HeapEvent event;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Varint) && field.value <= 2) event.kind = static_cast<HeapEvent::Kind>(field.value);
    if (field.is(2, Wire::Varint)) event.buffer = field.value;
    if (field.is(3, Wire::Bytes)) event.computation = field.bytes;
    if (field.is(4, Wire::Bytes)) event.instruction = field.bytes;
    if (field.is(5, Wire::Varint)) event.sharedWith = field.value;
  }
  return event;
}

HeapTrace readHeapTrace(const Field& whole) {
  HeapTrace trace;
  trace.isCut = whole.isCut;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Bytes) && !field.isCut) trace.events.push_back(readHeapEvent(field));
    if (field.is(3, Wire::Varint)) trace.allocation = field.value;
  }
  return trace;
}

void readAssignment(const Field& whole, HloModule& module) {
  module.hasAssignment = true;
  Message message(whole);
  for (Field field; message.next(field);) {
    if (field.is(1, Wire::Bytes) && !field.isCut) readLogicalBuffer(field, module);
    if (field.is(3, Wire::Bytes)) module.allocations.push_back(readAllocation(field));
    if (field.is(4, Wire::Bytes)) module.heapTraces.push_back(readHeapTrace(field));
  }
  if (message.isDamaged() && !module.isDamaged) {
    module.isDamaged = true;
    module.damagedAt = message.position();
  }
}

}  // namespace

HloModule readHloModule(std::string_view bytes) {
  HloModule module;
  Message file(bytes);
  for (Field field; file.next(field);) {
    if (field.isCut && !module.isDamaged) {
      module.isDamaged = true;
      module.damagedAt = bytes.size();
    }
    if (field.is(1, Wire::Bytes)) readComputations(field, module);
    if (field.is(3, Wire::Bytes)) readAssignment(field, module);
  }
  if (file.isDamaged() && !module.isDamaged) {
    module.isDamaged = true;
    module.damagedAt = file.position();
  }
  return module;
}

}  // namespace strata::protobuf

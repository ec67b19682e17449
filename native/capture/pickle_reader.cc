#include "capture/pickle_reader.h"

#include <bit>

#include "capture/capture.h"
#include "capture/pickle_opcodes.h"
#include "capture/pickle_text.h"
#include "capture/text.h"

namespace strata {
namespace {

constexpr uint8_t kNewestProtocol = 5;

[[noreturn]] void refuseOpcode(uint8_t code, uint64_t position) {
  if (const char* name = forbiddenOpcodeName(code)) {
    throw CaptureError("pickle-forbidden-opcode",
                       "This pickle asks to run code or build objects (opcode " + std::string(name) +
                           " at byte " + grouped(position) + "), which Strata never does.",
                       "A memory snapshot holds only plain values: open the file that "
                       "torch.cuda.memory._dump_snapshot() wrote.",
                       static_cast<int64_t>(position));
  }
  throw Malformed("has the unknown opcode " + hexadecimal(code));
}

/// Two's complement, little-endian, of any length.
void pushLong(ByteFeed& feed, Machine& machine, uint64_t length) {
  if (length <= 8) return machine.pushInteger(feed.signedNumber(length));
  if (length > 9) {
    feed.skip(length);
    return machine.pushOpaque();
  }
  const uint64_t number = feed.number<uint64_t>();
  const uint8_t ninth = feed.byte();
  if (ninth == 0) return machine.pushUnsigned(number);
  const bool fits = ninth == 0xff && (number >> 63) != 0;
  return fits ? machine.pushInteger(static_cast<int64_t>(number)) : machine.pushOpaque();
}

/// Three quarters of all opcodes refer to the memo, most in runs: the frames of a stack. They are taken
/// together, without a look at anything between them.
void runReferences(ByteFeed& feed, Machine& machine, uint64_t index) {
  do {
    machine.get(index);
  } while (feed.takeIf<uint32_t>(opcode::kLongBinGet, index) || feed.takeIf<uint8_t>(opcode::kBinGet, index));
}

double bigEndianDouble(ByteFeed& feed) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits = bits << 8 | feed.byte();
  return std::bit_cast<double>(bits);
}

/// Memo indices grow by one with each entry, so none can be above the number of bytes read so far; a larger
/// one would only cost memory.
uint64_t checkedIndex(const ByteFeed& feed, uint64_t index) {
  if (index > feed.position())
    throw Malformed("stores entry " + grouped(index) + " of its memo far too early");
  return index;
}

void checkProtocol(uint8_t protocol) {
  if (protocol > kNewestProtocol) {
    throw Malformed("says it is of protocol " + std::to_string(protocol) + ", and the newest known is 5");
  }
}

/// The opcodes of protocols 0 and 1 that are rare or long since replaced. False when it is none of them.
bool runOldOpcode(uint8_t code, ByteFeed& feed, Machine& machine) {
  switch (code) {
    case opcode::kInt:
    case opcode::kLong:
      pushDecimal(feed.line(), machine);
      return true;
    case opcode::kFloat:
      machine.pushReal(parseReal(feed.line()));
      return true;
    case opcode::kString:
      machine.pushText(unquote(feed.line()));
      return true;
    case opcode::kUnicode:
      machine.pushText(unescapeRaw(feed.line()));
      return true;
    case opcode::kBinString:
      machine.pushText(feed.text(feed.number<uint32_t>()));
      return true;
    case opcode::kShortBinString:
      machine.pushText(feed.text(feed.byte()));
      return true;
    case opcode::kGet:
      machine.get(parseIndex(feed.line()));
      return true;
    case opcode::kPut:
      machine.put(checkedIndex(feed, parseIndex(feed.line())));
      return true;
    case opcode::kDict:
      machine.makeDictFromMark();
      return true;
    case opcode::kList:
      machine.makeListFromMark();
      return true;
    case opcode::kPop:
      machine.pop();
      return true;
    case opcode::kPopMark:
      machine.popMark();
      return true;
    case opcode::kDup:
      machine.duplicate();
      return true;
    default:
      return false;
  }
}

/// The opcodes that no snapshot seen so far uses, but a writer of plain values may. False when it is none.
bool runRareOpcode(uint8_t code, ByteFeed& feed, Machine& machine) {
  switch (code) {
    case opcode::kLong4:
      pushLong(feed, machine, feed.number<uint32_t>());
      return true;
    case opcode::kBinUnicode8:
      machine.pushText(feed.text(feed.number<uint64_t>()));
      return true;
    case opcode::kBinBytes:
      feed.skip(feed.number<uint32_t>());
      machine.pushOpaque();
      return true;
    case opcode::kShortBinBytes:
      feed.skip(feed.byte());
      machine.pushOpaque();
      return true;
    case opcode::kBinBytes8:
    case opcode::kByteArray8:
      feed.skip(feed.number<uint64_t>());
      machine.pushOpaque();
      return true;
    case opcode::kEmptyTuple:
      machine.makeTuple(0);
      return true;
    case opcode::kTuple1:
      machine.makeTuple(1);
      return true;
    case opcode::kTuple3:
      machine.makeTuple(3);
      return true;
    case opcode::kTuple:
      machine.makeTupleFromMark();
      return true;
    default:
      return runOldOpcode(code, feed, machine);
  }
}

}  // namespace

void readPickle(ByteFeed& feed, Machine& machine) {
  for (;;) {
    feed.breathe();
    const uint64_t position = feed.position();
    machine.entries.byte = position;
    const uint8_t code = feed.byte();
    switch (code) {
      case opcode::kBinGet:
        runReferences(feed, machine, feed.byte());
        break;
      case opcode::kLongBinGet:
        runReferences(feed, machine, feed.number<uint32_t>());
        break;
      case opcode::kMemoize:
        machine.memoize();
        break;
      case opcode::kMark:
        machine.mark();
        break;
      case opcode::kEmptyDict:
        machine.openDict();
        break;
      case opcode::kEmptyList:
        machine.openList();
        break;
      case opcode::kSetItems:
        machine.setItems();
        break;
      case opcode::kAppends:
        machine.appends();
        break;
      case opcode::kAppend:
        machine.append();
        break;
      case opcode::kSetItem:
        machine.setItem();
        break;
      case opcode::kTuple2:
        machine.makeTuple(2);
        break;
      case opcode::kBinInt1:
        machine.pushInteger(feed.byte());
        break;
      case opcode::kBinInt2:
        machine.pushInteger(feed.number<uint16_t>());
        break;
      case opcode::kBinInt:
        machine.pushInteger(feed.number<int32_t>());
        break;
      case opcode::kLong1:
        pushLong(feed, machine, feed.byte());
        break;
      case opcode::kBinFloat:
        machine.pushReal(bigEndianDouble(feed));
        break;
      case opcode::kShortBinUnicode:
        machine.pushText(feed.text(feed.byte()));
        break;
      case opcode::kBinUnicode:
        machine.pushText(feed.text(feed.number<uint32_t>()));
        break;
      case opcode::kBinPut:
        machine.put(checkedIndex(feed, feed.byte()));
        break;
      case opcode::kLongBinPut:
        machine.put(checkedIndex(feed, feed.number<uint32_t>()));
        break;
      case opcode::kNewTrue:
      case opcode::kNewFalse:
        machine.pushBoolean(code == opcode::kNewTrue);
        break;
      case opcode::kNone:
        machine.pushNothing();
        break;
      case opcode::kFrame:
        feed.skip(sizeof(uint64_t));  // a hint for buffering: lengths inside are checked on their own
        break;
      case opcode::kProto:
        checkProtocol(feed.byte());
        break;
      case opcode::kStop:
        machine.top();  // the value of the pickle: there must be one
        return;
      default:
        if (!runRareOpcode(code, feed, machine)) refuseOpcode(code, position);
    }
  }
}

}  // namespace strata

#include "capture/bfc_message.h"

#include <algorithm>
#include <array>

#include "capture/text_scanner.h"

namespace strata::bfc {
namespace {

constexpr std::array<std::string_view, 3> kSources = {
    "bfc_allocator.cc:", "bfc_arena.cc:", "cudamallocasync_allocator.cc:"};

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// The message behind the logger's prefix, wherever that is in the line; without one the whole line.
std::string_view messageOf(std::string_view line) {
  for (const std::string_view source : kSources) {
    const size_t found = line.find(source);
    if (found == std::string_view::npos) continue;
    const size_t bracket = line.find(']', found + source.size());
    if (bracket != std::string_view::npos) return trimmed(line.substr(bracket + 1));
  }
  return trimmed(line);
}

std::optional<HumanBytes> humanBytes(TextScanner& scanner) {
  scanner.blanks();
  const std::string_view before = scanner.rest();
  HumanBytes size;
  const auto whole = scanner.decimal();
  if (!whole || *whole > 9'999'999'999'999'999'999u / 1000) return std::nullopt;
  size.digits = *whole;
  const bool hasFraction = scanner.rest().size() > 1 && scanner.rest()[0] == '.' &&
                           scanner.rest()[1] >= '0' && scanner.rest()[1] <= '9';
  if (hasFraction) {
    scanner.take(".");
    const size_t length = scanner.rest().size();
    const auto fraction = scanner.decimal();
    if (!fraction) return std::nullopt;
    size.decimals = static_cast<int>(length - scanner.rest().size());
    if (size.decimals > 3) return std::nullopt;
    for (int i = 0; i < size.decimals; ++i) size.digits *= 10;
    size.digits += *fraction;
  }
  constexpr std::array<std::string_view, 7> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  for (size_t unit = 0; unit < kUnits.size(); ++unit) {
    if (!scanner.take(kUnits[unit])) continue;
    size.unit = static_cast<int>(unit);
    size.text = before.substr(0, before.size() - scanner.rest().size());
    return size;
  }
  size.text = before.substr(0, before.size() - scanner.rest().size());
  if (size.decimals != 0) return std::nullopt;
  return size;  // plain bytes, as ONNX Runtime writes them
}

Message parseFailure(TextScanner scanner) {
  const auto allocator = scanner.until(") ran out of memory trying to allocate ");
  if (!allocator) return {};
  const auto requested = humanBytes(scanner);
  if (!requested) return {};
  Failure failure{*allocator, *requested, std::nullopt, {}, false};
  failure.isBenign = scanner.rest().find("freed_by_count=") != std::string_view::npos;
  TextScanner rounded(scanner.rest());
  if (rounded.past("(rounded to ")) failure.rounded = rounded.decimal();
  TextScanner op(scanner.rest());
  if (op.past("requested by op ")) failure.op = trimmed(op.rest().substr(0, op.rest().find(".  Current ")));
  return failure;
}

Message parseBin(TextScanner scanner) {
  Bin bin;
  const auto size = scanner.decimal();
  if (!size || !scanner.past("Total Chunks:")) return {};
  scanner.blanks();
  const auto chunks = scanner.decimal();
  if (!chunks || !scanner.past("Chunks in use:")) return {};
  scanner.blanks();
  const auto inUse = scanner.decimal();
  if (!inUse) return {};
  scanner.take(".");
  const auto bytes = humanBytes(scanner);
  if (!bytes || !scanner.past("allocated for chunks.")) return {};
  TextScanner older = scanner;  // 2017 says here what was requested for all chunks
  if (humanBytes(older) && older.rest().starts_with(" client-requested for chunks.")) {
    scanner = older;
    scanner.past("client-requested for chunks.");
  }
  const auto bytesInUse = humanBytes(scanner);
  if (!bytesInUse || !scanner.past("in use in bin.")) return {};
  const auto requested = humanBytes(scanner);
  if (!requested) return {};
  return Bin{*size, *chunks, *inUse, *bytes, *bytesInUse, *requested};
}

/// "256: Chunks 2/3. Bytes 512/768. Requested 500."
Message parseArenaBin(TextScanner scanner) {
  const auto size = scanner.decimal();
  if (!size || !scanner.take(": Chunks ")) return {};
  const auto inUse = scanner.decimal();
  if (!inUse || !scanner.take("/")) return {};
  const auto chunks = scanner.decimal();
  if (!chunks || !scanner.take(". Bytes ")) return {};
  const auto bytesInUse = humanBytes(scanner);
  if (!bytesInUse || !scanner.take("/")) return {};
  const auto bytes = humanBytes(scanner);
  if (!bytes || !scanner.take(". Requested ")) return {};
  const auto requested = humanBytes(scanner);
  if (!requested) return {};
  return Bin{*size, *chunks, *inUse, *bytes, *bytesInUse, *requested};
}

/// Everything behind the address; the order of "of size" and "next" changed over the years.
Message parseChunk(TextScanner scanner, bool isInUse) {
  scanner.blanks();
  if (!scanner.take("at ")) return {};
  scanner.blanks();
  const auto address = scanner.hexadecimal();
  if (!address || !scanner.past("of size ")) return {};
  scanner.blanks();
  const auto size = scanner.decimal();
  if (!size) return {};
  Chunk chunk{*address, *size, isInUse};
  chunk.isCentralGap = scanner.rest().find(" tag central_gap") != std::string_view::npos;
  TextScanner op(scanner.rest());
  if (op.past(" by op ")) chunk.op = op.until(" action_count ").value_or(std::string_view{});
  TextScanner freedAt(scanner.rest());
  if (!isInUse && freedAt.past(" freed_at_count ")) chunk.isPending = freedAt.decimal().value_or(0) != 0;
  return chunk;
}

Message parseSizeCount(TextScanner scanner) {
  const auto count = scanner.decimal();
  if (!count || !(scanner.take(" Chunks of size ") || scanner.take(" chunks of size "))) return {};
  const auto size = scanner.decimal();
  if (!size || !(scanner.take(" totalling ") || scanner.take(". Total "))) return {};
  const auto total = humanBytes(scanner);
  if (!total) return {};
  return SizeCount{*count, *size, *total};
}

Message parsePoolTotals(TextScanner scanner) {
  const auto pool = scanner.decimal();
  if (!pool || !scanner.take(" memory_limit_: ")) return {};
  const auto limit = scanner.decimal();
  if (!limit || !scanner.take(" available bytes: ")) return {};
  const auto available = scanner.decimal();
  if (!available) return {};
  uint64_t next = 0;
  if (scanner.past("curr_region_allocation_bytes_: ")) next = scanner.decimal().value_or(0);
  return PoolTotals{*pool, *limit, *available, next};
}

Message parseDebug(TextScanner scanner) {
  const bool isAllocation = scanner.take("AllocateRaw,");
  if (!isAllocation && !scanner.take("DeallocateRaw,")) return {};
  const auto allocator = scanner.until(",");
  const auto bytes = scanner.decimal();
  if (!allocator || !bytes || !scanner.take(",")) return {};
  const auto address = scanner.hexadecimal();
  if (!address) return {};
  const bool hasStack = scanner.rest().find("Begin stack trace") != std::string_view::npos;
  if (isAllocation) return Allocate{*allocator, *bytes, *address, true, hasStack};
  return Deallocate{*allocator, *bytes, *address, hasStack};
}

/// "AllocateRaw NAME  BYTES POINTER"; the line before the call has one blank and an alignment.
Message parseAllocate(TextScanner scanner) {
  const auto allocator = scanner.until("  ");
  const auto bytes = scanner.decimal();
  if (!allocator || !bytes || !scanner.take(" ")) return {};
  const auto address = scanner.hexadecimal();
  if (!address) return {};
  return Allocate{*allocator, *bytes, *address, false, false};
}

Message parseDeallocate(TextScanner scanner) {
  const auto allocator = scanner.until(" ");
  scanner.blanks();
  const auto bytes = scanner.decimal();
  if (!allocator || !bytes) return {};
  return Deallocate{*allocator, *bytes, std::nullopt, false};
}

Message parseExtended(TextScanner scanner) {
  const auto from = scanner.hexadecimal();
  if (!from || !scanner.take(" to ")) return {};
  const auto to = scanner.hexadecimal();
  if (!to || *to <= *from) return {};
  return Extended{*from, *to};
}

Message parseStat(TextScanner scanner) {
  const auto name = scanner.until(":");
  if (!name || name->empty() || name->size() > 24 || name->find(' ') != std::string_view::npos) return {};
  scanner.blanks();
  const auto value = scanner.decimal();
  if (!value || !trimmed(scanner.rest()).empty()) return {};
  return Stat{*name, *value};
}

Message parseTensorRefused(std::string_view line) {
  TextScanner scanner(line);
  if (!scanner.past("OOM when allocating tensor with shape")) return {};
  const auto shape = scanner.until(" and type ");
  const auto type = shape ? scanner.until(" on ") : std::nullopt;
  if (!type || !scanner.past(" by allocator ")) return {};
  const std::string_view name = trimmed(scanner.rest());
  return TensorRefused{*shape, *type, name.substr(0, name.find_first_of(" \t\\\"'"))};
}

bool isOccupancy(std::string_view text) {
  constexpr size_t kCharacters = 100;
  return text.size() == kCharacters && text.find_first_not_of("*x_") == std::string_view::npos;
}

Message parseAsync(std::string_view message) {
  TextScanner scanner(message);
  if (const auto name = scanner.until(" cuMemAllocAsync failed to allocate ")) {
    const auto bytes = scanner.decimal();
    const size_t blank = name->find_last_of(" \t");
    if (bytes) return AsyncFailure{name->substr(blank == std::string_view::npos ? 0 : blank + 1), *bytes};
  }
  scanner = TextScanner(message);
  if (scanner.past("Free memory/Total memory: ")) {
    const auto free = scanner.decimal();
    if (free && scanner.take("/")) {
      if (const auto total = scanner.decimal()) return DriverMemory{*free, *total};
    }
  }
  scanner = TextScanner(message);
  if (scanner.take("CU_MEMPOOL_ATTR_")) {
    const auto name = scanner.until(": ");
    const auto value = scanner.decimal();
    if (name && value) return PoolAttribute{*name, *value};
  }
  scanner = TextScanner(message);
  if (const auto size = scanner.decimal()) {
    if (scanner.take(", ")) {
      if (const auto count = scanner.decimal()) return HistogramRow{*size, *count};
    }
  }
  return {};
}

/// Messages that begin with a number.
Message parseNumbered(std::string_view message) {
  const TextScanner scanner(message);
  if (Message found = parseSizeCount(scanner); found.index() != 0) return found;
  if (Message found = parseArenaBin(scanner); found.index() != 0) return found;
  return parseAsync(message);
}

Message parseStart(std::string_view message) {
  TextScanner scanner(message);
  if (scanner.take("InUse ") || scanner.take("Chunk ")) return parseChunk(scanner, true);
  if (scanner.take("Free ")) return parseChunk(scanner, false);
  if (scanner.take("[mem-debug] ")) return parseDebug(scanner);
  if (scanner.take("AllocateRaw ")) return parseAllocate(scanner);
  if (scanner.take("DeallocateRaw ")) return parseDeallocate(scanner);
  if (scanner.take("Next region of size ")) {
    const auto size = scanner.decimal();
    return size ? Message(RegionStart{*size}) : Message();
  }
  if (scanner.take("Allocator (")) return parseFailure(scanner);
  if (scanner.take("BFCAllocator dump for ")) return Title{trimmed(scanner.rest())};
  if (scanner.take("Bin (")) return parseBin(scanner);
  if (scanner.take("Bin for ")) {
    const auto request = humanBytes(scanner);
    return request ? Message(WantedBin{*request}) : Message();
  }
  if (scanner.take("Sum Total of in-use chunks:")) {
    const auto sum = humanBytes(scanner);
    return sum ? Message(SumTotal{*sum}) : Message();
  }
  if (scanner.take("Total bytes in pool: ") || scanner.take("total_region_allocated_bytes_: "))
    return parsePoolTotals(scanner);
  if (scanner.take("Stats:")) return StatsStart{};
  if (scanner.take("Extending allocation by ")) {
    if (!scanner.past(" for ")) return {};
    std::string_view name = trimmed(scanner.rest());
    if (name.ends_with('.')) name.remove_suffix(1);
    return Extending{name};
  }
  if (scanner.take("Allocated memory at ")) return parseExtended(scanner);
  if (scanner.take("Garbage collection: deallocate free memory regions")) return RegionsReturned{};
  if (scanner.take("Histogram of current allocation")) return HistogramStart{};
  if (scanner.take("Allocator:")) return Title{trimmed(scanner.rest())};
  if (message.front() >= '0' && message.front() <= '9') return parseNumbered(message);
  if (isOccupancy(message)) return Occupancy{message};
  if (Message found = parseStat(scanner); found.index() != 0) return found;
  return parseAsync(message);
}

}  // namespace

Message parseMessage(std::string_view line) {
  const std::string_view message = messageOf(line);
  if (message.empty()) return {};
  Message found = parseStart(message);
  if (found.index() != 0) return found;
  // Behind a progress bar or the prefix of another logger.
  constexpr std::array<std::string_view, 6> kStarts = {"Allocator (",  "BFCAllocator dump for ", "InUse at ",
                                                       "[mem-debug] ", "Next region of size ",   "Bin ("};
  for (const std::string_view start : kStarts) {
    const size_t at = message.find(start);
    if (at == std::string_view::npos || at == 0) continue;
    found = parseStart(message.substr(at));
    if (found.index() != 0) return found;
  }
  return parseTensorRefused(line);
}

std::string_view sourceOf(std::string_view line) {
  for (const std::string_view source : kSources) {
    const size_t found = line.find(source);
    if (found == std::string_view::npos) continue;
    const size_t blank = line.find_last_of(" \t", found);
    const size_t start = blank == std::string_view::npos ? 0 : blank + 1;
    return line.substr(start, found + source.size() - 1 - start);
  }
  return {};
}

}  // namespace strata::bfc

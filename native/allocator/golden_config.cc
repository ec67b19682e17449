#include "allocator/golden_config.h"

#include <charconv>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "allocator/json_text.h"
#include "allocator/replay_error.h"
#include "allocator/rmm_arena.h"
#include "allocator/rmm_pool.h"

namespace strata {
namespace {

constexpr uint64_t kMaximumBytes = std::numeric_limits<int64_t>::max();
constexpr uint64_t kMaximumSpacing = uint64_t{1} << 40;  ///< of gap and align
constexpr uint64_t kMaximumBatch = uint64_t{1} << 24;    ///< blocks; more would fill this machine's memory
constexpr size_t kMaximumBins = 64;

/// One value on its way to a field, with the name of its setting for the error.
class Setting {
 public:
  Setting(const std::string& name, const JsonValue& value) : name_(name), value_(value) {}

  bool isNull() const { return value_.kind == JsonValue::Kind::Null; }

  uint64_t integer(uint64_t least, uint64_t most) const { return integerOf(value_, least, most); }
  uint64_t bytes(uint64_t least = 0) const { return integer(least, kMaximumBytes); }
  double fraction() const {
    char* end = nullptr;
    const double number = std::strtod(value_.text.c_str(), &end);
    const bool isNumber = value_.kind == JsonValue::Kind::Number && *end == '\0';
    if (!isNumber || !(number >= 0 && number <= 1)) fail("must be a number from 0 to 1");
    return number;
  }
  /// Written as 0 or 1, or as false or true.
  bool flag() const {
    if (value_.kind == JsonValue::Kind::Boolean) return value_.boolean;
    return integer(0, 1) == 1;
  }
  const std::string& string() const {
    if (value_.kind != JsonValue::Kind::String) fail("must be a string");
    return value_.string;
  }
  std::vector<RmmFixedOptions> bins() const {
    if (value_.kind != JsonValue::Kind::Array || value_.items.size() > kMaximumBins)
      fail("must be a list of at most 64 pairs [size, blocks_to_preallocate]");
    std::vector<RmmFixedOptions> bins;
    for (const JsonValue& item : value_.items) {
      if (item.kind != JsonValue::Kind::Array || item.items.size() != 2)
        fail("must be a list of pairs [size, blocks_to_preallocate]");
      bins.push_back(
          {integerOf(item.items[0], 1, uint64_t{1} << 38), integerOf(item.items[1], 1, kMaximumBatch)});
    }
    return bins;
  }
  [[noreturn]] void fail(const std::string& rule) const {
    throw ReplayError("replay-bad-setting",
                      "The setting \"" + name_ + "\" " + rule + "; it is " + value_.text + ".",
                      "Correct the value in the configuration.");
  }

 private:
  uint64_t integerOf(const JsonValue& value, uint64_t least, uint64_t most) const {
    uint64_t number = 0;
    const char* end = value.text.data() + value.text.size();
    const auto [at, error] = std::from_chars(value.text.data(), end, number);
    const bool isNumber = value.kind == JsonValue::Kind::Number && error == std::errc() && at == end;
    if (!isNumber || number < least || number > most)
      fail("must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    return number;
  }

  const std::string& name_;
  const JsonValue& value_;
};

using Reader = std::function<void(const Setting&, GoldenConfig&)>;
using Readers = std::map<std::string, Reader, std::less<>>;

PlacementPolicy policyOf(const Setting& setting) {
  const std::string& name = setting.string();
  if (name == "bump") return PlacementPolicy::Bump;
  if (name == "firstfit") return PlacementPolicy::FirstFit;
  if (name == "desc") return PlacementPolicy::Descending;
  setting.fail("must be \"bump\", \"firstfit\" or \"desc\"");
}

bool isPool(const Setting& setting) {
  const std::string& name = setting.string();
  if (name != "device" && name != "pool") setting.fail("must be \"device\" or \"pool\"");
  return name == "pool";
}

void readPoolBytes(const Setting& setting, std::optional<uint64_t>& bytes) {
  if (setting.isNull()) return;
  bytes = setting.bytes();
  if (*bytes % kRmmUnit != 0) setting.fail("must be a multiple of 256");
}

Readers commonReaders() {
  const auto nothing = [](const Setting&, GoldenConfig&) {};
  return {
      {"k", nothing},
      {"allocator", nothing},
      {"trace_sha256", nothing},
      {"trace", [](const Setting& s, GoldenConfig& c) { c.trace = s.string(); }},
      {"light", [](const Setting& s, GoldenConfig& c) { c.isLight = s.flag(); }},
      {"policy", [](const Setting& s, GoldenConfig& c) { c.device.policy = policyOf(s); }},
      {"gap", [](const Setting& s, GoldenConfig& c) { c.device.gap = s.integer(0, kMaximumSpacing); }},
      {"align",
       [](const Setting& s, GoldenConfig& c) { c.device.alignment = s.integer(1, kMaximumSpacing); }},
      {"checkpoint_every",
       [](const Setting& s, GoldenConfig& c) { c.checkpointEvery = s.integer(1, kMaximumBytes); }},
  };
}

Readers bfcReaders() {
  return {
      {"limit", [](const Setting& s, GoldenConfig& c) { c.bfc.limit = s.bytes(1); }},
      {"allow_growth", [](const Setting& s, GoldenConfig& c) { c.bfc.allowGrowth = s.flag(); }},
      {"garbage_collection", [](const Setting& s, GoldenConfig& c) { c.bfc.collectGarbage = s.flag(); }},
      {"coalesce_regions", [](const Setting& s, GoldenConfig& c) { c.bfc.coalesceRegions = s.flag(); }},
      {"fragmentation_fraction",
       [](const Setting& s, GoldenConfig& c) { c.bfc.fragmentationFraction = s.fraction(); }},
      {"devcap", [](const Setting& s, GoldenConfig& c) { c.device.capacity = s.bytes(); }},
      {"timing", [](const Setting& s, GoldenConfig& c) { c.bfc.hasTimingCounter = s.flag(); }},
  };
}

Readers rmmReaders() {
  const auto pool = [](const Setting& s, GoldenConfig& c) {
    std::optional<uint64_t> bytes;
    readPoolBytes(s, bytes);
    c.rmm.initialPoolBytes = bytes.value_or(0);
  };
  const auto arena = [](const Setting& s, GoldenConfig& c) {
    if (!s.isNull()) c.rmm.arenaBytes = s.bytes(RmmArena::kMinimumSuperblock);
  };
  return {
      {"total", [](const Setting& s, GoldenConfig& c) { c.device.capacity = s.bytes(); }},
      {"initial_pool_size", pool},
      {"maximum_pool_size",
       [](const Setting& s, GoldenConfig& c) { readPoolBytes(s, c.rmm.maximumPoolBytes); }},
      {"arena_size", arena},
      {"ev0", [](const Setting&, GoldenConfig&) {}},
  };
}

void addOver(Readers& readers) {
  readers["over"] = [](const Setting& s, GoldenConfig& c) { c.rmm.isOverPool = isPool(s); };
}

Readers fixedReaders() {
  Readers readers = rmmReaders();
  addOver(readers);
  readers["block_size"] = [](const Setting& s, GoldenConfig& c) {
    c.rmm.fixed.blockBytes = s.integer(1, uint64_t{1} << 38);
  };
  readers["blocks_to_preallocate"] = [](const Setting& s, GoldenConfig& c) {
    c.rmm.fixed.blocksPerBatch = s.integer(1, kMaximumBatch);
  };
  return readers;
}

Readers binningReaders() {
  Readers readers = rmmReaders();
  addOver(readers);
  readers["bins"] = [](const Setting& s, GoldenConfig& c) { c.rmm.bins = s.bins(); };
  return readers;
}

Readers pytorchReaders() {
  return {
      {"conf", [](const Setting& s, GoldenConfig& c) { c.pytorch.conf = s.string(); }},
      {"total", [](const Setting& s, GoldenConfig& c) { c.device.capacity = s.bytes(); }},
      {"fraction",
       [](const Setting& s, GoldenConfig& c) {
         if (!s.isNull()) c.pytorch.fraction = s.fraction();
       }},
      {"pools", [](const Setting& s, GoldenConfig& c) { c.pytorch.hasPools = s.flag(); }},
  };
}

Readers readersOf(const std::string& allocator) {
  const std::map<std::string, Readers (*)()> known = {
      {"bfc", bfcReaders},         {"rmm-pool", rmmReaders},        {"rmm-arena", rmmReaders},
      {"rmm-fixed", fixedReaders}, {"rmm-binning", binningReaders}, {"pytorch", pytorchReaders},
  };
  const auto found = known.find(allocator);
  if (found == known.end()) {
    std::string names;
    for (const auto& [name, readers] : known) names += (names.empty() ? "" : ", ") + name;
    throw ReplayError("replay-unknown-allocator", "There is no allocator called \"" + allocator + "\".",
                      "The known ones are: " + names + ".");
  }
  Readers readers = found->second();
  readers.merge(commonReaders());
  return readers;
}

/// Settings without which a run would mean something else.
void requireSettings(const std::string& allocator, const std::set<std::string>& given) {
  const char* required = allocator == "bfc" ? "limit" : allocator == "rmm-binning" ? "bins" : "total";
  if (given.count(required) > 0) return;
  throw ReplayError(
      "replay-missing-setting",
      std::string("The configuration has no \"") + required + "\", which " + allocator + " needs.",
      "Add it.");
}

std::string allocatorOf(const std::vector<std::pair<std::string, JsonValue>>& members) {
  for (const auto& [name, value] : members)
    if (name == "allocator") return Setting(name, value).string();
  throw ReplayError("replay-missing-setting", "The configuration does not name its \"allocator\".",
                    "Give the first line of a golden file.");
}

void checkTogether(const GoldenConfig& config) {
  const RmmOptions& rmm = config.rmm;
  if (rmm.maximumPoolBytes && rmm.initialPoolBytes > *rmm.maximumPoolBytes)
    throw ReplayError("replay-bad-setting",
                      "The setting \"initial_pool_size\" (" + std::to_string(rmm.initialPoolBytes) +
                          ") is larger than \"maximum_pool_size\" (" + std::to_string(*rmm.maximumPoolBytes) +
                          ").",
                      "Lower one or raise the other.");
}

}  // namespace

GoldenConfig parseGoldenConfig(std::string_view line) {
  const auto members = parseJsonObject(line);
  GoldenConfig config;
  config.allocator = allocatorOf(members);
  const Readers readers = readersOf(config.allocator);
  std::set<std::string> given;
  for (const auto& [name, value] : members) {
    if (!given.insert(name).second)
      throw ReplayError("replay-bad-setting", "The setting \"" + name + "\" is given twice.", "Remove one.");
    const auto reader = readers.find(name);
    if (reader == readers.end())
      throw ReplayError("replay-unknown-setting",
                        "The allocator " + config.allocator + " has no setting called \"" + name + "\".",
                        "Remove it, or correct its name.");
    reader->second(Setting(name, value), config);
    config.members.emplace_back(name, value.text);
  }
  requireSettings(config.allocator, given);
  checkTogether(config);
  return config;
}

}  // namespace strata

#include "allocator/pytorch_config.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <functional>

#include "allocator/pytorch_rules.h"

namespace strata {
namespace {

/// Settings of real releases that do not change where blocks go.
constexpr std::string_view kIrrelevantKeys[] = {
    "backend",
    "release_lock_on_cudamalloc",
    "release_lock_on_hipmalloc",
    "pinned_use_cuda_host_register",
    "pinned_use_hip_host_register",
    "pinned_num_register_threads",
    "pinned_use_background_threads",
    "pinned_reserve_segment_size_mb",
    "pinned_max_round_threshold_mb",
    "pinned_max_cached_size_mb",
    "pinned_max_power2_size_mb",
    "graph_capture_record_stream_reuse",
    "throw_on_cudamalloc_oom",
    "roundup_bypass_threshold_mb",
    "expandable_segments_handle_type",
    "expandable_segments_reserve",
    "expandable_segments_reserve_by_class",
    "use_async_allocator",
    "trace_alloc_max_entries",
    "trace_alloc_overflowed",
};

constexpr uint64_t kMostMebibytes = pytorch::kLargestSize / kMebibyte;

std::string_view trimmed(std::string_view text) {
  const auto isSpace = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

[[noreturn]] void refuse(std::string_view key, std::string_view value, const std::string& expected) {
  throw ConfigError(
      std::string(key), std::string(value),
      "The setting " + std::string(key) + " cannot be \"" + std::string(value) + "\": " + expected + ".");
}

uint64_t wholeNumber(std::string_view key, std::string_view text, uint64_t least, uint64_t most) {
  const std::string_view digits = trimmed(text);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < least || number > most)
    refuse(key, text,
           "it must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

double fractionOf(std::string_view key, std::string_view text, bool isOneAllowed) {
  const std::string digits(trimmed(text));
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  const bool isRead = !digits.empty() && end == digits.c_str() + digits.size();
  if (!isRead || !(number > 0) || number > 1 || (number == 1 && !isOneAllowed))
    refuse(key, text, isOneAllowed ? "it must be above 0 and at most 1" : "it must be above 0 and below 1");
  return number;
}

bool truth(std::string_view key, std::string_view text) {
  const std::string word = lowered(trimmed(text));
  if (word == "true" || word == "1") return true;
  if (word == "false" || word == "0") return false;
  refuse(key, text, "it must be True or False");
}

uint64_t divisions(std::string_view key, std::string_view text) {
  const uint64_t number = wholeNumber(key, text, 0, uint64_t{1} << 30);
  if (number != 0 && !std::has_single_bit(number)) refuse(key, text, "divisions must be 0 or a power of two");
  return number;
}

/// Calls `visit` for each part of a text between separators that lie outside square brackets.
void forEachPart(std::string_view text, char separator, const std::function<void(std::string_view)>& visit) {
  size_t start = 0;
  bool isInList = false;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '[') isInList = true;
    if (at < text.size() && text[at] == ']') isInList = false;
    if (at < text.size() && (text[at] != separator || isInList)) continue;
    visit(trimmed(text.substr(start, at - start)));
    start = at + 1;
  }
}

/// [256:1,512:2,>:4]: the first entry also fills all intervals below it; ">" fills from the last named
/// interval, that one included, to the end.
void parseDivisionList(std::string_view key, std::string_view text, std::array<uint64_t, 16>& table) {
  size_t lastInterval = 0;
  bool isFirst = true;
  forEachPart(text.substr(1, text.size() - 2), ',', [&](std::string_view entry) {
    const size_t colon = entry.find(':');
    if (colon == std::string_view::npos) refuse(key, entry, "a list entry reads size:divisions");
    const std::string_view size = trimmed(entry.substr(0, colon));
    const uint64_t value = divisions(key, entry.substr(colon + 1));
    if (size == ">") {
      std::fill(table.begin() + static_cast<std::ptrdiff_t>(lastInterval), table.end(), value);
      return;
    }
    const uint64_t mebibytes = wholeNumber(key, size, 1, uint64_t{1} << 40);
    if (!std::has_single_bit(mebibytes)) refuse(key, size, "sizes in the list must be powers of two (MiB)");
    lastInterval = std::min<size_t>(static_cast<size_t>(std::bit_width(mebibytes)) - 1, table.size() - 1);
    if (isFirst) std::fill_n(table.begin(), lastInterval, value);
    table[lastInterval] = value;
    isFirst = false;
  });
}

void parseDivisions(std::string_view key, std::string_view text, std::array<uint64_t, 16>& table) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']')
    return parseDivisionList(key, text, table);
  table.fill(divisions(key, text));
}

void applySetting(std::string_view key, std::string_view value, PytorchConfig& config,
                  bool& isRoundingGiven) {
  if (key == "max_split_size_mb") {
    config.maxSplitSize = wholeNumber(key, value, 20, kMostMebibytes) * kMebibyte;
  } else if (key == "max_non_split_rounding_mb") {
    config.maxNonSplitRounding = wholeNumber(key, value, 21, kMostMebibytes) * kMebibyte;
    isRoundingGiven = true;
  } else if (key == "large_segment_size_mb") {
    const uint64_t mebibytes = wholeNumber(key, value, 12, kMostMebibytes);
    if (mebibytes % 2 != 0) refuse(key, value, "it must be a multiple of 2");
    config.largeSegmentSize = mebibytes * kMebibyte;
  } else if (key == "roundup_power2_divisions") {
    parseDivisions(key, value, config.roundupDivisions);
  } else if (key == "garbage_collection_threshold") {
    config.garbageCollectionThreshold = fractionOf(key, value, false);
  } else if (key == "per_process_memory_fraction") {
    config.memoryFraction = fractionOf(key, value, true);
  } else if (key == "expandable_segments") {
    config.isExpandable = truth(key, value);
  } else if (key == "backend" && value != "native") {
    refuse(key, value, "only the native backend is the caching allocator");
  } else if (std::find(std::begin(kIrrelevantKeys), std::end(kIrrelevantKeys), key) ==
             std::end(kIrrelevantKeys)) {
    throw ConfigError(std::string(key), std::string(value),
                      "The allocator has no setting called \"" + std::string(key) + "\" (value \"" +
                          std::string(value) + "\").");
  }
}

/// {'1': 4, '2': 8, ...} or [4, 8, ...] in any notation: the numbers in order, keys being powers of two.
bool readDivisionTable(std::string_view text, std::array<uint64_t, 16>& table) {
  const bool isDictionary = text.find(':') != std::string_view::npos;
  std::vector<uint64_t> numbers;
  for (size_t at = 0; at < text.size();) {
    if (text[at] < '0' || text[at] > '9') {
      ++at;
      continue;
    }
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    numbers.push_back(number);
    at = static_cast<size_t>(end - text.data());
  }
  if (numbers.size() > 64 || (isDictionary && numbers.size() % 2 != 0)) return false;
  std::array<uint64_t, 16> result{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const uint64_t value = isDictionary ? numbers[++i] : numbers[i];
    const size_t interval = isDictionary ? static_cast<size_t>(std::bit_width(numbers[i - 1])) - 1 : i;
    if (interval >= result.size() || (value != 0 && !std::has_single_bit(value))) return false;
    result[interval] = value;
  }
  table = result;
  return true;
}

bool isStringKey(std::string_view key) {
  return key == "PYTORCH_CUDA_ALLOC_CONF" || key == "PYTORCH_ALLOC_CONF" || key == "PYTORCH_HIP_ALLOC_CONF";
}

/// One member of a snapshot's allocator_settings.
void applySnapshotSetting(std::string_view key, std::string_view value, PytorchConfig& config) {
  if (key == "max_split_size") {
    const bool isUnlimited = trimmed(value).substr(0, 1) == "-";
    const uint64_t most = PytorchConfig::kUnlimited;
    config.maxSplitSize = isUnlimited ? most : wholeNumber(key, value, 0, most);
  } else if (key == "garbage_collection_threshold") {
    config.garbageCollectionThreshold =
        std::clamp(std::strtod(std::string(value).c_str(), nullptr), 0.0, 1.0);
  } else if (key == "expandable_segments") {
    config.isExpandable = truth(key, value);
  } else if (key == "roundup_power2_divisions" && !readDivisionTable(value, config.roundupDivisions)) {
    refuse(key, value, "it is no table of divisions");
  }
}

}  // namespace

PytorchConfig parsePytorchConfig(std::string_view text) {
  PytorchConfig config;
  bool isRoundingGiven = false;
  forEachPart(text, ',', [&](std::string_view setting) {
    if (setting.empty()) return;
    const size_t colon = setting.find(':');
    const std::string_view key = trimmed(setting.substr(0, colon));
    if (colon == std::string_view::npos) refuse(key, "", "a setting reads name:value");
    applySetting(key, trimmed(setting.substr(colon + 1)), config, isRoundingGiven);
  });
  if (!isRoundingGiven) config.maxNonSplitRounding = config.largeSegmentSize;
  return config;
}

PytorchConfig pytorchConfigOfSnapshot(const std::vector<std::pair<std::string, std::string>>& settings,
                                      std::vector<std::string>& problems) {
  PytorchConfig config;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const ConfigError& error) {
      problems.emplace_back(error.what());
    }
  };
  for (const auto& [key, value] : settings)
    if (isStringKey(key) && !trimmed(value).empty() && value != "none")
      attempt([&] { config = parsePytorchConfig(value); });
  for (const auto& [key, value] : settings) attempt([&] { applySnapshotSetting(key, value, config); });
  return config;
}

}  // namespace strata

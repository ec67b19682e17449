#include "allocator/golden_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string_view>

#include "allocator/golden_trace.h"
#include "allocator/golden_writer.h"
#include "allocator/replay_error.h"

namespace strata::test {
namespace {

constexpr size_t kShown = 300;

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Sorts those events of a line that begin with one of the prefixes, leaving the others where they are.
std::string withSortedEvents(std::string_view line, const std::vector<std::string_view>& prefixes) {
  constexpr std::string_view kEvents = "\"ev\":[";
  const size_t begin = line.find(kEvents);
  if (begin == std::string_view::npos) return std::string(line);
  std::vector<std::string> events;
  size_t at = begin + kEvents.size();
  while (line[at] == '[' || line[at] == ',') {
    if (line[at] == ',') ++at;
    const size_t end = line.find(']', at) + 1;
    events.emplace_back(line.substr(at, end - at));
    at = end;
  }
  std::vector<std::string*> sorted;
  const auto isSorted = [&](const std::string& event) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return event.starts_with(prefix); });
  };
  for (std::string& event : events)
    if (isSorted(event)) sorted.push_back(&event);
  std::vector<std::string> values;
  for (const std::string* event : sorted) values.push_back(*event);
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < sorted.size(); ++i) *sorted[i] = values[i];
  std::string result(line.substr(0, begin + kEvents.size()));
  for (size_t i = 0; i < events.size(); ++i) (result += i > 0 ? "," : "") += events[i];
  return result += line.substr(at);
}

bool isSameLine(std::string_view wanted, std::string_view got, const GoldenConfig& config) {
  if (wanted == got) return true;
  if (config.allocator != "pytorch") return false;
  std::vector<std::string_view> unordered = {"[\"fc\""};
  if (config.pytorch.hasPools) unordered.insert(unordered.end(), {"[\"sf\"", "[\"su\""});
  return withSortedEvents(wanted, unordered) == withSortedEvents(got, unordered);
}

std::string difference(std::string_view golden, std::string_view ours, const GoldenConfig& config) {
  const auto wanted = linesOf(golden);
  const auto got = linesOf(ours);
  for (size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
    if (isSameLine(wanted[i], got[i], config)) continue;
    return "line " + std::to_string(i + 1) + "\n  wanted " + std::string(wanted[i].substr(0, kShown)) +
           "\n  got    " + std::string(got[i].substr(0, kShown));
  }
  if (wanted.size() == got.size()) return "";
  return "wanted " + std::to_string(wanted.size()) + " lines, got " + std::to_string(got.size());
}

/// Traces are shared by many golden files, and reading one costs more than replaying it.
const RequestTrace& traceAt(const std::string& path) {
  static std::map<std::string, RequestTrace> traces;
  auto found = traces.find(path);
  if (found == traces.end()) found = traces.emplace(path, parseGoldenTrace(readUnpacked(path))).first;
  return found->second;
}

}  // namespace

std::string readUnpacked(const std::string& path) {
  const std::string command = (path.ends_with(".gz") ? "gzip -dc '" : "cat '") + path + "'";
  const auto close = [](FILE* pipe) { return pclose(pipe); };
  const std::unique_ptr<FILE, decltype(close)> pipe(popen(command.c_str(), "r"), close);
  std::string text;
  char buffer[1 << 16];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe.get())) text.append(buffer, count);
  EXPECT_FALSE(text.empty()) << "nothing to read in " << path;
  return text;
}

std::vector<std::string> goldenFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().string().ends_with(".jsonl.gz")) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::string compareWithGolden(const std::string& path, const std::string& traceFolder) {
  const std::string golden = readUnpacked(path);
  try {
    const GoldenConfig config = parseGoldenConfig(golden.substr(0, golden.find('\n')));
    std::ostringstream ours;
    writeGolden(traceAt(traceFolder + "/" + config.trace), config, &ours, {});
    return difference(golden, ours.str(), config);
  } catch (const ReplayError& error) {
    return error.what();
  }
}

}  // namespace strata::test

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "allocator/golden_trace.h"
#include "allocator/replay.h"
#include "allocator/simulation.h"
#include "allocator/simulator.h"

// Measures the simulated allocators and prints one JSON object a line.
//
//   allocator_bench [--trace FILE] [--largest OPERATIONS] [--repeat N]
//
// --trace is an unpacked golden text trace (the 200,000-operation one); without it a trace of the same
// kind is made. Sizes up to --largest (10,000,000) show how the cost grows. Every figure is processor time,
// the best of N (5) runs: the machine is shared, and only the best one is free of the others' work.

namespace strata {
namespace {

using Operation = RequestTrace::Operation;

struct Subject {
  std::string_view name;
  std::string_view configuration;
};

constexpr Subject kSubjects[] = {
    {"bfc preallocated", R"({"allocator":"bfc","limit":68719476736,"allow_growth":0})"},
    {"bfc growing", R"({"allocator":"bfc","limit":68719476736,"allow_growth":1})"},
    {"rmm pool", R"({"allocator":"rmm-pool","total":85899345920})"},
    {"rmm arena", R"({"allocator":"rmm-arena","arena_size":68719476736,"total":85899345920})"},
    {"rmm fixed", R"({"allocator":"rmm-fixed","block_size":262144,"total":8796093022208})"},
    {"rmm binning",
     R"({"allocator":"rmm-binning","total":8796093022208,"over":"pool","bins":[[4096,128],[65536,128],[1048576,16]]})"},
    {"pytorch", R"({"allocator":"pytorch","conf":"","total":85899345920})"},
    {"pytorch expandable",
     R"({"allocator":"pytorch","conf":"expandable_segments:True","total":85899345920})"},
};

/// Measured as "what if" runs them, with default settings on a device of 80 GiB; planning counts.
constexpr std::string_view kModels[] = {"cuda-async", "tf-vmm",         "gmlake",
                                        "tiered",     "offline-greedy", "offline-stalloc"};
constexpr uint64_t kModelCapacity = uint64_t{80} << 30;

/// A random program: sizes spread evenly over their logarithm, half the frees of random blocks, the others
/// of recent ones; about `live` blocks at a time.
RequestTrace makeTrace(size_t operations, size_t live, uint64_t smallest, uint64_t largest, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto unit = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  RequestTrace trace;
  std::vector<uint32_t> alive;
  const double ratio = static_cast<double>(largest) / static_cast<double>(smallest);
  while (trace.operations.size() < operations) {
    if (unit() * 2.0 * static_cast<double>(live) < static_cast<double>(alive.size())) {
      const size_t recent = alive.size() - 1 - random() % std::min<size_t>(alive.size(), 16);
      const size_t at = unit() < 0.5 ? random() % alive.size() : recent;
      trace.operations.push_back({.request = alive[at], .kind = Operation::Kind::Free});
      alive[at] = alive.back();
      alive.pop_back();
      continue;
    }
    const auto request = static_cast<uint32_t>(trace.ids.size());
    const auto bytes = static_cast<uint64_t>(static_cast<double>(smallest) * std::pow(ratio, unit()));
    trace.operations.push_back({.bytes = bytes, .request = request, .kind = Operation::Kind::Allocate});
    trace.ids.push_back(request);
    alive.push_back(request);
  }
  return trace;
}

/// Fills memory with equal blocks, frees every other one, and then takes and frees holes at random.
RequestTrace makeCheckerboard(size_t holes, size_t operations, uint64_t seed) {
  std::mt19937_64 random(seed);
  RequestTrace trace;
  const auto allocate = [&](uint64_t bytes) {
    const auto request = static_cast<uint32_t>(trace.ids.size());
    trace.operations.push_back({.bytes = bytes, .request = request, .kind = Operation::Kind::Allocate});
    trace.ids.push_back(request);
    return request;
  };
  const auto free = [&](uint32_t request) {
    trace.operations.push_back({.request = request, .kind = Operation::Kind::Free});
  };
  for (size_t i = 0; i < 2 * holes; ++i) allocate(4096);
  for (uint32_t i = 0; i < 2 * holes; i += 2) free(i);
  std::vector<uint32_t> taken;
  for (size_t i = 0; i < operations; ++i) {
    if (taken.size() < 1000) {
      taken.push_back(allocate(256 + random() % 3840));
      continue;
    }
    std::swap(taken[random() % taken.size()], taken.back());
    free(taken.back());
    taken.pop_back();
  }
  return trace;
}

double secondsSince(std::clock_t begin) { return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC; }

double secondsOf(const RequestTrace& trace, const GoldenConfig& config, ReplayTotals& totals) {
  const Simulation simulation = makeSimulation(config);
  simulation.start();
  const std::clock_t begin = std::clock();
  totals = replay(trace, simulation.allocator(), nullptr, {});
  return secondsSince(begin);
}

double secondsOf(const RequestTrace& trace, const Simulator& simulator, ReplayTotals& totals) {
  DeviceModel device({.capacity = kModelCapacity});
  const std::clock_t begin = std::clock();
  const AllocatorStack stack = simulator.build(Settings(simulator.knobs, {}), device, trace);
  for (const auto& layer : stack) layer->start();
  totals = replay(trace, *stack.back(), nullptr, {});
  return secondsSince(begin);
}

/// `how` is a configuration or a simulator.
template <typename How>
void measure(std::string_view subject, const How& how, std::string_view workload, const RequestTrace& trace,
             int repeat) {
  ReplayTotals totals;
  double best = secondsOf(trace, how, totals);
  for (int i = 1; i < repeat; ++i) best = std::min(best, secondsOf(trace, how, totals));
  std::printf(
      "{\"bench\":\"allocator\",\"allocator\":\"%s\",\"workload\":\"%s\",\"operations\":%llu,"
      "\"refused\":%llu,\"seconds\":%.6f,\"operationsPerSecond\":%.0f}\n",
      std::string(subject).c_str(), std::string(workload).c_str(),
      static_cast<unsigned long long>(totals.operations), static_cast<unsigned long long>(totals.refused),
      best, static_cast<double>(totals.operations) / best);
  std::fflush(stdout);
}

void measureAll(std::string_view workload, const RequestTrace& trace, int repeat) {
  for (const Subject& subject : kSubjects)
    measure(subject.name, parseGoldenConfig(subject.configuration), workload, trace, repeat);
  for (const std::string_view name : kModels) measure(name, simulatorNamed(name), workload, trace, repeat);
}

int run(const std::string& tracePath, size_t largest, int repeat) {
  constexpr uint64_t kMebibyte = uint64_t{1} << 20;
  RequestTrace standard;
  std::string name = "random-200k";
  if (tracePath.empty()) {
    standard = makeTrace(200'000, 1400, 512, 64 * kMebibyte, 1);
  } else {
    std::ifstream file(tracePath, std::ios::binary);
    standard = parseGoldenTrace(std::string(std::istreambuf_iterator<char>(file), {}));
    name = standard.name;
  }
  measureAll(name, standard, repeat);
  for (size_t operations = 10'000; operations <= largest; operations *= 10) {
    const std::string size = std::to_string(operations);
    const int runs = operations > 1'000'000 ? 1 : std::min(repeat, 3);
    // The same program for longer, and one whose live blocks grow with its length: a linear search would show
    // in the second, and so does this machine's cache.
    const RequestTrace longer = makeTrace(operations, 1400, 512, 64 * kMebibyte, operations);
    measureAll("longer-" + size, longer, runs);
    const RequestTrace deeper = makeTrace(operations, operations / 20, 256, 256 * 1024, operations);
    measureAll("deeper-" + size, deeper, runs);
  }
  const RequestTrace checkerboard = makeCheckerboard(1'000'000, 2'000'000, 7);
  measureAll("checkerboard-1m-holes", checkerboard, 1);
  return 0;
}

}  // namespace
}  // namespace strata

int main(int count, char** arguments) {
  std::string trace;
  size_t largest = 10'000'000;
  int repeat = 5;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view option = arguments[i];
    if (option == "--trace") trace = arguments[i + 1];
    if (option == "--largest") largest = std::strtoull(arguments[i + 1], nullptr, 10);
    if (option == "--repeat") repeat = std::max(1, std::atoi(arguments[i + 1]));
  }
  return strata::run(trace, largest, repeat);
}

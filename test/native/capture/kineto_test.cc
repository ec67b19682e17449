// Chrome traces of PyTorch's profiler: the memory events of each era, and who asked for them.

#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/index.h"
#include "capture/made_captures.h"

namespace strata::test {
namespace {

std::string memory(const std::string& time, const std::string& args, const std::string& thread = "7") {
  return R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":)" + thread +
         R"(,"ts":)" + time + R"(,"args":{)" + args + "}}";
}

std::string cuda(int64_t bytes, uint64_t address, const std::string& rest = "") {
  return R"("Device Type":1,"Device Id":0,"Bytes":)" + std::to_string(bytes) + R"(,"Addr":)" +
         std::to_string(address) + rest;
}

std::string span(const std::string& category, const std::string& name, int begin, int length,
                 const std::string& args = "") {
  return R"({"ph":"X","cat":")" + category + R"(","name":")" + name + R"(","pid":1,"tid":"7","ts":)" +
         std::to_string(begin) + R"(,"dur":)" + std::to_string(length) + R"(,"args":{)" + args + "}}";
}

std::string traceOf(const std::vector<std::string>& events, const std::string& head = "") {
  std::string text = "{" + head + R"("traceEvents":[)";
  for (size_t i = 0; i < events.size(); ++i) text += (i == 0 ? "" : ",\n") + events[i];
  return text + "]}";
}

TEST(KinetoTrace, PlacesBlocksThatHaveAddresses) {
  const Trace trace = readText(traceOf({
      memory("12.500", cuda(-1024, 8192)),
      memory("10.250", cuda(512, 4096, R"(,"Total Allocated":1536,"Total Reserved":2097152)")),
      memory("11", R"("Device Type":0,"Device Id":-1,"Bytes":20,"Addr":94119953593280)"),
      memory("13", cuda(-512, 4096, R"(,"Total Allocated":0,"Total Reserved":2097152)")),
  }));
  EXPECT_EQ(trace.format, "kineto-trace");
  ASSERT_EQ(trace.devices.size(), 2u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.kind, DeviceKind::Cuda);
  EXPECT_EQ(device.layout, DeviceLayout::Blocks);
  EXPECT_FALSE(device.areRequestsKnown) << "the sizes are those of blocks, rounded";
  EXPECT_EQ(device.blocks.address, (std::vector<uint64_t>{8192, 4096}));
  EXPECT_EQ(device.blocks.birth, (std::vector<EventIndex>{kBeforeFirst, 0}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{1, 2}));
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 2'250, 2'750}));
  EXPECT_EQ(trace.devices[1].kind, DeviceKind::Host);
  EXPECT_EQ(trace.devices[1].events.time, (std::vector<int64_t>{750}));
  ASSERT_EQ(trace.counters.size(), 2u);
  EXPECT_EQ(trace.strings.at(trace.counters[1].name), "Total Reserved");
  EXPECT_EQ(trace.counters[1].time, (std::vector<int64_t>{0, 2'750}));
  EXPECT_EQ(trace.counters[1].value, (std::vector<double>{2097152, 2097152}));
  EXPECT_EQ(warningCodes(trace), "memory-before-recording no-segments");
}

TEST(KinetoTrace, CountsWhatContradictsItselfWithoutALine) {
  const Trace trace = readText(traceOf({memory("10", cuda(512, 4096)), memory("11", cuda(256, 4096))}));
  EXPECT_EQ(warningCodes(trace), "allocated-twice no-segments");
  EXPECT_EQ(trace.warnings[0].line, -1);
}

TEST(KinetoTrace, KnowsTotalsAloneWithoutAddresses) {
  const Trace trace = readText(traceOf({memory("10", R"("Device Type":1,"Device Id":0,"Bytes":100)"),
                                        memory("11", R"("Device Type":1,"Device Id":0,"Bytes":-100)"),
                                        memory("12", R"("Device Type":1,"Device Id":0,"Bytes":-30)")}));
  EXPECT_EQ(trace.devices[0].layout, DeviceLayout::Totals);
  const Index index(trace, trace.devices[0]);
  EXPECT_EQ(index.moment(kBeforeFirst).regions[0].active, 30u);
  EXPECT_EQ(index.moment(0).regions[0].active, 130u);
  EXPECT_EQ(index.extremes().final[kAllRegions][0], 0u);
  EXPECT_EQ(warningCodes(trace), "no-addresses");
}

TEST(KinetoTrace, NamesTheOperatorsAndPythonFunctionsAroundAnEvent) {
  const Trace trace = readText(traceOf({
      span("python_function", "train.py(40): main", 0, 100),
      span("user_annotation", "ProfilerStep#3", 5, 50),
      span("cpu_op", "aten::zeros", 10, 20),
      span("cpu_op", "aten::empty", 11, 5),
      span("cpu_op", "aten::relu", 40, 5),
      span("kernel", "gemm", 10, 20),
      memory("12", cuda(512, 4096)),
      memory("17", cuda(512, 8192)),
      memory("70", cuda(512, 16384)),
      memory("12", cuda(512, 32768), "8"),
  }));
  const auto stackOf = [&](size_t event) { return trace.devices[0].events.stack[event]; };
  const auto names = [&](uint32_t stack) {
    std::string text;
    if (stack == kNone) return text;
    for (const uint32_t frame : trace.stacks.at(stack)) {
      text += std::string(trace.strings.at(trace.frames.name(frame))) + "@" +
              std::string(trace.strings.at(trace.frames.file(frame))) + ":" +
              std::to_string(trace.frames.line(frame)) + " ";
    }
    return text;
  };
  EXPECT_EQ(names(stackOf(0)), "aten::empty@:0 aten::zeros@:0 ProfilerStep#3@:0 main@train.py:40 ");
  EXPECT_EQ(names(stackOf(1)), "");
  EXPECT_EQ(names(stackOf(2)), "aten::zeros@:0 ProfilerStep#3@:0 main@train.py:40 ");
  EXPECT_EQ(names(stackOf(3)), "main@train.py:40 ");
  ASSERT_EQ(trace.annotations.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.annotations[0].name), "ProfilerStep#3");
  EXPECT_EQ(trace.annotations[0].begin, 0);
  EXPECT_EQ(trace.annotations[0].end, 43'000);
}

TEST(KinetoTrace, TakesTheCallStackThatAnOperatorNames) {
  const Trace trace = readText(traceOf({
      span("Operator", "aten::zeros", 10, 20,
           R"("Input Dims":[[1,{"a":2}]],"Call stack":"a b.py(611): __init__;c\/d.py(54): <module>")"),
      memory("12", cuda(512, 4096)),
  }));
  const std::string text = describeStack(trace, trace.devices[0].blocks.stack[0]);
  EXPECT_NE(text.find("aten::zeros"), std::string::npos);
  EXPECT_NE(text.find("a b.py"), std::string::npos);
  EXPECT_NE(text.find("c/d.py"), std::string::npos);
}

TEST(KinetoTrace, KnowsWhenItWasRecordedAndOnWhat) {
  const Trace trace = readText(traceOf(
      {memory("10", cuda(512, 4096))},
      R"("schemaVersion":1,"deviceProperties":[{"id":0,"name":"Tesla V100","totalGlobalMem":34084028416}],)"
      R"("distributedInfo":{"backend":"nccl","rank":3,"world_size":8,"pg_config":[{"x":1}]},)"
      R"("baseTimeNanoseconds":1700000000000000000,)"));
  EXPECT_TRUE(trace.hasOrigin);
  EXPECT_EQ(trace.originNs, 1'700'000'000'000'010'000);
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"device_0", "Tesla V100"}, {"device_0_total_memory", "34084028416"},
      {"backend", "nccl"},        {"rank", "3"},
      {"world_size", "8"},        {"process_id", "1"}};
  EXPECT_EQ(trace.settings, expected);
}

TEST(KinetoTrace, ShowsAFailedRequest) {
  const Trace trace = readText(traceOf(
      {memory("10", cuda(512, 4096)),
       R"({"ph":"i","name":"[OutOfMemory]","tid":7,"ts":11,"args":{"Device Type":1,"Device Id":0,"Bytes":9999}})"}));
  EXPECT_EQ(trace.devices[0].events.action[1], Action::OutOfMemory);
  EXPECT_EQ(trace.devices[0].events.size[1], 9999u);
}

TEST(KinetoTrace, KeepsCountersAsSeries) {
  const Trace trace = readText(traceOf({
      memory("10", cuda(512, 4096)),
      R"({"ph":"C","name":"GPU memory","pid":4,"ts":12,"args":{"used":5,"free":"x"}})",
      R"({"ph":"C","name":"GPU memory","pid":4,"ts":11,"args":{"used":2.5}})",
      R"({"ph":"C","name":"GPU memory","pid":4,"ts":12,"args":{"used":6}})",
  }));
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.counters[0].name), "GPU memory used");
  EXPECT_EQ(trace.counters[0].time, (std::vector<int64_t>{1'000, 2'000}));
  EXPECT_EQ(trace.counters[0].value, (std::vector<double>{2.5, 6}));
}

TEST(KinetoTrace, BeginsWithTheFirstReadingOfACounterWhenThatIsEarlier) {
  const Trace trace = readText(traceOf({
      memory("10", cuda(512, 4096)),
      R"({"ph":"C","name":"GPU memory","pid":4,"ts":7,"args":{"used":1}})",
      R"({"ph":"C","name":"GPU memory","pid":4,"ts":9,"args":{"used":2}})",
      R"({"ph":"C","name":"CPU memory","pid":4,"ts":1,"args":{"used":"e"}})",
  }));
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].time, (std::vector<int64_t>{0, 2'000}));
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{3'000}));
}

TEST(KinetoTrace, OpensATraceThatHoldsCountersAlone) {
  const Trace trace = readText(R"({"traceEvents": [
    {"ph": "C", "name": "memory", "pid": 7, "ts": 1700000000000000, "args": {"value": 5}},
    {"ph": "C", "name": "memory", "pid": 7, "ts": 1700000000001000, "args": {"value": 6}}]})");
  EXPECT_TRUE(trace.devices.empty());
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].time, (std::vector<int64_t>{0, 1'000'000}));
  EXPECT_EQ(trace.originNs, 1'700'000'000'000'000'000);
  EXPECT_EQ(trace.producer, "Chrome trace");
  ASSERT_EQ(trace.warnings.size(), 1u);
  EXPECT_EQ(trace.warnings[0].code, "capture-counters-only");
}

TEST(KinetoTrace, ShowsWhatCameBeforeTheEndOfACutOffFile) {
  const std::string whole = traceOf({memory("10", cuda(512, 4096)), memory("11", cuda(-512, 4096))});
  for (size_t length = whole.find("[memory]") + 200; length < whole.size(); ++length) {
    const Trace trace = readText(std::string_view(whole).substr(0, length));
    EXPECT_FALSE(trace.isComplete);
    EXPECT_EQ(trace.warnings[0].code, "capture-truncated");
    EXPECT_EQ(trace.warnings[0].byte, static_cast<int64_t>(length));
    EXPECT_TRUE(trace.warnings[0].isDamage);
  }
  EXPECT_EQ(refusalOfText(whole.substr(0, 60)), "capture-damaged");
}

TEST(KinetoTrace, GoesOnBehindADamagedEvent) {
  const std::string good = memory("10", cuda(512, 4096)), late = memory("12", cuda(256, 8192));
  std::string unquoted = memory("11", cuda(-512, 4096)), unclosed = unquoted, braced = unquoted;
  unquoted[unquoted.find("\"name")] = '#';
  unclosed.pop_back();
  braced[braced.find(':')] = '{';
  for (const std::string& damaged : {unquoted, unclosed, braced}) {
    const std::string text = traceOf({good, damaged, late});
    const Trace trace = readText(text);
    EXPECT_FALSE(trace.isComplete);
    EXPECT_EQ(trace.devices[0].events.count(), 2u) << damaged;
    EXPECT_EQ(trace.warnings[0].code, "capture-damaged");
    EXPECT_GE(trace.warnings[0].byte, static_cast<int64_t>(text.find(damaged.substr(0, 8), 40)));
  }
}

TEST(KinetoTrace, ReadsABareListThatIsNotClosed) {
  const std::string event = memory("10", cuda(512, 4096));
  EXPECT_TRUE(readText("[\n" + event + ",\n").isComplete);
  EXPECT_TRUE(readText("[" + event + "]").isComplete);
  EXPECT_FALSE(readText("[" + event + ",{\"ph\":").isComplete);
}

TEST(KinetoTrace, LeavesOutWhatCannotBeRead) {
  const Trace trace = readText(traceOf({
      memory("10", cuda(512, 4096)),
      memory("11", R"("Device Type":1,"Bytes":"many")"),
      memory("\"x\"", cuda(512, 8192)),
      memory("1e300", cuda(512, 8192)),
      memory("11", R"("Device Type":-4,"Bytes":3)"),
      "17",
      R"({"ph":"i","name":"[memory]","ts":1,"args":[1,2]})",
  }));
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
  EXPECT_EQ(warningCodes(trace), "row-unreadable no-segments");
}

TEST(KinetoTrace, SaysWhatToRecordWhenThereAreNoMemoryEvents) {
  EXPECT_EQ(refusalOfText(traceOf({span("cpu_op", "aten::relu", 1, 2)})), "capture-nothing-recorded");
}

TEST(KinetoTrace, WalksAnyNesting) {
  const std::string deep(200'000, '[');
  EXPECT_EQ(refusalOfText("{\"a\":" + deep), "capture-too-deep");
  const std::string closed = deep + std::string(200'000, ']');
  EXPECT_EQ(readText(traceOf({memory("10", cuda(512, 4096) + ",\"x\":" + closed)})).devices.size(), 1u);
}

TEST(KinetoTrace, OpensTheTracesOfRealPrograms) {
  const std::string folder = STRATA_SHARED_DIR "/captures/kineto/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  const Trace trace = read(folder + "kineto_modern_args_two-events_cpu.json");
  ASSERT_EQ(trace.devices.size(), 1u);
  EXPECT_EQ(trace.devices[0].kind, DeviceKind::Host);
  EXPECT_EQ(trace.devices[0].blocks.address, (std::vector<uint64_t>{94119953593280}));
  EXPECT_EQ(trace.devices[0].events.time, (std::vector<int64_t>{0, 12'931'377}));
}

}  // namespace
}  // namespace strata::test

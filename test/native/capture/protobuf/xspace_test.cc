#include "capture/protobuf/xspace_reader.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "capture/capture.h"
#include "capture/protobuf/encoder.h"

namespace strata::protobuf {
namespace {

using test::Encoder;

/// A host plane with one line of memory events, encoded by the field numbers of xplane.proto.
class HostPlane {
 public:
  static constexpr int64_t kStartNs = 1'700'000'000'000'000'000;

  struct Memory {
    bool isFree = false;
    uint64_t offsetPs = 0, address = 0, requested = 0, bytes = 0, inUse = 0;
    std::string allocator = "GPU_0_bfc", op = "dense/MatMul";
  };

  void add(const Memory& event) {
    Encoder stats;
    text(stats, "allocator_name", event.allocator);
    number(stats, "addr", event.address);
    number(stats, "requested_bytes", event.requested);
    number(stats, "allocation_bytes", event.bytes);
    number(stats, "bytes_allocated", event.inUse);
    number(stats, "bytes_available", (1 << 20) - event.inUse);
    if (!event.isFree) {
      byReference(stats, "tf_op", event.op);
      text(stats, "shape", "[16, 16]");
      number(stats, "data_type", 1);
      text(stats, "region_type", "temp");
      number(stats, "id", 3);
    }
    Encoder coded;
    coded.number(1, idOf(events_, event.isFree ? "MemoryDeallocation" : "MemoryAllocation"))
        .number(2, event.offsetPs);
    line_ += Encoder().text(4, coded.bytes() + stats.bytes()).bytes();
  }

  std::string plane(std::string_view name = "/host:CPU") const {
    const Encoder line = Encoder().text(2, "tf_worker").number(3, kStartNs);
    Encoder plane;
    plane.number(1, 2).text(2, name).text(3, line.bytes() + line_);
    addNames(plane, 4, events_);
    addNames(plane, 5, stats_);
    return plane.bytes();
  }

  std::string file() const { return Encoder().text(1, plane()).bytes(); }

 private:
  using Names = std::map<std::string, uint64_t, std::less<>>;

  static uint64_t idOf(Names& names, std::string_view name) {
    return names.emplace(name, names.size() + 1).first->second;
  }
  static void addNames(Encoder& plane, uint32_t field, const Names& names) {
    for (const auto& [name, id] : names) {
      plane.message(field, Encoder().number(1, id).message(2, Encoder().number(1, id).text(2, name)));
    }
  }
  void number(Encoder& to, std::string_view name, uint64_t value) {
    to.message(4, Encoder().number(1, idOf(stats_, name)).number(4, value));
  }
  void text(Encoder& to, std::string_view name, std::string_view value) {
    to.message(4, Encoder().number(1, idOf(stats_, name)).text(5, value));
  }
  void byReference(Encoder& to, std::string_view name, std::string_view value) {
    to.message(4, Encoder().number(1, idOf(stats_, name)).number(7, idOf(stats_, value)));
  }

  Names events_, stats_;
  std::string line_;
};

Trace read(const std::string& bytes) {
  return readCapture(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), {});
}

HostPlane::Memory allocation(uint64_t offsetPs, uint64_t address, uint64_t bytes, uint64_t inUse) {
  return {false, offsetPs, address, bytes - 56, bytes, inUse};
}

bool hasWarning(const Trace& trace, std::string_view code) {
  for (const Warning& warning : trace.warnings) {
    if (warning.code == code) return true;
  }
  return false;
}

TEST(XSpace, ShowsAllocationsAndFreesOfAnAllocatorInOrderOfTime) {
  HostPlane host;
  host.add(allocation(5'000'000, 0x1000, 512, 512));
  host.add({true, 9'000'000, 0x1000, 456, 512, 1024});
  host.add(allocation(7'000'000, 0x2000, 1024, 1536));
  const Trace trace = read(host.file());
  EXPECT_EQ(trace.format, "xplane");
  ASSERT_EQ(trace.devices.size(), 1u);
  const Device& device = trace.devices[0];
  EXPECT_EQ(device.allocator, "GPU_0_bfc");
  EXPECT_EQ(device.events.time, (std::vector<int64_t>{0, 2000, 4000}));
  EXPECT_EQ(device.events.action, (std::vector<Action>{Action::Alloc, Action::Alloc, Action::Free}));
  EXPECT_EQ(device.blocks.bytes, (std::vector<uint64_t>{512, 1024}));
  EXPECT_EQ(device.blocks.requested, (std::vector<uint64_t>{456, 968}));
  EXPECT_EQ(device.blocks.death, (std::vector<EventIndex>{2, kNever}));
  EXPECT_EQ(trace.originNs, HostPlane::kStartNs + 5000);
}

TEST(XSpace, NamesTheOperationAndWhatItAskedFor) {
  HostPlane host;
  host.add(allocation(0, 0x1000, 512, 512));
  const Trace trace = read(host.file());
  const Device& device = trace.devices[0];
  const uint32_t frame = trace.stacks.at(device.blocks.stack[0])[0];
  EXPECT_EQ(trace.strings.at(trace.frames.name(frame)), "dense/MatMul");
  EXPECT_EQ(trace.strings.at(device.events.label[0]), "float32 [16, 16], temp, step 3");
}

TEST(XSpace, TellsOfBlocksThatAreOlderThanTheProfile) {
  HostPlane host;
  host.add(allocation(0, 0x1000, 512, 4608));
  const Trace trace = read(host.file());
  EXPECT_TRUE(hasWarning(trace, "memory-before-recording"));
  ASSERT_EQ(trace.counters.size(), 1u);
  EXPECT_EQ(trace.counters[0].value, (std::vector<double>{4608}));
}

TEST(XSpace, GivesEachAllocatorADeviceOfItsOwn) {
  HostPlane host;
  host.add(allocation(0, 0x1000, 512, 512));
  HostPlane::Memory pinned = allocation(10, 0x9000, 256, 256);
  pinned.allocator = "gpu_host_bfc";
  host.add(pinned);
  const Trace trace = read(host.file());
  ASSERT_EQ(trace.devices.size(), 2u);
  EXPECT_EQ(trace.devices[1].kind, DeviceKind::Host);
}

TEST(XSpace, ShowsStepsOfDevicePlanes) {
  HostPlane host;
  host.add(allocation(0, 0x1000, 512, 512));
  host.add(allocation(90'000'000, 0x2000, 512, 1024));
  const Encoder step = Encoder().number(1, 1).number(2, 10'000'000).number(3, 20'000'000);
  const Encoder line = Encoder().text(2, "Steps").number(3, HostPlane::kStartNs).message(4, step);
  const Encoder gpu = Encoder()
                          .text(2, "/device:GPU:0")
                          .message(3, line)
                          .message(4, Encoder().number(1, 1).message(2, Encoder().number(1, 1).text(2, "7")));
  const Trace trace = read(Encoder().text(1, host.plane()).message(1, gpu).bytes());
  ASSERT_EQ(trace.annotations.size(), 1u);
  EXPECT_EQ(trace.strings.at(trace.annotations[0].name), "step 7");
  EXPECT_EQ(trace.annotations[0].begin, 10'000);
  EXPECT_EQ(trace.annotations[0].end, 30'000);
}

TEST(XSpace, CountsEventsWithoutAddressInTheTotalsOnly) {
  HostPlane host;
  host.add(allocation(0, 0x1000, 512, 512));
  host.add(allocation(10, 0, 512, 1024));
  const Trace trace = read(host.file());
  EXPECT_EQ(trace.devices[0].events.count(), 1u);
  EXPECT_EQ(trace.counters[0].value.back(), 1024);
  EXPECT_TRUE(hasWarning(trace, "xspace-no-addresses"));
}

TEST(XSpace, RefusesAProfileWithoutMemoryEventsAndSaysHowToRecordThem) {
  const std::string bytes = Encoder().message(1, Encoder().number(1, 1).text(2, "/host:CPU")).bytes();
  try {
    read(bytes);
    FAIL();
  } catch (const CaptureError& error) {
    EXPECT_EQ(error.code, "xspace-no-memory-events");
    EXPECT_NE(error.remedy.find("host_tracer_level"), std::string::npos);
  }
}

TEST(XSpace, EndsInADefinedWayWhereverItIsCut) {
  HostPlane host;
  for (uint64_t at = 0; at < 20; ++at) host.add(allocation(at, 0x1000 * (at + 1), 512, 512 * (at + 1)));
  const std::string whole = Encoder().text(1, host.plane("/host:CPU")).text(4, "worker").bytes();
  for (size_t length = 2; length < whole.size(); ++length) {
    try {
      const Trace trace = read(whole.substr(0, length));
      EXPECT_FALSE(trace.devices.empty() && trace.counters.empty());
    } catch (const CaptureError& error) {
      EXPECT_FALSE(error.remedy.empty());
    }
  }
}

}  // namespace
}  // namespace strata::protobuf

#include "device/drm_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace strata::device {
namespace {

namespace fs = std::filesystem;

/// A made-up /sys and /proc, gone when the test ends.
class FakeKernel {
 public:
  FakeKernel() {
    std::string folder = (fs::temp_directory_path() / "strata-kernel-XXXXXX").string();
    root_ = mkdtemp(folder.data());
  }
  ~FakeKernel() { fs::remove_all(root_); }

  std::string sysfs() const { return (root_ / "sys").string(); }
  std::string proc() const { return (root_ / "proc").string(); }

  void write(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories((root_ / path).parent_path());
    fs::create_symlink(target, root_ / path);
  }
  void remove(const std::string& path) const { fs::remove_all(root_ / path); }

  /// A card at a bus address with its driver and vendor.
  void card(const std::string& name, const std::string& bus, const std::string& driver,
            const std::string& vendor) const {
    link("sys/class/drm/" + name + "/device", "../../../devices/" + bus);
    link("sys/devices/" + bus + "/driver", "../../bus/pci/drivers/" + driver);
    write("sys/devices/" + bus + "/vendor", vendor + "\n");
    write("sys/devices/" + bus + "/device", "0x73bf\n");
  }
  void client(int pid, int file, const std::string& name, const std::string& fdinfo) const {
    const std::string folder = "proc/" + std::to_string(pid);
    write(folder + "/comm", name + "\n");
    link(folder + "/fd/" + std::to_string(file), "/dev/dri/renderD128");
    write(folder + "/fdinfo/" + std::to_string(file), fdinfo);
  }

 private:
  fs::path root_;
};

struct Opened {
  CallWatch watch;
  DrmSource source;
  LookedFor report;
  int64_t now = 0;

  Opened(const FakeKernel& kernel, DrmOptions::Cards cards)
      : source({.cards = cards, .sysfsRoot = kernel.sysfs(), .procRoot = kernel.proc()}) {
    report = source.open(watch);
  }
  std::vector<GpuReadings> sample(int64_t later = kSecond) {
    std::vector<GpuReadings> readings(source.gpus().size());
    source.sample(now += later, readings, watch);
    return readings;
  }
};

void addAmdCard(const FakeKernel& kernel) {
  kernel.card("card1", "0000:03:00.0", "amdgpu", "0x1002");
  const std::string device = "sys/devices/0000:03:00.0/";
  kernel.write(device + "mem_info_vram_total", "17163091968\n");
  kernel.write(device + "mem_info_vram_used", "1073741824\n");
  kernel.write(device + "gpu_busy_percent", "37\n");
  kernel.write(device + "hwmon/hwmon4/temp1_input", "58000\n");
  kernel.write(device + "hwmon/hwmon4/power1_average", "123000000\n");
  kernel.write(device + "hwmon/hwmon4/power1_cap", "203000000\n");
  kernel.write(device + "hwmon/hwmon4/freq1_input", "2105000000\n");
  kernel.write("sys/class/drm/card1-HDMI-A-1/status", "connected\n");
}

TEST(DrmSource, ReadsAmdTotalsAndSensorsFromSysfs) {
  FakeKernel kernel;
  addAmdCard(kernel);
  Opened opened(kernel, DrmOptions::Cards::Amd);
  ASSERT_EQ(opened.source.gpus().size(), 1u);
  EXPECT_EQ(opened.source.gpus()[0].id, "0000:03:00.0");
  EXPECT_EQ(opened.source.gpus()[0].vendor, "amd");
  EXPECT_EQ(opened.source.gpus()[0].name, "AMD 0x73bf");
  EXPECT_EQ(opened.source.gpus()[0].driver, "amdgpu");
  const GpuReadings gpu = opened.sample()[0];
  EXPECT_EQ(gpu[GpuMetric::Total], 17163091968);
  EXPECT_EQ(gpu[GpuMetric::Used], 1073741824);
  EXPECT_EQ(gpu[GpuMetric::Free], 17163091968 - 1073741824);
  EXPECT_EQ(gpu[GpuMetric::Busy], 37);
  EXPECT_EQ(gpu[GpuMetric::MemoryBusy], std::nullopt);
  EXPECT_EQ(gpu[GpuMetric::Temperature], 58);
  EXPECT_EQ(gpu[GpuMetric::Power], 123000);
  EXPECT_EQ(gpu[GpuMetric::PowerLimit], 203000);
  EXPECT_EQ(gpu[GpuMetric::CoreClock], 2105);
  EXPECT_EQ(gpu.accounting, MemoryAccounting::ReservedInUsed);
  EXPECT_TRUE(opened.source.takeNotes().empty());
}

TEST(DrmSource, SumsTheClientsOfAProcessOnceEachAndTellsHowBusyItKeptTheGpu) {
  FakeKernel kernel;
  addAmdCard(kernel);
  const auto client = [](const std::string& id, const std::string& kib, const std::string& ns) {
    return "pos:\t0\ndrm-driver:\tamdgpu\ndrm-pdev:\t0000:03:00.0\ndrm-client-id:\t" + id +
           "\ndrm-memory-vram:\t" + kib + " KiB\ndrm-memory-gtt:\t64 KiB\ndrm-engine-gfx:\t" + ns + " ns\n";
  };
  kernel.client(500, 3, "train", client("7", "1024", "1000"));
  kernel.client(500, 4, "train", client("7", "1024", "1000"));  // the same client once more
  kernel.client(500, 5, "train", client("8", "2048", "0"));
  Opened opened(kernel, DrmOptions::Cards::Amd);
  auto processes = opened.sample()[0].processes;
  ASSERT_TRUE(processes);
  ASSERT_EQ(processes->size(), 1u);
  EXPECT_EQ((*processes)[0], (GpuProcess{500, "train", 3072 * 1024, std::nullopt}));
  kernel.write("proc/500/fdinfo/3", client("7", "1024", "250001000"));
  kernel.write("proc/500/fdinfo/4", client("7", "1024", "250001000"));
  processes = opened.sample()[0].processes;
  EXPECT_EQ((*processes)[0].busy, 25);
}

TEST(DrmSource, ShowsIntelByWhatItsProcessesHold) {
  FakeKernel kernel;
  kernel.card("card0", "0000:00:02.0", "i915", "0x8086");
  kernel.card("card1", "0000:01:00.0", "nvidia", "0x10de");
  kernel.card("card2", "0000:02:00.0", "ast", "0x1a03");
  kernel.client(9, 1, "blender",
                "drm-driver: i915\ndrm-pdev: 0000:00:02.0\ndrm-client-id: 1\n"
                "drm-total-system0: 9 MiB\ndrm-resident-system0: 5 MiB\n");
  Opened opened(kernel, DrmOptions::Cards::Others);
  ASSERT_EQ(opened.source.gpus().size(), 1u);
  EXPECT_EQ(opened.source.gpus()[0].vendor, "intel");
  const GpuReadings gpu = opened.sample()[0];
  EXPECT_EQ(gpu[GpuMetric::Used], 5 << 20);
  EXPECT_EQ(gpu[GpuMetric::Total], std::nullopt);
  EXPECT_EQ(gpu[GpuMetric::Free], std::nullopt);
  EXPECT_EQ(gpu.accounting, MemoryAccounting::SumOfProcesses);
}

TEST(DrmSource, KnowsNothingUsedFromNothingKnown) {
  FakeKernel kernel;
  kernel.card("card0", "0000:00:02.0", "xe", "0x8086");
  Opened opened(kernel, DrmOptions::Cards::Others);
  EXPECT_EQ(opened.sample()[0][GpuMetric::Used], std::nullopt);
}

TEST(DrmSource, SaysAReadingThatBreaksOnceAndACardThatGoes) {
  FakeKernel kernel;
  addAmdCard(kernel);
  Opened opened(kernel, DrmOptions::Cards::Amd);
  opened.sample();
  kernel.write("sys/devices/0000:03:00.0/gpu_busy_percent", "nonsense\n");
  EXPECT_EQ(opened.sample()[0][GpuMetric::Busy], std::nullopt);
  opened.sample();
  auto notes = opened.source.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "reading-failed");
  kernel.remove("sys/devices/0000:03:00.0");
  const GpuReadings lost = opened.sample()[0];
  EXPECT_TRUE(lost.isLost);
  EXPECT_EQ(lost[GpuMetric::Used], std::nullopt);
  notes = opened.source.takeNotes();
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].code, "gpu-lost");
}

TEST(DrmSource, SaysWhereItLookedWhenThereIsNothing) {
  FakeKernel kernel;
  Opened opened(kernel, DrmOptions::Cards::Amd);
  EXPECT_EQ(opened.report.outcome, LookedFor::Outcome::Missing);
  EXPECT_EQ(opened.report.code, "no-cards");
  EXPECT_EQ(opened.report.where, std::vector<std::string>{kernel.sysfs() + "/class/drm"});
  EXPECT_TRUE(opened.sample().empty());
}

TEST(DrmClients, ReadsAnyTextWithoutHarm) {
  for (const std::string text :
       {"", ":", "drm-driver", "drm-memory-vram: 99999999999999999999 KiB",
        "drm-memory-vram: 9223372036854775807 GiB", "drm-engine-gfx: x", "drm-memory-vram: -5 KiB"}) {
    EXPECT_EQ(DrmClients::parse(text).bytes, std::nullopt) << text;
  }
}

}  // namespace
}  // namespace strata::device

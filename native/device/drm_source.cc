#include "device/drm_source.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "device/kernel_file.h"

namespace strata::device {
namespace {

namespace fs = std::filesystem;

/// Drivers of GPUs that compute or draw; others in /sys/class/drm only show a picture.
constexpr const char* kOtherDrivers[] = {"i915",    "xe",   "nouveau", "msm",    "panfrost",
                                         "panthor", "lima", "v3d",     "etnaviv"};

bool isGpuDriver(const std::string& driver) {
  return std::find(std::begin(kOtherDrivers), std::end(kOtherDrivers), driver) != std::end(kOtherDrivers);
}

/// "card0", not "card0-HDMI-A-1".
bool isCard(const std::string& name) {
  return name.size() > 4 && name.compare(0, 4, "card") == 0 &&
         name.find_first_not_of("0123456789", 4) == std::string::npos;
}

struct Vendor {
  const char* word;
  const char* name;
};

Vendor vendorOf(const std::string& id) {
  if (id == "0x1002") return {"amd", "AMD"};
  if (id == "0x8086") return {"intel", "Intel"};
  return {"other", "GPU"};
}

std::vector<fs::path> sortedEntries(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

DrmSource::DrmSource(DrmOptions options) : options_(std::move(options)), clients_(options_.procRoot) {}

LookedFor DrmSource::open(CallWatch& watch) {
  const bool isAmd = options_.cards == DrmOptions::Cards::Amd;
  LookedFor report;
  report.kind = isAmd ? "amd" : "drm";
  report.what = isAmd ? "mem_info_vram_total" : "fdinfo";
  const std::string folder = options_.sysfsRoot + "/class/drm";
  report.where = {folder};
  watch.begin("reading /sys/class/drm");
  for (const fs::path& path : sortedEntries(folder)) {
    if (isCard(path.filename().string())) addCard(path.string());
  }
  watch.end();
  report.outcome = cards_.empty() ? LookedFor::Outcome::Missing : LookedFor::Outcome::Found;
  report.code = cards_.empty() ? "no-cards" : "found";
  return report;
}

void DrmSource::addCard(const std::string& folder) {
  const std::string device = folder + "/device";
  const bool hasTotals = readNumber(device + "/mem_info_vram_total").value.has_value();
  const std::string driver = linkName(device + "/driver");
  const bool isWanted =
      options_.cards == DrmOptions::Cards::Amd ? hasTotals : !hasTotals && isGpuDriver(driver);
  if (!isWanted) return;
  const Vendor vendor = vendorOf(readLine(device + "/vendor"));
  GpuIdentity identity;
  identity.vendor = vendor.word;
  identity.name = readLine(device + "/product_name");
  if (identity.name.empty()) identity.name = std::string(vendor.name) + " " + readLine(device + "/device");
  const std::string bus = linkName(device);
  identity.bus = bus.find(':') == std::string::npos ? std::string() : bus;
  identity.driver = driver;
  identity.id = identity.bus.empty() ? fs::path(folder).filename().string() : identity.bus;
  identities_.push_back(identity);
  Card card;
  card.folder = device;
  card.gpu = identity.bus.empty() ? driver : identity.bus;
  const auto add = [&](const char* name, GpuMetric metric) {
    card.files.push_back({device + "/" + name, metric, 1, Pace()});
  };
  add("mem_info_vram_total", GpuMetric::Total);
  add("mem_info_vram_used", GpuMetric::Used);
  add("gpu_busy_percent", GpuMetric::Busy);
  add("mem_busy_percent", GpuMetric::MemoryBusy);
  addSensors(card);
  cards_.push_back(std::move(card));
}

/// hwmon counts in thousandths of a degree, millionths of a watt and of a joule, and in hertz.
void DrmSource::addSensors(Card& card) const {
  for (const fs::path& sensors : sortedEntries(card.folder + "/hwmon")) {
    const auto add = [&](const char* name, GpuMetric metric, double scale, int64_t period) {
      const std::string path = (sensors / name).string();
      std::error_code error;
      const bool isKnown = std::any_of(card.files.begin(), card.files.end(),
                                       [&](const File& file) { return file.metric == metric; });
      if (!isKnown && fs::exists(path, error)) card.files.push_back({path, metric, scale, Pace(period)});
    };
    add("temp1_input", GpuMetric::Temperature, 1e-3, 0);
    add("power1_average", GpuMetric::Power, 1e-3, 0);
    add("power1_input", GpuMetric::Power, 1e-3, 0);
    add("power1_cap", GpuMetric::PowerLimit, 1e-3, kSecond);
    add("freq1_input", GpuMetric::CoreClock, 1e-6, kSecond);
    add("freq2_input", GpuMetric::MemoryClock, 1e-6, kSecond);
    add("energy1_input", GpuMetric::Energy, 1e-3, kSecond);
  }
}

void DrmSource::readFile(size_t position, File& file, int64_t now) {
  if (!file.pace.isDue(now)) return;
  const KernelNumber number = readNumber(file.path);
  Reading& reading = cards_[position].readings[file.metric];
  reading.reset();
  if (number.value) {
    reading = std::llround(static_cast<double>(*number.value) * file.scale);
    if (file.scale == 1) reading = number.value;  // exact above 2^53
    return file.pace.worked(now);
  }
  if (number.error == ENOENT) return file.pace.never();
  if (!file.pace.failed(now)) return;
  notes_.push_back({"reading-failed",
                    file.path + " could not be read: " + std::strerror(number.error) +
                        ". It is tried again at a slower pace.",
                    static_cast<uint32_t>(position)});
}

void DrmSource::readProcesses(int64_t now) {
  if (!processes_.isDue(now) || cards_.empty()) return;
  processes_.worked(now);
  auto found = clients_.read(now);
  for (Card& card : cards_) {
    card.readings.processes = found[card.gpu];
    if (options_.cards == DrmOptions::Cards::Amd) continue;
    Reading sum;
    for (const GpuProcess& process : *card.readings.processes) {
      if (process.bytes) sum = sum.value_or(0) + *process.bytes;
    }
    card.readings[GpuMetric::Used] = sum;
    card.readings.accounting = MemoryAccounting::SumOfProcesses;
  }
  if (!clients_.isPartial() || hasSaidPartial_) return;
  hasSaidPartial_ = true;
  notes_.push_back({"processes-hidden",
                    "Processes of other users are not shown: only root may see which GPU they use.",
                    std::nullopt});
}

void DrmSource::sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) {
  watch.begin("reading sysfs");
  for (size_t i = 0; i < cards_.size(); ++i) {
    Card& card = cards_[i];
    std::error_code error;
    const bool isLost = !fs::exists(card.folder, error);
    if (isLost != card.readings.isLost) {
      card.readings = {};
      card.readings.isLost = isLost;
      const std::string& name = identities_[i].id;
      notes_.push_back({isLost ? "gpu-lost" : "gpu-back",
                        name + (isLost ? " is lost: the kernel does not list it any more." : " is back."),
                        static_cast<uint32_t>(i)});
    }
    if (isLost) continue;
    const bool isAmd = options_.cards == DrmOptions::Cards::Amd;
    for (File& file : card.files) {
      const bool isTotal = file.metric == GpuMetric::Total || file.metric == GpuMetric::Used;
      if (isAmd || !isTotal) readFile(i, file, now);
    }
    const Reading total = card.readings[GpuMetric::Total], used = card.readings[GpuMetric::Used];
    if (!isAmd) continue;
    card.readings[GpuMetric::Free] = total && used ? Reading(*total - *used) : std::nullopt;
    card.readings.accounting = MemoryAccounting::ReservedInUsed;
  }
  watch.end();
  watch.begin("reading /proc");
  readProcesses(now);
  watch.end();
  for (size_t i = 0; i < cards_.size(); ++i) readings[i] = cards_[i].readings;
}

}  // namespace strata::device

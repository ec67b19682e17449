#pragma once

#include <string>
#include <vector>

#include "device/drm_clients.h"
#include "device/pace.h"

namespace strata::device {

struct DrmOptions {
  enum class Cards { Amd, Others };
  Cards cards = Cards::Amd;
  std::string sysfsRoot = "/sys";
  std::string procRoot = "/proc";
};

/// GPUs that the Linux kernel itself tells about, without any library: AMD's totals and sensors from sysfs,
/// its processes and those of Intel and others from fdinfo.
class DrmSource final : public GpuSource {
 public:
  explicit DrmSource(DrmOptions options);

  LookedFor open(CallWatch& watch) override;
  const std::vector<GpuIdentity>& gpus() const override { return identities_; }
  void sample(int64_t now, std::span<GpuReadings> readings, CallWatch& watch) override;
  std::vector<Note> takeNotes() override { return std::exchange(notes_, {}); }

 private:
  /// One of the kernel's files and the reading it gives.
  struct File {
    std::string path;
    GpuMetric metric;
    double scale;  ///< from the file's unit to the metric's
    Pace pace;
  };
  struct Card {
    std::string folder;
    DrmGpu gpu;
    std::vector<File> files;
    GpuReadings readings;
  };

  void addCard(const std::string& folder);
  void addSensors(Card& card) const;
  void readFile(size_t position, File& file, int64_t now);
  void readProcesses(int64_t now);

  DrmOptions options_;
  DrmClients clients_;
  std::vector<Card> cards_;
  std::vector<GpuIdentity> identities_;
  std::vector<Note> notes_;
  Pace processes_{kSecond};
  bool hasSaidPartial_ = false;
};

}  // namespace strata::device

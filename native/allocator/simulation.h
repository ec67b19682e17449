#pragma once

#include <memory>
#include <vector>

#include "allocator/golden_config.h"
#include "allocator/golden_format.h"

namespace strata {

/// An allocator with all that it stands on.
struct Simulation {
  std::unique_ptr<DeviceModel> device;
  std::vector<std::unique_ptr<Allocator>> layers;  ///< the last one is asked, each stands on those before it
  std::unique_ptr<GoldenFormat> format;

  Allocator& allocator() const { return *layers.back(); }
  void setEventSink(EventSink* sink) const {
    for (const auto& layer : layers) layer->setEventSink(sink);
  }
  /// Takes what the allocator takes before the first request. Errors: ReplayError when the device refuses.
  void start() const;
};

/// Builds the allocator of a configuration, not started. Errors: ReplayError.
Simulation makeSimulation(const GoldenConfig& config);

}  // namespace strata

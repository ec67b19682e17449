#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "capture/mapping_guard.h"

namespace strata {

/// A file as one read-only run of bytes, mapped by the operating system: nothing is copied, and pages come in
/// as they are read. When another program cuts the file short meanwhile, the lost part reads as zeros and
/// `hasShrunk` tells.
/// Errors: CaptureError when the path cannot be opened, is no regular file, or is empty.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  bool hasShrunk() const { return guard_ && guard_->wasShort(); }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  std::optional<MappingGuard> guard_;
};

}  // namespace strata

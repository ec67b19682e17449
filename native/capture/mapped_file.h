#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace strata {

/// A file as one read-only run of bytes, mapped by the operating system: nothing is copied, and pages come in
/// as they are read. A file that is cut short by another program while it is open ends this process; the
/// engine runs in a process of its own for such reasons.
/// Errors: CaptureError when the path cannot be opened, is no regular file, or is empty.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const uint8_t> bytes() const { return {data_, size_}; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace strata

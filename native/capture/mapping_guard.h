#pragma once

#include <cstddef>
#include <cstdint>

namespace strata {

/// Outlives the loss of pages behind a mapping. When another program cuts a mapped file short, the kernel
/// answers the next read with SIGBUS, which would end the process and every trace in it. While a guard
/// exists, what is gone reads as zeros instead, and `wasShort` tells. Faults elsewhere go on to whoever
/// handled them before. Where all guards are taken, or without SIGBUS (Windows keeps a mapped file from being
/// cut), it does nothing.
class MappingGuard {
 public:
  MappingGuard(const void* data, size_t bytes);
  ~MappingGuard();
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  bool wasShort() const;

 private:
  int slot_ = -1;
};

}  // namespace strata

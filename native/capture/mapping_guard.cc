#include "capture/mapping_guard.h"

#ifdef _WIN32

namespace strata {

MappingGuard::MappingGuard(const void*, size_t) {}
MappingGuard::~MappingGuard() = default;
bool MappingGuard::wasShort() const { return false; }

}  // namespace strata

#else

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace strata {
namespace {

/// What the handler may look at: plain atomics, since it can interrupt anything.
struct Guarded {
  std::atomic<bool> isTaken{false};
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<bool> wasShort{false};
};

constexpr int kSlots = 64;
Guarded guarded[kSlots];
struct sigaction previous;
uintptr_t pageBytes = 4096;

/// Puts zeros in place of everything from the lost page on: a file is cut at its end, so the rest is gone
/// too.
bool replaceLost(uintptr_t address) {
  for (Guarded& one : guarded) {
    const uintptr_t begin = one.begin.load(), end = one.end.load();
    if (address < begin || address >= end) continue;
    const uintptr_t page = address & ~(pageBytes - 1);
    void* zeros = mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) return false;
    one.wasShort.store(true);
    return true;
  }
  return false;
}

void onBusError(int signal, siginfo_t* info, void* context) {
  if (replaceLost(reinterpret_cast<uintptr_t>(info->si_addr))) return;
  if ((previous.sa_flags & SA_SIGINFO) != 0) return previous.sa_sigaction(signal, info, context);
  sigaction(SIGBUS, &previous, nullptr);  // the read happens again and ends as it would have without us
}

void installHandler() {
  pageBytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = onBusError;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous);
}

}  // namespace

MappingGuard::MappingGuard(const void* data, size_t bytes) {
  static std::once_flag once;
  std::call_once(once, installHandler);
  for (int slot = 0; slot < kSlots; ++slot) {
    if (guarded[slot].isTaken.exchange(true)) continue;
    slot_ = slot;
    guarded[slot].wasShort.store(false);
    guarded[slot].end.store(reinterpret_cast<uintptr_t>(data) + bytes);
    guarded[slot].begin.store(reinterpret_cast<uintptr_t>(data));
    return;
  }
}

MappingGuard::~MappingGuard() {
  if (slot_ < 0) return;
  guarded[slot_].end.store(0);
  guarded[slot_].begin.store(0);
  guarded[slot_].isTaken.store(false);
}

bool MappingGuard::wasShort() const { return slot_ >= 0 && guarded[slot_].wasShort.load(); }

}  // namespace strata

#endif

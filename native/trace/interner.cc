#include "trace/interner.h"

#include <cstring>
#include <random>

namespace strata {
namespace {

constexpr uint32_t kEmptySlot = 0xffffffff;

/// Another in each process, so that no file can be made whose texts all fall into one slot.
const uint64_t kSeed = std::random_device{}() * 0x9e3779b97f4a7c15ull;

/// Multiply-and-fold over eight bytes at a time; the tables only need speed and an even spread. Two lanes, so
/// that one multiplication need not wait for the other.
uint32_t hashBytes(const void* data, size_t bytes) {
  constexpr uint64_t kFirst = 0xff51afd7ed558ccdull;
  constexpr uint64_t kSecond = 0xc4ceb9fe1a85ec53ull;
  const auto* at = static_cast<const unsigned char*>(data);
  uint64_t even = kSeed ^ bytes;
  uint64_t odd = ~kSeed;
  for (; bytes >= 16; at += 16, bytes -= 16) {
    uint64_t words[2];
    std::memcpy(words, at, 16);
    even = (even ^ words[0]) * kFirst;
    even ^= even >> 32;
    odd = (odd ^ words[1]) * kSecond;
    odd ^= odd >> 32;
  }
  uint64_t rest[2] = {0, 0};
  if (bytes > 0) std::memcpy(rest, at, bytes);
  even = (even ^ rest[0]) * kFirst;
  odd = (odd ^ rest[1]) * kSecond;
  const uint64_t hash = ((even ^ even >> 32) + (odd ^ odd >> 29)) * kFirst;
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

template <typename T>
uint32_t RunTable<T>::intern(std::span<const T> run) {
  if (hashes_.size() * 2 >= slots_.size()) grow();
  const uint32_t hash = hashBytes(run.data(), run.size_bytes());
  const size_t mask = slots_.size() - 1;
  size_t slot = hash & mask;
  for (; slots_[slot] != kEmptySlot; slot = (slot + 1) & mask) {
    const uint32_t row = slots_[slot];
    if (hashes_[row] != hash) continue;
    const auto known = at(row);
    if (known.size() == run.size() &&
        (run.empty() || std::memcmp(known.data(), run.data(), run.size_bytes()) == 0)) {
      return row;
    }
  }
  const uint32_t row = count();
  arena_.insert(arena_.end(), run.begin(), run.end());
  starts_.push_back(arena_.size());
  hashes_.push_back(hash);
  slots_[slot] = row;
  return row;
}

template <typename T>
void RunTable<T>::grow() {
  size_t size = slots_.empty() ? 64 : slots_.size() * 2;
  while (hashes_.size() * 2 >= size) size *= 2;  // after seal() the slots start again from nothing
  slots_.assign(size, kEmptySlot);
  const size_t mask = size - 1;
  for (uint32_t row = 0; row < hashes_.size(); ++row) {
    size_t slot = hashes_[row] & mask;
    while (slots_[slot] != kEmptySlot) slot = (slot + 1) & mask;
    slots_[slot] = row;
  }
}

template <typename T>
size_t RunTable<T>::bytes() const {
  return arena_.capacity() * sizeof(T) + starts_.capacity() * 8 + hashes_.capacity() * 4 +
         slots_.capacity() * 4;
}

template class RunTable<char>;
template class RunTable<uint32_t>;

}  // namespace strata

#include "capture/xxhash64.h"

#include <algorithm>
#include <bit>

namespace strata {
namespace {

constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4F;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5;

/// Little endian, whatever the machine is.
template <typename Word>
Word load(const uint8_t* bytes) {
  Word word = 0;
  for (size_t i = 0; i < sizeof(Word); ++i) word |= static_cast<Word>(bytes[i]) << (8 * i);
  return word;
}

}  // namespace

XxHash64::XxHash64() : lanes_{kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1} {}

uint64_t XxHash64::round(uint64_t lane, uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

void XxHash64::takeStripe(const uint8_t* stripe) {
  for (size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = round(lanes_[i], load<uint64_t>(stripe + 8 * i));
}

void XxHash64::update(std::span<const uint8_t> bytes) {
  const size_t held = length_ % kStripe;
  length_ += bytes.size();
  if (held != 0) {
    const size_t taken = std::min(kStripe - held, bytes.size());
    std::copy_n(bytes.begin(), taken, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    if (held + taken < kStripe) return;
    takeStripe(rest_.data());
    bytes = bytes.subspan(taken);
  }
  for (; bytes.size() >= kStripe; bytes = bytes.subspan(kStripe)) takeStripe(bytes.data());
  std::copy(bytes.begin(), bytes.end(), rest_.begin());
}

uint64_t XxHash64::digest() const {
  uint64_t hash = kPrime5;
  if (length_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += length_;
  const uint8_t* at = rest_.data();
  const uint8_t* end = at + length_ % kStripe;
  for (; end - at >= 8; at += 8)
    hash = std::rotl(hash ^ round(0, load<uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (end - at >= 4) {
    hash = std::rotl(hash ^ load<uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at) hash = std::rotl(hash ^ *at * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace strata

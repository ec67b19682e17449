#include "capture/protobuf/recognise.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "capture/protobuf/wire.h"

namespace strata::protobuf {
namespace {

/// Enough fields to tell by; a file has millions.
constexpr int kFieldsSeen = 64;

struct Allowed {
  uint32_t number;
  Wire wire;
};

/// Whether the first fields are all among these, and there is at least one.
bool hasOnly(Message message, std::initializer_list<Allowed> allowed) {
  Field field;
  int seen = 0;
  for (; seen < kFieldsSeen && message.next(field); ++seen) {
    const auto isAllowed = [&](const Allowed& one) { return field.is(one.number, one.wire); };
    if (std::none_of(allowed.begin(), allowed.end(), isAllowed)) return false;
  }
  return seen > 0;
}

bool isPrintable(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x7f;
  });
}

/// The first field of this number that holds bytes, among the first ones.
bool find(Message message, uint32_t number, Field& found) {
  for (int seen = 0; seen < kFieldsSeen && message.next(found); ++seen) {
    if (found.is(number, Wire::Bytes)) return true;
  }
  return false;
}

/// 1 sample types of {1 type, 2 unit}, both numbers of texts, before everything else.
bool isPprof(const Message& file, const Field& first) {
  return !first.isCut && hasOnly(Message(first), {{1, Wire::Varint}, {2, Wire::Varint}}) &&
         hasOnly(file, {{1, Wire::Bytes},
                        {2, Wire::Bytes},
                        {3, Wire::Bytes},
                        {4, Wire::Bytes},
                        {5, Wire::Bytes},
                        {6, Wire::Bytes},
                        {7, Wire::Varint},
                        {8, Wire::Varint},
                        {9, Wire::Varint},
                        {10, Wire::Varint},
                        {11, Wire::Bytes},
                        {12, Wire::Varint},
                        {13, Wire::Varint},
                        {13, Wire::Bytes},
                        {14, Wire::Varint}});
}

/// 1 the allocator's name, then summaries of bins, chunks, snapshots, statistics.
bool isMemoryDump(const Message& file, const Field& first) {
  if (!isPrintable(first.bytes)) return false;
  if (!hasOnly(file,
               {{1, Wire::Bytes}, {2, Wire::Bytes}, {3, Wire::Bytes}, {4, Wire::Bytes}, {5, Wire::Bytes}}))
    return false;
  Field part;
  if (find(file, 3, part))
    return part.bytes.empty() || hasOnly(Message(part), {{1, Wire::Varint},
                                                         {2, Wire::Varint},
                                                         {3, Wire::Varint},
                                                         {4, Wire::Varint},
                                                         {5, Wire::Bytes},
                                                         {6, Wire::Varint},
                                                         {7, Wire::Varint},
                                                         {8, Wire::Varint},
                                                         {9, Wire::Varint}});
  return find(file, 2, part) || find(file, 5, part);
}

/// 1 planes of {1 id, 2 name, 3 lines, 4 and 5 tables, 6 stats}.
bool isXSpace(const Message& file, const Field& first) {
  return hasOnly(file, {{1, Wire::Bytes}, {2, Wire::Bytes}, {3, Wire::Bytes}, {4, Wire::Bytes}}) &&
         hasOnly(Message(first), {{1, Wire::Varint},
                                  {2, Wire::Bytes},
                                  {3, Wire::Bytes},
                                  {4, Wire::Bytes},
                                  {5, Wire::Bytes},
                                  {6, Wire::Bytes}});
}

/// 1 the module, which begins with its name, and 3 the buffer assignment.
bool isHloProto(const Message& file, const Field& first) {
  Field part;
  return hasOnly(file, {{1, Wire::Bytes}, {3, Wire::Bytes}}) && find(Message(first), 1, part) &&
         isPrintable(part.bytes);
}

}  // namespace

Schema recognise(std::span<const uint8_t> bytes) {
  const Message file(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  Field first;
  if (!Message(file).next(first) || !first.is(1, Wire::Bytes)) return Schema::None;
  if (isMemoryDump(file, first)) return Schema::MemoryDump;
  if (isPprof(file, first)) return Schema::Pprof;
  if (isXSpace(file, first)) return Schema::XSpace;
  if (isHloProto(file, first)) return Schema::HloProto;
  return Schema::None;
}

}  // namespace strata::protobuf

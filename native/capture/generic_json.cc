#include "capture/generic_json.h"

#include <algorithm>

namespace strata {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view asText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

GenericJsonRows::GenericJsonRows(std::span<const uint8_t> bytes)
    : text_(asText(bytes)), scanner_(text_, text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0) {}

GenericJsonRows::Found GenericJsonRows::next(GenericValues& values, std::deque<std::string>& storage) {
  values = {};
  storage.clear();
  try {
    if (!isOpened_) openList();
    if (!findRow()) return Found::End;
    moveTo(scanner_.position());
    if (scanner_.next() == '{') {
      readGenericMembers(scanner_, values, storage);
    } else {
      scanner_.skip();
    }
    return Found::Row;
  } catch (const EndOfData&) {
    return Found::CutOff;
  } catch (const JsonScanner::NotJson&) {
    moveTo(scanner_.position());
    return Found::Damage;
  }
}

/// Goes into the list that holds the rows, if there is one.
void GenericJsonRows::openList() {
  isOpened_ = true;
  if (scanner_.next() == '{') {
    JsonScanner inside(text_, scanner_.position());
    inside.open('{');
    std::string_view key;
    bool isFirst = true;
    const bool isWrapped = inside.member(isFirst, key) && key == "events" && inside.next() == '[';
    if (!isWrapped) return;
    scanner_ = JsonScanner(text_, inside.position());
  }
  scanner_.open('[');
  isList_ = true;
}

bool GenericJsonRows::findRow() {
  if (isList_) {
    if (!scanner_.item(isFirst_)) return false;
    scanner_.next();
    return true;
  }
  if (scanner_.isAtEnd()) return false;
  if (scanner_.next() != '{') throw JsonScanner::NotJson("should have an object");
  return true;
}

void GenericJsonRows::moveTo(size_t byte) {
  const auto at = [&](uint64_t place) { return text_.begin() + static_cast<std::ptrdiff_t>(place); };
  place_.line += static_cast<uint64_t>(std::count(at(place_.byte), at(byte), '\n'));
  place_.byte = byte;
}

bool looksLikeGenericJson(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 1 << 20;
  bytes = bytes.subspan(0, std::min(bytes.size(), kSearched));
  const std::string_view text = asText(bytes);
  const size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  GenericValues values;
  std::deque<std::string> storage;
  GenericJsonRows rows(bytes);
  return rows.next(values, storage) == GenericJsonRows::Found::Row && values.has(GenericField::Action);
}

}  // namespace strata

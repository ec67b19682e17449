#include "capture/generic_text.h"

#include <algorithm>
#include <deque>
#include <string>

#include "capture/generic_json.h"
#include "capture/generic_row.h"
#include "capture/generic_rows.h"
#include "capture/numbered_lines.h"
#include "capture/rmm_row.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

/// The first line that is a header or a row; empty when there is none.
std::string firstRowOf(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 1 << 20;
  NumberedLines lines(bytes.subspan(0, std::min(bytes.size(), kSearched)), nullptr);
  while (lines.next()) {
    if (!isGenericComment(lines.line())) return std::string(lines.line());
  }
  return {};
}

bool isRowOfJson(std::string_view line) {
  GenericValues values;
  std::deque<std::string> storage;
  return readGenericJson(line, values, storage) && values.has(GenericField::Action);
}

Trace readJsonRows(std::span<const uint8_t> bytes, const Progress& progress) {
  constexpr uint64_t kBytesBetweenPauses = 1 << 18;
  using Found = GenericJsonRows::Found;
  GenericRows rows;
  GenericJsonRows found(bytes);
  GenericValues values;
  std::deque<std::string> storage;
  uint64_t used = 0, nextPause = 0;
  const NumberedLines::Pause pause = pauseWith(progress, bytes.size(), used);
  for (;;) {
    const Found next = found.next(values, storage);
    const TextPlace& place = found.place();
    if (next != Found::Row) {
      if (next != Found::End) rows.breakOff(place, next == Found::Damage);
      return rows.finish();
    }
    rows.take(values, place);
    used = rows.rows();
    if (place.byte < nextPause) continue;
    pause(place.byte);
    nextPause = place.byte + kBytesBetweenPauses;
  }
}

}  // namespace

bool looksLikeGeneric(std::span<const uint8_t> bytes) {
  const std::string line = firstRowOf(bytes);
  if (line.empty() || isRmmHeader(line)) return false;
  CsvFields fields;
  const bool isJson = line.front() == '{' || line.front() == '[';
  return isJson ? isRowOfJson(line) || looksLikeGenericJson(bytes) : GenericHeader().read(line, fields);
}

std::string missingGenericColumns(std::span<const uint8_t> bytes) {
  const std::string line = firstRowOf(bytes);
  return line.empty() ? line : GenericHeader().missing(line);
}

Trace readGeneric(std::span<const uint8_t> bytes, const Progress& progress) {
  if (!isRowOfJson(firstRowOf(bytes)) && looksLikeGenericJson(bytes)) return readJsonRows(bytes, progress);
  GenericRows rows;
  uint64_t used = 0;
  NumberedLines lines(bytes, pauseWith(progress, bytes.size(), used));
  while (lines.next()) {
    rows.take(lines.line(), lines.place(), lines.isEnded());
    used = rows.rows();
  }
  return rows.finish();
}

}  // namespace strata

#include "capture/generic_text.h"

#include <algorithm>
#include <deque>
#include <string>

#include "capture/generic_row.h"
#include "capture/generic_rows.h"
#include "capture/numbered_lines.h"
#include "capture/text_warnings.h"

namespace strata {
namespace {

bool isComment(std::string_view line) { return line.empty() || line.front() == '#'; }

}  // namespace

bool looksLikeGeneric(std::span<const uint8_t> bytes) {
  constexpr size_t kSearched = 1 << 20;
  NumberedLines lines(bytes.subspan(0, std::min(bytes.size(), kSearched)), nullptr);
  while (lines.next()) {
    const std::string_view line = lines.line();
    if (isComment(line)) continue;
    if (line.front() != '{') {
      CsvFields fields;
      return fields.split(line) && GenericHeader().read(fields);
    }
    GenericValues values;
    std::deque<std::string> storage;
    return readGenericJson(line, values, storage) && values.has(GenericField::Action);
  }
  return false;
}

Trace readGeneric(std::span<const uint8_t> bytes, const Progress& progress) {
  GenericRows rows;
  uint64_t events = 0;
  NumberedLines lines(bytes, pauseWith(progress, bytes.size(), events));
  while (lines.next()) {
    rows.take(lines.line(), lines.place(), lines.isEnded());
    events = rows.events();
  }
  return rows.finish();
}

}  // namespace strata

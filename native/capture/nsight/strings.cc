#include "capture/nsight/strings.h"

#include "capture/text.h"

namespace strata::nsight {

std::unordered_map<int64_t, std::string> Strings::at(const std::unordered_set<int64_t>& ids) {
  std::unordered_map<int64_t, std::string> texts;
  if (table_ == nullptr || ids.empty()) return texts;
  constexpr std::string_view kColumns[] = {"id", "value"};
  const auto take = [&](int64_t, std::span<const sqlite::Value> row) {
    if (!row[0].isInteger() || !row[1].isText() || !ids.contains(row[0].integer)) return;
    texts[row[0].integer] = repairUtf8(row[1].bytes.substr(0, kMostLetters));
  };
  const bool isInOrder = table_->columns.rowid >= 0 && table_->positionOf("id") == table_->columns.rowid;
  if (isInOrder) {
    for (const int64_t id : ids) database_.seek(*table_, id, kColumns, take);
  } else {
    database_.scan(*table_, kColumns, take);
  }
  return texts;
}

}  // namespace strata::nsight

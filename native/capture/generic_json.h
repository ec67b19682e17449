#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>

#include "capture/generic_row.h"
#include "capture/json_scanner.h"
#include "capture/numbered_lines.h"

namespace strata {

/// The rows of Strata's own format where JSON does not put one on each line: objects over several lines, one
/// behind the other or in a list, or that list as the member "events" of an object.
class GenericJsonRows {
 public:
  explicit GenericJsonRows(std::span<const uint8_t> bytes);

  enum class Found : uint8_t { Row, End, CutOff, Damage };
  /// Goes to the next row; what is no object in a list is a row without values.
  Found next(GenericValues& values, std::deque<std::string>& storage);
  /// Of the row found last, or of the damage.
  const TextPlace& place() const { return place_; }

 private:
  void openList();
  bool findRow();
  void moveTo(size_t byte);

  std::string_view text_;
  JsonScanner scanner_;
  bool isOpened_ = false, isList_ = false, isFirst_ = true;
  TextPlace place_{1, 0};
};

/// Whether the first row of such a text is one of ours.
bool looksLikeGenericJson(std::span<const uint8_t> bytes);

}  // namespace strata

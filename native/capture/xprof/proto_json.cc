#include "capture/xprof/proto_json.h"

#include <cmath>

#include "capture/chrome_event.h"
#include "capture/pickle_text.h"
#include "capture/text_numbers.h"

namespace strata::xprof {

void ProtoJson::breathe() {
  constexpr size_t kBytesBetweenPauses = 1 << 18;
  if (position() < nextPause_) return;
  nextPause_ = position() + kBytesBetweenPauses;
  if (progress_ && !progress_("read", position(), text_.size(), 0)) throw Cancelled();
}

std::optional<uint64_t> ProtoJson::whole() { return parseDecimal(readPlainValue(scanner_)); }

std::optional<int64_t> ProtoJson::integer() {
  std::string_view text = readPlainValue(scanner_);
  const bool isNegative = text.starts_with('-');
  if (isNegative) text.remove_prefix(1);
  const auto number = parseDecimal(text);
  if (!number || *number >> 63 != 0) return std::nullopt;
  return isNegative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
}

std::optional<double> ProtoJson::real() {
  try {
    const double number = parseReal(readPlainValue(scanner_));
    if (std::isfinite(number)) return number;
  } catch (const Malformed&) {  // no number
  }
  return std::nullopt;
}

std::string_view ProtoJson::text() { return readPlainValue(scanner_); }

bool isField(std::string_view key, std::string_view field) {
  if (key == field) return true;
  size_t at = 0;
  for (size_t i = 0; i < field.size(); ++i, ++at) {
    const bool isWord = field[i] == '_' && i + 1 < field.size();
    const char wanted = isWord ? static_cast<char>(field[++i] & ~0x20) : field[i];
    if (at >= key.size() || key[at] != wanted) return false;
  }
  return at == key.size();
}

std::optional<uint64_t> bytesOfMebibytes(double mebibytes) {
  const double bytes = std::round(mebibytes * 1048576.0);
  if (!(bytes >= 0 && bytes < static_cast<double>(kMostBytes))) return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

}  // namespace strata::xprof

#include "capture/html_page.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "capture/capture.h"
#include "capture/pickle_reader.h"
#include "capture/snapshot.h"
#include "capture/text.h"

namespace strata {
namespace {

constexpr std::string_view kKey = "\"base64\"";
constexpr char kInside[] = " (Bytes are counted in the snapshot inside the page.)";

constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> makeDigits() {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}

/// The bytes that a text of base64 stands for, up to the first character that is none (quote, padding).
std::vector<uint8_t> decodeBase64(std::string_view text) {
  static constexpr std::array<uint8_t, 256> kDigits = makeDigits();
  std::vector<uint8_t> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int bitCount = 0;
  for (const char letter : text) {
    const uint8_t digit = kDigits[static_cast<unsigned char>(letter)];
    if (digit == kNoDigit) break;
    bits = bits << 6 | digit;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes.push_back(static_cast<uint8_t>(bits >> bitCount));
  }
  return bytes;
}

/// The quoted text after the next "base64" key; moves `rest` behind its opening quote.
bool findBase64(std::string_view& rest) {
  for (;;) {
    const size_t key = rest.find(kKey);
    if (key == std::string_view::npos) return false;
    rest.remove_prefix(key + kKey.size());
    const size_t quote = rest.find_first_not_of(" \t\r\n:");
    if (quote == std::string_view::npos || rest[quote] != '"') continue;
    rest.remove_prefix(quote + 1);
    return true;
  }
}

}  // namespace

Trace readHtmlPage(std::span<const uint8_t> page, const Progress& progress) {
  std::string_view rest(reinterpret_cast<const char*>(page.data()), page.size());
  if (!findBase64(rest)) {
    throw CaptureError("html-no-snapshot", "This page holds no memory snapshot.",
                       "Open the snapshot itself, or a page that torch.cuda._memory_viz trace_plot wrote.");
  }
  const std::string_view encoded = rest.substr(0, rest.find('"'));
  const std::vector<uint8_t> data = decodeBase64(encoded);
  try {
    Trace trace = readSnapshot(data, readPickle, progress);
    for (Warning& warning : trace.warnings) {
      if (warning.byte >= 0) warning.message += kInside;
    }
    rest.remove_prefix(encoded.size());
    uint64_t others = 0;
    while (findBase64(rest)) ++others;
    if (others > 0) {
      trace.warnings.push_back({"html-more-snapshots",
                                "This page holds " + counted(others, "more snapshot", "more snapshots") +
                                    "; the first one is shown.",
                                -1, false});
    }
    return trace;
  } catch (const CaptureError& error) {
    if (error.byte < 0) throw;
    throw CaptureError(error.code, error.what() + std::string(kInside), error.remedy, error.byte);
  }
}

}  // namespace strata

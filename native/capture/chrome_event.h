#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "capture/json_scanner.h"

namespace strata {

/// One item of `traceEvents`; what it does not have is empty. Texts are as written in the file, escapes and
/// all, and live as long as its bytes.
struct ChromeEvent {
  std::string_view phase;     ///< "X" a span, "i" an instant, "C" a counter, ...
  std::string_view category;  ///< "cpu_op", "python_function", ...
  std::string_view name;
  std::string_view process, thread;
  std::optional<int64_t> time;      ///< ns
  std::optional<int64_t> duration;  ///< ns
  size_t args = 0;                  ///< position of the value of "args", 0 when there is none
};

/// Called where the value of "args" is next, with what was read of the event so far; answers whether it read
/// that value.
using ReadsArgs = std::function<bool(const ChromeEvent&)>;

/// Reads the object that is next. Errors: those of the scanner.
ChromeEvent readChromeEvent(JsonScanner& scanner, const ReadsArgs& readsArgs);

/// The next value as text: a string without its quotes, or a literal; other values are skipped.
std::string_view readPlainValue(JsonScanner& scanner);

/// A text of the file with its escapes resolved and repaired to UTF-8.
std::string unescaped(std::string_view written);

}  // namespace strata

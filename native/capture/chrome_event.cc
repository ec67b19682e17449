#include "capture/chrome_event.h"

#include "capture/text.h"
#include "capture/text_numbers.h"

namespace strata {
namespace {

constexpr int64_t kNsPerMicrosecond = 1000;

std::optional<int64_t> readTime(JsonScanner& scanner) {
  return parseTime(readPlainValue(scanner), kNsPerMicrosecond);
}

}  // namespace

std::string_view readPlainValue(JsonScanner& scanner) {
  switch (scanner.next()) {
    case '"':
      return scanner.writtenString();
    case '{':
    case '[':
      scanner.skip();
      return {};
    default:
      return scanner.literal();
  }
}

ChromeEvent readChromeEvent(JsonScanner& scanner, const ReadsArgs& readsArgs) {
  ChromeEvent event;
  scanner.open('{');
  std::string_view key;
  for (bool isFirst = true; scanner.member(isFirst, key);) {
    if (key == "args") {
      scanner.next();
      event.args = scanner.position();
      if (!readsArgs(event)) scanner.skip();
    } else if (key == "ph") {
      event.phase = readPlainValue(scanner);
    } else if (key == "cat") {
      event.category = readPlainValue(scanner);
    } else if (key == "name") {
      event.name = readPlainValue(scanner);
    } else if (key == "pid") {
      event.process = readPlainValue(scanner);
    } else if (key == "tid") {
      event.thread = readPlainValue(scanner);
    } else if (key == "ts") {
      event.time = readTime(scanner);
    } else if (key == "dur") {
      event.duration = readTime(scanner);
    } else {
      scanner.skip();
    }
  }
  return event;
}

std::string unescaped(std::string_view written) {
  if (written.find('\\') == std::string_view::npos) return repairUtf8(written);
  std::string quoted = "\"";
  quoted += written;
  quoted += '"';
  try {
    return repairUtf8(JsonScanner(quoted).string());
  } catch (const std::runtime_error&) {  // an escape that JSON does not have
    return repairUtf8(written);
  }
}

}  // namespace strata

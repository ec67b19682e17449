#include "capture/content.h"

#include <algorithm>
#include <string_view>

#include "capture/capture.h"
#include "capture/nsight/export_reader.h"
#include "capture/protobuf/protobuf_capture.h"

namespace strata {
namespace {

constexpr char kOpenASnapshot[] = "Open the file that torch.cuda.memory._dump_snapshot() wrote.";

constexpr char kOpenACapture[] =
    "Open a PyTorch memory snapshot or profiler trace, a log or profile of TensorFlow, JAX or XLA, a log of "
    "RMM, an SQLite export of Nsight Systems, "
    "or Strata's own CSV or JSON lines.";

struct Signature {
  std::string_view start;
  const char* what;
};

/// Files that are opened by mistake.
constexpr Signature kSignatures[] = {
    {"\x89PNG", "a PNG picture"},
    {"\xff\xd8\xff", "a JPEG picture"},
    {"GIF8", "a GIF picture"},
    {"%PDF", "a PDF document"},
    {"\x7f"
     "ELF",
     "a program"},
    {"MZ", "a program"},
    {"\x93NUMPY", "a NumPy array"},
    {"BZh", "a bzip2 archive"},
    {"\xfd"
     "7zXZ",
     "an xz archive"},
    {"7z\xbc\xaf", "a 7z archive"},
};

bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::string_view withoutSpace(std::string_view text) {
  if (startsWith(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Protocols 0 and 1 have no header: a list or dict is opened first.
bool looksLikeOldPickle(std::string_view text) {
  if (startsWith(text, "(d") || startsWith(text, "(l")) return true;
  const bool isOpened = startsWith(text, "]") || startsWith(text, "}");
  return isOpened && text.size() > 1 && std::string_view("q(r.").find(text[1]) != std::string_view::npos;
}

[[noreturn]] void refuseArchive(std::string_view text) {
  constexpr size_t kSearched = 4096;
  if (text.substr(0, kSearched).find("data.pkl") != std::string_view::npos) {
    throw CaptureError("capture-is-checkpoint",
                       "This is a checkpoint written by torch.save(), not a memory snapshot.", kOpenASnapshot,
                       0);
  }
  throw CaptureError("capture-is-archive",
                     "This is an archive; the capture inside it must be unpacked first.",
                     "Unpack it and open the snapshot inside.", 0);
}

void refuseKnownKinds(std::string_view text) {
  for (const Signature& signature : kSignatures) {
    if (!startsWith(text, signature.start)) continue;
    throw CaptureError("capture-not-a-snapshot",
                       std::string("This is ") + signature.what + ", not a capture of GPU memory.",
                       kOpenACapture, 0);
  }
}

std::string_view asText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A list of a snapshot holds dicts; "[ Info: ..." and "[2026-11-30 ..." are lines of a log.
bool opensJsonList(std::string_view text) {
  text = withoutSpace(text.substr(1));
  return text.empty() || std::string_view("{[]\"").find(text[0]) != std::string_view::npos;
}

}  // namespace

void refuseUnknown(std::span<const uint8_t> bytes) {
  const std::string_view whole = asText(bytes);
  if (startsWith(whole, "\xff\xfe") || startsWith(whole, "\xfe\xff")) {
    throw CaptureError(
        "capture-is-utf16", "This is a text in UTF-16, as PowerShell's \">\" writes it.",
        "Save it as UTF-8, for example with Get-Content FILE | Set-Content -Encoding utf8 NEW.", 0);
  }
  const std::string_view start = asText(bytes).substr(0, 512);
  const bool isText = std::all_of(start.begin(), start.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
  const char* sentence =
      isText ? "This is a text that is none of the captures Strata knows."
             : "This is not a capture that Strata knows: its first bytes are those of no known format.";
  throw CaptureError("capture-unknown-format", sentence, kOpenACapture, 0);
}

Content recogniseContent(std::span<const uint8_t> bytes) {
  const std::string_view whole = asText(bytes);
  if (bytes.size() >= 2 && bytes[0] == 0x80 && bytes[1] < 0x80) return Content::Pickle;
  if (looksLikeOldPickle(whole)) return Content::Pickle;
  if (nsight::isDatabase(bytes)) return Content::Database;
  if (protobuf::isCapture(bytes)) return Content::Protobuf;
  const std::string_view text = withoutSpace(whole);
  if (text.empty()) {
    throw CaptureError(
        "capture-empty", "This file holds nothing but white space.",
        "Record the capture again; a program that was killed while writing leaves an empty file.", 0);
  }
  if (text[0] == '{' || (text[0] == '[' && opensJsonList(text))) return Content::Json;
  if (text[0] == '<') return Content::Html;
  if (startsWith(whole, "PK\x03\x04") || startsWith(whole, "\x1f\x8b")) refuseArchive(whole);
  refuseKnownKinds(whole);
  return Content::Text;
}

}  // namespace strata

#include "capture/mapped_file.h"

#include "capture/capture.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#else
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace strata {
namespace {

[[noreturn]] void refuseMissing(const std::string& path) {
  throw CaptureError("capture-not-found", "There is no file at " + path + ".",
                     "Check the path; the file may have been moved or renamed.");
}

[[noreturn]] void refuseUnreadable(const std::string& path) {
  throw CaptureError("capture-unreadable", path + " cannot be read.",
                     "Check that you may read the file and that its disk is still connected.");
}

[[noreturn]] void refuseDirectory(const std::string& path) {
  throw CaptureError("capture-is-directory", path + " is a folder, not a capture.",
                     "Open one of the files in the folder.");
}

// Without its path: what is unpacked lies in a place that means nothing to anyone.
[[noreturn]] void refuseEmpty() {
  throw CaptureError(
      "capture-empty", "This file is empty.",
      "Record the capture again; a program that was killed while writing leaves an empty file.", 0);
}

}  // namespace

#ifdef _WIN32

MappedFile::MappedFile(const std::string& path) {
  const int length = MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, nullptr, 0);
  std::wstring wide(length > 0 ? length : 1, L'\0');
  MultiByteToWideChar(CP_UTF8, 0, path.c_str(), -1, wide.data(), length);
  const DWORD attributes = GetFileAttributesW(wide.c_str());
  if (attributes == INVALID_FILE_ATTRIBUTES) refuseMissing(path);
  if (attributes & FILE_ATTRIBUTE_DIRECTORY) refuseDirectory(path);
  const HANDLE file = CreateFileW(wide.c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING,
                                  FILE_FLAG_SEQUENTIAL_SCAN, nullptr);
  if (file == INVALID_HANDLE_VALUE) refuseUnreadable(path);
  LARGE_INTEGER size;
  const bool hasSize = GetFileSizeEx(file, &size) != 0;
  if (hasSize && size.QuadPart == 0) {
    CloseHandle(file);
    refuseEmpty();
  }
  const HANDLE mapping = hasSize ? CreateFileMappingW(file, nullptr, PAGE_READONLY, 0, 0, nullptr) : nullptr;
  CloseHandle(file);
  if (mapping == nullptr) refuseUnreadable(path);
  data_ = static_cast<const uint8_t*>(MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0));
  CloseHandle(mapping);
  if (data_ == nullptr) refuseUnreadable(path);
  size_ = static_cast<size_t>(size.QuadPart);
}

MappedFile::~MappedFile() { UnmapViewOfFile(data_); }

#else

MappedFile::MappedFile(const std::string& path) {
  // Not blocking, so that a pipe is refused below instead of waiting for a writer.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) refuseMissing(path);
  if (file < 0) refuseUnreadable(path);
  struct stat status;
  const bool isKnown = fstat(file, &status) == 0;
  void* mapped = MAP_FAILED;
  if (isKnown && S_ISREG(status.st_mode) && status.st_size > 0) {
    mapped = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (isKnown && S_ISDIR(status.st_mode)) refuseDirectory(path);
  if (isKnown && S_ISREG(status.st_mode) && status.st_size == 0) refuseEmpty();
  if (mapped == MAP_FAILED) refuseUnreadable(path);
  size_ = static_cast<size_t>(status.st_size);
  data_ = static_cast<const uint8_t*>(mapped);
  guard_.emplace(data_, size_);
  madvise(mapped, size_, MADV_SEQUENTIAL);
  madvise(mapped, size_, MADV_WILLNEED);
}

MappedFile::~MappedFile() {
  guard_.reset();
  munmap(const_cast<uint8_t*>(data_), size_);
}

#endif

}  // namespace strata

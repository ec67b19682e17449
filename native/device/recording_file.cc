#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "device/recorder.h"

#ifndef _WIN32
#include <unistd.h>
#endif

namespace strata::device {
namespace {

std::string problemOf(const std::string& what, int error) { return what + ": " + std::strerror(error) + "."; }

class FileSink final : public RecordingSink {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)) {}
  ~FileSink() override { close(); }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  std::string create() override {
    close();
    file_ = std::fopen(path_.c_str(), "wb");
    size_ = 0;
    if (file_ == nullptr) return problemOf(path_ + " cannot be created", errno);
    std::setvbuf(file_, nullptr, _IONBF, 0);  // what is appended is at the operating system at once
    return {};
  }

  std::string resume(uint64_t bytes) override {
    close();
    std::error_code error;
    std::filesystem::resize_file(path_, bytes, error);
    if (error) return path_ + " cannot be written: " + error.message() + ".";
    file_ = std::fopen(path_.c_str(), "ab");
    size_ = bytes;
    if (file_ == nullptr) return problemOf(path_ + " cannot be written", errno);
    std::setvbuf(file_, nullptr, _IONBF, 0);
    return {};
  }

  std::string append(std::string_view bytes) override {
    if (file_ == nullptr) return path_ + " is not open.";
    errno = 0;
    const size_t written = std::fwrite(bytes.data(), 1, bytes.size(), file_);
    if (written == bytes.size()) {
      size_ += written;
      return {};
    }
    const int error = errno != 0 ? errno : ENOSPC;
    takeBack();
    return problemOf(path_ + " cannot be written", error);
  }

  std::string sync() override {
#ifndef _WIN32
    if (file_ != nullptr && fsync(fileno(file_)) != 0 && errno != EINVAL) {
      return problemOf(path_ + " cannot be written", errno);
    }
#endif
    return {};
  }

  std::string rotate() override {
    close();
    std::error_code error;
    std::filesystem::rename(path_, path_ + ".1", error);
    return error ? path_ + " cannot be renamed: " + error.message() + "." : std::string();
  }

 private:
  /// Half a frame at the end would hide the frames that come after it.
  void takeBack() {
    std::clearerr(file_);
    std::error_code ignored;
    std::filesystem::resize_file(path_, size_, ignored);
    std::fseek(file_, 0, SEEK_END);
  }

  void close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }

  std::string path_;
  std::FILE* file_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace

std::unique_ptr<RecordingSink> fileSink(const std::string& path) { return std::make_unique<FileSink>(path); }

}  // namespace strata::device

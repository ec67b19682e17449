#include "capture/read_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace strata {
namespace {

/// A folder of files that goes with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("strata-set-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }

  SetFile file(const std::string& name, const std::string& text) const {
    const std::string path = (path_ / name).string();
    std::ofstream(path, std::ios::binary) << text;
    return {path, name, text.size()};
  }

 private:
  std::filesystem::path path_;
};

const std::string kLog = "time,action,address,bytes\n0,alloc,0x1000,4096\n1,free,0x1000,4096\n";

TEST(ReadSet, ReadsEachFileAndTellsOfThoseThatItCannotRead) {
  const Folder folder;
  const SetFile files[] = {folder.file("a.csv", kLog),
                           folder.file("b.txt", "nothing that is known\n"),
                           folder.file("c.csv", kLog),
                           {"/nowhere/d.csv", "d.csv", 5}};
  const ReadSet set = readSet(files, {});
  ASSERT_EQ(set.traces.size(), 2u);
  EXPECT_EQ(set.traces[0].name, "a.csv");
  EXPECT_EQ(set.traces[1].name, "c.csv");
  EXPECT_EQ(set.files, (std::vector<uint32_t>{0, 2}));
  ASSERT_EQ(set.refused.size(), 2u);
  EXPECT_EQ(set.refused[0].file, 1u);
  EXPECT_EQ(set.refused[0].code, "capture-unknown-format");
  EXPECT_EQ(set.refused[1].code, "capture-not-found");
}

TEST(ReadSet, CountsTheBytesOfAllFilesTogether) {
  const Folder folder;
  const SetFile files[] = {folder.file("a.csv", kLog), folder.file("b.csv", kLog)};
  uint64_t last = 0;
  readSet(files, [&](const char*, uint64_t done, uint64_t total, uint64_t) {
    EXPECT_EQ(total, 2 * kLog.size());
    EXPECT_GE(done, last);
    EXPECT_LE(done, total);
    last = done;
    return true;
  });
}

TEST(ReadSet, StopsWhenItIsCancelled) {
  const Folder folder;
  const SetFile files[] = {folder.file("a.csv", kLog)};
  EXPECT_THROW(readSet(files, [](const char*, uint64_t, uint64_t, uint64_t) { return false; }), Cancelled);
}

}  // namespace
}  // namespace strata

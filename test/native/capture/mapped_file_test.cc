#include "capture/mapped_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace strata {
namespace {

std::string makeFile(size_t bytes) {
  std::string path = (std::filesystem::temp_directory_path() / "strata-mapped-XXXXXX").string();
  EXPECT_GE(mkstemp(path.data()), 0);
  std::ofstream(path, std::ios::binary) << std::string(bytes, 'x');
  return path;
}

TEST(MappedFile, readsZerosAndTellsWhenAnotherProgramCutsTheFileShort) {
  const std::string path = makeFile(8 << 20);
  {
    const MappedFile file(path);
    EXPECT_FALSE(file.hasShrunk());
    std::filesystem::resize_file(path, 4096);
    EXPECT_EQ(file.bytes()[0], 'x');
    EXPECT_EQ(file.bytes().back(), 0);
    EXPECT_TRUE(file.hasShrunk());
  }
  std::filesystem::remove(path);
}

TEST(MappedFile, guardsTheNextFileAfterOneThatWasCut) {
  const std::string path = makeFile(8 << 20);
  {
    const MappedFile file(path);
    EXPECT_EQ(file.bytes().back(), 'x');
    EXPECT_FALSE(file.hasShrunk());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace strata

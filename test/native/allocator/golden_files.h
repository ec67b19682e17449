#pragma once

#include <string>
#include <vector>

namespace strata::test {

/// The text of a file, unpacked when it ends in .gz; fails the test when it cannot be read.
std::string readUnpacked(const std::string& path);

/// Golden files (.jsonl.gz) in a folder, sorted by name; empty when there is no such folder.
std::vector<std::string> goldenFilesIn(const std::string& folder);

/// Runs the trace of a golden file through our allocator and compares line by line. Answers an empty text, or
/// the first difference in words.
///
/// Of a PyTorch line, the completed frees of one operation are compared as a set, and where a file has
/// private pools so are the segments one operation returns: both orders depend on a hash table of the real
/// allocator.
std::string compareWithGolden(const std::string& path, const std::string& traceFolder);

}  // namespace strata::test

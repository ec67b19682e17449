#include "allocator/replay_files.h"

#include <fstream>
#include <iterator>

#include "allocator/golden_trace.h"
#include "allocator/replay_error.h"

namespace strata {
namespace {

std::ifstream openToRead(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw ReplayError("replay-cannot-read", "The file " + path + " cannot be read.",
                      "Check that it exists and that you may read it.");
  return file;
}

}  // namespace

GoldenRun replayFiles(const std::string& tracePath, const std::string& configurationPath,
                      const std::optional<std::string>& outPath, const Progress& progress) {
  std::string line;
  std::ifstream configurationFile = openToRead(configurationPath);
  std::getline(configurationFile, line);
  const GoldenConfig config = parseGoldenConfig(line);
  std::ifstream traceFile = openToRead(tracePath);
  const RequestTrace trace = parseGoldenTrace(std::string(std::istreambuf_iterator<char>(traceFile), {}));
  if (!outPath) return writeGolden(trace, config, nullptr, progress);

  std::ofstream out(*outPath, std::ios::binary);
  const GoldenRun run = writeGolden(trace, config, &out, progress);
  out.close();
  if (!out)
    throw ReplayError("replay-cannot-write", "The output cannot be written to " + *outPath + ".",
                      "Check the folder, your rights and the free space.");
  return run;
}

}  // namespace strata

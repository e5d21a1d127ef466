// SPDX-License-Identifier: Apache-2.0
// Runs a target on the files that are named, and on those of the folders that are named: the
// program of a target where there is no libFuzzer.
//
//   fhe_hostile_bristol FILE_OR_FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "tests/hostile/target.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_at(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// Each is named before it runs, so that the last line names the one that crashed.
bool replay(const fs::path& path) {
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  try {
    std::ifstream file(path, std::ios::binary);
    file.exceptions(std::ios::badbit | std::ios::failbit);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::printf("  FINDING: %s\n", error.what());
    return false;
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  std::size_t findings = 0;
  for (int i = 1; i < argc; ++i) {
    for (const fs::path& path : files_at(argv[i])) {
      ++files;
      if (!replay(path)) ++findings;
    }
  }
  std::printf("%zu files, %zu findings\n", files, findings);
  if (files == 0) std::fputs("usage: name files or folders; none was found\n", stderr);
  return files > 0 && findings == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/snapshot.hpp"

#include "tests/support/test_files.hpp"

namespace fhe::faults {

namespace fs = std::filesystem;

Snapshot snapshot(const fs::path& folder) {
  Snapshot state;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_directory()) {
      state[name] = kFolder;
      continue;
    }
    const std::vector<std::byte> bytes = test::read_file(entry.path());
    state[name] = {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  return state;
}

void lay_out(const Snapshot& state, const fs::path& folder) {
  for (const auto& [name, contents] : state) {
    if (contents == kFolder) {
      fs::create_directories(folder / name);
      continue;
    }
    fs::create_directories((folder / name).parent_path());
    const auto* const bytes = reinterpret_cast<const std::byte*>(contents.data());
    test::write_file(folder / name, {bytes, bytes + contents.size()});
  }
}

}  // namespace fhe::faults

// SPDX-License-Identifier: Apache-2.0
// Compiled code that is kept in a file: what is read is what was written, or nothing.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "accel/gpu/device/compiler.hpp"
#include "tests/catch.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::gpu {

namespace {

namespace fs = std::filesystem;

const std::vector<char> kCode{'c', 'o', 'd', 'e', '\0', '!'};

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("code that is kept comes back, and is its owner's", "[gpu]") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "new/code.cubin";
  CHECK_FALSE(kept_code(file));
  keep_code(file, kCode);
  CHECK(kept_code(file) == kCode);
  CHECK(fs::status(file).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("code that is torn or altered is not taken", "[gpu]") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "code.cubin";
  keep_code(file, kCode);
  const std::string whole = contents(file);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    write(file, whole.substr(0, i));
    CHECK_FALSE(kept_code(file));
    std::string altered = whole;
    altered[i] ^= 1;
    write(file, altered);
    CHECK_FALSE(kept_code(file));
  }
  write(file, std::string(kCode.begin(), kCode.end()) + std::string(100, 'x'));
  CHECK_FALSE(kept_code(file));
  keep_code(file, kCode);
  CHECK(kept_code(file) == kCode);
}

TEST_CASE("threads that keep the same code do not disturb each other", "[gpu]") {
  const test::TemporaryDirectory folder;
  const std::vector<char> code(1 << 20, 'x');
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        keep_code(folder / "code.cubin", code);
        CHECK(kept_code(folder / "code.cubin") == code);
      });
    }
  }
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

}  // namespace fhe::gpu

// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/device/compiler.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::gpu {

TEST_CASE("NVRTC compiles all kernels, once for an architecture") {
  const test::TemporaryDirectory cache;
  REQUIRE(setenv("XDG_CACHE_HOME", cache.path().c_str(), 1) == 0);
  for (const std::string architecture : {"sm_70", "sm_90"}) {
    try {
      const std::vector<char> code = compiled_kernels(architecture);
      CHECK(code.size() > 10'000);
      CHECK(compiled_kernels(architecture) == code);  // from its file
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::unsupported);
      CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("there is no compiler of CUDA"));
      WARN("not compiled: " << error.what());
      return;
    }
  }
  std::size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator(cache.path() / "fhe")) {
    CHECK(file.path().extension() == ".cubin");
    ++files;
  }
  CHECK(files == 2);
}

}  // namespace fhe::gpu

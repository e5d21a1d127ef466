// SPDX-License-Identifier: Apache-2.0
// Files that were made to do harm, of tests/data/hostile/circuit: each is refused, or is a circuit
// like any other.
#include <filesystem>
#include <string>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/blif.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/yosys_json.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuit_oracle.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

TEST_CASE("hostile circuits are refused at a line, or are circuits", "[circuit]") {
  const std::filesystem::path folder = std::filesystem::path(FHE_TEST_DATA_DIR) / "hostile/circuit";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    CAPTURE(entry.path().filename());
    const auto bytes = read_file(entry.path());
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK_NOTHROW(check_circuit_text(parse_bristol, text));
    CHECK_NOTHROW(check_circuit_text(parse_blif, text));
    CHECK_NOTHROW(check_circuit_text(parse_aiger, text));
    CHECK_NOTHROW(check_circuit_text(parse_yosys_json, text));
    ++files;
  }
  CHECK(files >= 4);
}

}  // namespace fhe::test

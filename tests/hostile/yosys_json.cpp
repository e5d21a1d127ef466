// SPDX-License-Identifier: Apache-2.0
// Circuits in JSON of Yosys: refused at a line, or the same function however it is written.
#include "libfhe/circuit/yosys_json.hpp"

#include "tests/hostile/circuit_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fhe::hostile::check_circuit_input(fhe::parse_yosys_json, data, size);
  return 0;
}

// Circuits in BLIF: refused at a line, or the same function however it is written.
#include "libfhe/circuit/blif.hpp"

#include "tests/hostile/target.hpp"
#include "tests/support/circuit_oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fhe::test::check_circuit_text(fhe::parse_blif, fhe::hostile::text_of(data, size), 512);
  return 0;
}

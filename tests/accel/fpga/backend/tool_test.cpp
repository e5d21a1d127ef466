// SPDX-License-Identifier: Apache-2.0
// `fhe` on the simulated device.
#include "libfhe/scheme/files.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"

namespace fhe::test {

TEST_CASE("cli: encryptions on the simulated device", "[cli][fpga]") {
  const Workplace place;
  Arguments encrypt{"encrypt", "--backend", "fpga:sim", "--key", "keys/public.fhe",
                    "--bits",  "10",        "--out",    "a.fhe"};
  place.succeed(encrypt);
  CHECK(place.decrypt("a.fhe") == "10\n");
  encrypt.emplace_back("--sparse");
  place.succeed(encrypt);
  CHECK(place.decrypt("a.fhe") == "10\n");
}

TEST_CASE("cli: a recryption on the simulated device", "[cli][fpga][long]") {
  const Workplace place;
  place.encrypt("1", "a.fhe");
  place.succeed(
      {"recrypt", "--backend", "fpga:sim", "--key", "keys/public.fhe", "a.fhe", "--out", "b.fhe"});
  CHECK(place.decrypt("b.fhe") == "1\n");
  // It draws no randomness: software has the same ciphertext.
  place.succeed(
      {"recrypt", "--backend", "ntl", "--key", "keys/public.fhe", "a.fhe", "--out", "c.fhe"});
  const PublicKey key = load_public_key(place.file("keys/public.fhe"));
  CHECK(load_ciphertexts(place.file("b.fhe"), key).at(0).value() ==
        load_ciphertexts(place.file("c.fhe"), key).at(0).value());
}

}  // namespace fhe::test

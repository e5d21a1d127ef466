// SPDX-License-Identifier: Apache-2.0
// AES-128, a block a clock, by its published examples.
#include "AesCipher.h"
#include "tests/accel/fpga/rtl/aes.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::AesExample;
using fhe::test::block_at;
using fhe::test::block_of;
using fhe::test::kAesExamples;
using fhe::test::KeySchedule;
using fhe::test::kRoundKeys;
using fhe::test::RoundKeys;
using fhe::test::set_block;
using fhe::test::set_limb;
using fhe::test::Simulation;

void set_keys(AesCipher& cipher, const RoundKeys& keys) {
  for (std::size_t i = 0; i < kRoundKeys; ++i) {
    set_limb(cipher.keys, 2 * i, keys.at(i)[0]);
    set_limb(cipher.keys, 2 * i + 1, keys.at(i)[1]);
  }
}

}  // namespace

TEST_CASE("rtl aes_cipher: the examples of FIPS 197 and SP 800-38A", "[rtl]") {
  KeySchedule schedule;
  for (const AesExample& example : kAesExamples) {
    Simulation<AesCipher> cipher;
    set_keys(*cipher, schedule.keys(block_of(example.key), {}, 0));
    set_block(cipher->in, block_of(example.in));
    cipher.clock();
    set_block(cipher->in, {});
    cipher.clocks(kRoundKeys - 1);
    CHECK(block_at(cipher->out) == block_of(example.out));
  }
}

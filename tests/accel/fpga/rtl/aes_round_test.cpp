// SPDX-License-Identifier: Apache-2.0
// The parts of AES-128 by its published examples.
#include "AesRound.h"
#include "AesRoundLast.h"
#include "tests/accel/fpga/rtl/aes.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::AesExample;
using fhe::test::Block;
using fhe::test::block_at;
using fhe::test::block_of;
using fhe::test::kAesExamples;
using fhe::test::KeySchedule;
using fhe::test::kRoundKeys;
using fhe::test::RoundKeys;
using fhe::test::set_block;
using fhe::test::Simulation;

// `in` after one clock, which takes nothing of the clocks before.
template <class Round>
Block after(Simulation<Round>& round, const Block& in, const Block& key) {
  set_block(round->in, in);
  set_block(round->key, key);
  round.clock();
  set_block(round->in, {});
  set_block(round->key, {});
  round.settle();
  return block_at(round->out);
}

}  // namespace

TEST_CASE("rtl aes_key_schedule: the expansion of FIPS 197, appendix A.1", "[rtl]") {
  KeySchedule schedule;
  const Block key = block_of("2b7e151628aed2a6abf7158809cf4f3c");
  for (const int clocks_before : {0, 3, 30}) {
    const RoundKeys keys =
        schedule.keys(key, block_of("00112233445566778899aabbccddeeff"), clocks_before);
    CHECK(keys.front() == key);
    CHECK(keys.at(1) == block_of("a0fafe1788542cb123a339392a6c7605"));
    CHECK(keys.back() == block_of("d014f9a8c9ee2589e13f0cc8b6630ca6"));
  }
}

TEST_CASE("rtl aes_round: ten of them encrypt as FIPS 197 and SP 800-38A", "[rtl]") {
  KeySchedule schedule;
  Simulation<AesRound> round;
  Simulation<AesRoundLast> last;
  for (const AesExample& example : kAesExamples) {
    const RoundKeys keys = schedule.keys(block_of(example.key), {}, 0);
    const Block in = block_of(example.in);
    Block state = {in[0] ^ keys[0][0], in[1] ^ keys[0][1]};
    for (std::size_t i = 1; i < kRoundKeys - 1; ++i) state = after(round, state, keys.at(i));
    CHECK(after(last, state, keys.back()) == block_of(example.out));
  }
}

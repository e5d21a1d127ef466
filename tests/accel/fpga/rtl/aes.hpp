// SPDX-License-Identifier: Apache-2.0
// Blocks of AES-128, its key schedule as simulated, and published examples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "AesKeySchedule.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// Two limbs, the first byte lowest.
using Block = std::array<std::uint64_t, 2>;

inline Block block_of(std::string_view digits) {
  Block block{};
  for (std::size_t i = 0; i < 16; ++i) {
    const auto byte =
        static_cast<std::uint64_t>(std::stoul(std::string(digits.substr(2 * i, 2)), nullptr, 16));
    block.at(i / 8) |= byte << 8 * (i % 8);
  }
  return block;
}

template <class Port>
void set_block(Port& port, const Block& block) {
  for (std::size_t i = 0; i < block.size(); ++i) set_limb(port, i, block.at(i));
}

template <class Port>
Block block_at(const Port& port, std::size_t number = 0) {
  return {limb(port, 2 * number), limb(port, 2 * number + 1)};
}

constexpr std::size_t kRoundKeys = 11;
using RoundKeys = std::array<Block, kRoundKeys>;

class KeySchedule {
 public:
  KeySchedule() {
    model_->start = 0;
    model_.reset();
    CHECK(model_->ready == 0);
  }

  // With a start that is heard while another one is under way.
  RoundKeys keys(const Block& key, const Block& before, int clocks_before) {
    start(before);
    model_.clocks(clocks_before);
    start(key);
    for (std::size_t clock = 0; clock < kRoundKeys - 1; ++clock) {
      CHECK(model_->ready == 0);
      model_.clock();
    }
    CHECK(model_->ready == 1);
    model_.clocks(3);
    CHECK(model_->ready == 1);
    RoundKeys keys;
    for (std::size_t i = 0; i < kRoundKeys; ++i) keys.at(i) = block_at(model_->keys, i);
    return keys;
  }

 private:
  void start(const Block& key) {
    set_block(model_->key, key);
    model_->start = 1;
    model_.clock();
    model_->start = 0;
    set_block(model_->key, {});
  }

  Simulation<AesKeySchedule> model_;
};

// FIPS 197, appendices B and C.1, and SP 800-38A.
struct AesExample {
  std::string_view key, in, out;
};
constexpr std::string_view kAesKey = "2b7e151628aed2a6abf7158809cf4f3c";
constexpr std::array kAesExamples = {
    AesExample{"000102030405060708090a0b0c0d0e0f", "00112233445566778899aabbccddeeff",
               "69c4e0d86a7b0430d8cdb78070b4c55a"},  // FIPS 197, C.1
    AesExample{kAesKey, "3243f6a8885a308d313198a2e0370734",
               "3925841d02dc09fbdc118597196a0b32"},  // B
    AesExample{kAesKey, "6bc1bee22e409f96e93d7e117393172a", "3ad77bb40d7a3660a89ecaf32466ef97"},
    AesExample{kAesKey, "ae2d8a571e03ac9c9eb76fac45af8e51", "f5d3d58503b9699de785895a96fdbaaf"},
    AesExample{kAesKey, "30c81c46a35ce411e5fbc1191a0a52ef", "43b1cd7f598ece23881b00e3ed030688"},
    AesExample{kAesKey, "f69f2445df4f9b17ad2b417be66c3710", "7b0c785e27e8ad3f8223207104725dd4"},
    AesExample{kAesKey, "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff", "ec8cdf7398607cb0f2d21675ea9ea1e4"},
    AesExample{kAesKey, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff00", "362b7c3c6773516318a077d7fc5073ae"},
    AesExample{kAesKey, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff01", "6a2cc3787889374fbeb4c81b17ba6c44"},
    AesExample{kAesKey, "f0f1f2f3f4f5f6f7f8f9fafbfcfdff02", "e89c399ff0f198c6d40a31db156cabfe"}};

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// The banks and the ways to them: rotation, addresses without conflict, reads and writes.
#include <cstdint>
#include <set>
#include <vector>

#include "BankAddress.h"
#include "BankRam.h"
#include "RotateFromBanks.h"
#include "RotateToBanks.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::limb;
using fhe::test::set_limb;
using fhe::test::Simulation;
using fhe::test::Words;

constexpr std::uint32_t kBank = 11;  // of the model BankAddress

// FFT paper, eqs. (11) and (12).
std::uint32_t bank_of(std::uint32_t sample) {
  return (sample + (sample >> 4) + (sample >> 8) + (sample >> 12)) % 16;
}

// `count` with `lane` inserted at `digit`.
std::uint32_t sample_of(std::uint32_t count, std::uint32_t digit, std::uint32_t lane) {
  const std::uint32_t shift = 4 * digit;
  const std::uint32_t low = count & ((1U << shift) - 1);
  return (count >> shift) << (shift + 4) | lane << shift | low;
}

std::uint32_t digit_sum(std::uint32_t count) {
  return (count + (count >> 4) + (count >> 8)) % 16;
}

}  // namespace

TEST_CASE("rtl rotate_lanes: to the banks and back", "[rtl]") {
  Simulation<RotateToBanks> to_banks;
  Simulation<RotateFromBanks> from_banks;
  for (std::uint32_t amount = 0; amount < 16; ++amount) {
    to_banks->amount = from_banks->amount = static_cast<CData>(amount);
    for (std::uint64_t i = 0; i < 16; ++i) {
      set_limb(to_banks->lanes, i, i << 60 | (i + 1));
      set_limb(from_banks->lanes, i, i << 60 | (i + 1));
    }
    to_banks.settle();
    from_banks.settle();
    for (std::uint64_t i = 0; i < 16; ++i) {
      CHECK(limb(to_banks->rotated, (i + amount) % 16) == (i << 60 | (i + 1)));
      const std::uint64_t source = (i + amount) % 16;
      CHECK(limb(from_banks->rotated, i) == (source << 60 | (source + 1)));
    }
  }
}

TEST_CASE("rtl bank_address: bank 11 gets its point of every butterfly", "[rtl]") {
  Simulation<BankAddress> model;
  for (std::uint32_t digit = 0; digit < 4; ++digit) {
    std::vector<std::uint32_t> reads(4096);  // of each address of this bank in the stage
    for (std::uint32_t count = 0; count < 4096; ++count) {
      std::set<std::uint32_t> banks;
      std::uint32_t mine = 0;
      for (std::uint32_t lane = 0; lane < 16; ++lane) {
        const std::uint32_t sample = sample_of(count, digit, lane);
        banks.insert(bank_of(sample));
        if (bank_of(sample) == kBank) mine = sample;
      }
      if (banks.size() != 16) FAIL("butterfly " << count << " of digit " << digit << " collides");
      model->digit = static_cast<CData>(digit);
      model->count = static_cast<SData>(count);
      model->amount = static_cast<CData>(digit_sum(count));
      model.settle();
      if (model->address != mine / 16) FAIL("butterfly " << count << " of digit " << digit);
      ++reads[model->address];
    }
    CHECK(reads == std::vector<std::uint32_t>(4096, 1));
  }
}

TEST_CASE("rtl bank_ram: reads follow by two clocks, see old words, and can be held", "[rtl]") {
  Simulation<BankRam> ram;
  Words words(7);
  std::vector<std::uint64_t> memory(4096);
  ram->read_enable = 0;
  ram->write_enable = 1;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    ram->write_address = static_cast<SData>(i);
    ram->write_data = memory[i] = words.random();
    ram.clock();
  }
  std::uint64_t fetched = 0;
  std::uint64_t shown = 0;
  for (int clock = 0; clock < 20000; ++clock) {
    ram->read_enable = static_cast<CData>(clock < 2 || words.below(4) != 0);
    ram->read_address = static_cast<SData>(words.below(64));
    ram->write_enable = static_cast<CData>(words.coin());
    ram->write_address = static_cast<SData>(words.below(64));
    ram->write_data = words.random();
    if (ram->read_enable) {
      shown = fetched;
      fetched = memory[ram->read_address];
    }
    if (ram->write_enable) memory[ram->write_address] = ram->write_data;
    ram.clock();
    if (clock >= 2 && ram->read_data != shown) FAIL("clock " << clock);
  }
  CHECK(ram->read_data == shown);
}

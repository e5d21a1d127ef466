// SPDX-License-Identifier: Apache-2.0
// The descriptors of a program, read one ahead, in their order and with the failures of their
// reads.
#include <array>
#include <cstddef>
#include <cstdint>

#include "CommandProgram.h"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::test::Answers;
using fhe::test::limb;
using fhe::test::set_limb;
using fhe::test::Simulation;
using fhe::test::takes_part;
using fhe::test::Words;

constexpr std::uint64_t kLatency = 24;
constexpr std::uint64_t kBytes = 64;
constexpr std::size_t kLimbs = 8;

std::uint64_t limb_at(std::uint64_t address, std::size_t i) {
  return address * 0x9e37'79b9'7f4a'7c15 + i;
}

bool fails_at(std::uint64_t address) {
  return address / kBytes % 5 == 3;
}

class Bench {
 public:
  Bench() {
    program_->start = program_->command_ready = program_->read_ready = 0;
    program_->response_valid = 0;
    program_.reset();
    CHECK(program_->more == 0);
  }

  void start(std::uint64_t address, std::uint16_t commands) {
    next_ = address;
    program_->start = 1;
    program_->address = address;
    program_->commands = commands;
    program_.clock();
    program_->start = 0;
    program_->address = 0;
    program_->commands = 0;
  }

  // One clock, in which the next command is taken if it is there and wanted.
  bool step(bool wanted, Words* stalls) {
    const auto answer = answers_.next();
    program_->response_valid = answer.has_value();
    for (std::size_t i = 0; answer && i < kLimbs; ++i)
      set_limb(program_->response_data, i, limb_at(*answer, i));
    program_->response_error = answer ? fails_at(*answer) : stalls != nullptr && stalls->coin();
    program_->read_ready = takes_part(stalls);
    program_->command_ready = wanted;
    program_.settle();
    const bool taken = wanted && program_->command_valid != 0;
    if (taken) check_command();
    if (program_->read_valid != 0 && program_->read_ready != 0) {
      CHECK(program_->read_address % kBytes == 0);
      answers_.ask(program_->read_address, stalls);
    }
    program_.clock();
    return taken;
  }

  void reset() {
    program_->response_valid = 0;
    program_.reset();
    answers_ = Answers(kLatency);
    CHECK(program_->more == 0);
    CHECK(program_->read_valid == 0);
    CHECK(program_->command_valid == 0);
  }

  [[nodiscard]] bool more() const { return program_->more != 0; }
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  void check_command() {
    CHECK(program_->command_address == next_);
    CHECK((program_->command_error != 0) == fails_at(next_));
    for (std::size_t i = 0; i < kLimbs; ++i) CHECK(limb(program_->command, i) == limb_at(next_, i));
    next_ += kBytes;
  }

  mutable Simulation<CommandProgram> program_;
  Answers answers_{kLatency};
  std::uint64_t next_ = 0;
};

}  // namespace

TEST_CASE("rtl command_program: every descriptor once, with and without stalls", "[rtl]") {
  Words stalls(320);
  Bench bench;
  for (const unsigned commands : {1U, 2U, 3U, 17U, 100U}) {
    for (Words* const will : {static_cast<Words*>(nullptr), &stalls}) {
      const std::uint64_t first = kBytes * stalls.below(1'000'000'000);
      CAPTURE(commands, first);
      bench.start(first, static_cast<std::uint16_t>(commands));
      for (int clocks = 0; bench.more(); ++clocks) {
        if (clocks > 100'000) FAIL("no end");
        bench.step(will == nullptr || will->below(40) == 0, will);
      }
      CHECK(bench.next() == first + kBytes * commands);
      for (int i = 0; i < 50; ++i) CHECK_FALSE(bench.step(true, will));  // and no more
    }
  }
}

TEST_CASE("rtl command_program: the next descriptor is there when memory has answered", "[rtl]") {
  Bench bench;
  bench.start(0x4000, 5);
  for (int command = 0; command < 5; ++command) {
    for (std::uint64_t i = 0; i < kLatency + 1; ++i) CHECK_FALSE(bench.step(command != 0, nullptr));
    CHECK(bench.step(true, nullptr));
  }
  bench.start(0x8000, 2);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(bench.step(false, nullptr));
  CHECK(bench.step(true, nullptr));  // a command took long
  for (int i = 0; i < 100; ++i) CHECK_FALSE(bench.step(false, nullptr));
  CHECK(bench.step(true, nullptr));
  CHECK_FALSE(bench.more());
}

TEST_CASE("rtl command_program: a reset ends a program in any of its phases", "[rtl]") {
  Words stalls(321);
  Bench bench;
  for (int clocks = 0; clocks < 120; ++clocks) {
    bench.start(kBytes * stalls.below(1'000), 4);
    for (int i = 0; i < clocks; ++i) bench.step(stalls.below(8) == 0, &stalls);
    bench.reset();
    bench.start(0x4000, 2);
    int taken = 0;
    for (int i = 0; i < 1'000 && bench.more(); ++i) taken += bench.step(true, nullptr) ? 1 : 0;
    CHECK(taken == 2);
  }
}

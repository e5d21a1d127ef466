// SPDX-License-Identifier: Apache-2.0
// An engine of the datapath in its surroundings, and what is the same for all engines: how their
// tests step, await and reset them.
#pragma once

#include <cstdint>

#include "tests/accel/fpga/rtl/engine_memory.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/streams.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// Who derives from it sets the inputs of an operation with start = 1 and takes the first step.
template <class Model>
class EngineBench {
 public:
  EngineBench(const EngineBench&) = delete;
  EngineBench& operator=(const EngineBench&) = delete;

  [[nodiscard]] bool pad_error() const { return memory_.pad_error(); }

 protected:
  EngineBench() { model_->start = 0; }
  virtual ~EngineBench() = default;

  void reset() {
    memory_.forget();
    model_.reset();
    CHECK(model_->busy == 0);
    CHECK(model_->done == 0);
    CHECK(model_->segment_valid == 0);
    if constexpr (kTakesLines<Model>) CHECK(model_->line_segment_valid == 0);
    CHECK(model_->out_valid == 0);
  }

  void step(Words* stalls) {
    drive(stalls);
    model_.settle();
    look(stalls);
    model_.clock();
  }

  // Clocks from that of start, which was the last step, to that of done.
  std::uint64_t clocks_until_done(Words* stalls, std::uint64_t most) {
    std::uint64_t clocks = 1;
    for (; model_->done == 0; ++clocks) {
      if (clocks > most) FAIL("no end");
      CHECK(model_->busy == 1);
      model_->start = clocks % 7 == 0;  // not heard
      step(stalls);
    }
    model_->start = 0;
    CHECK(model_->busy == 0);
    CHECK(memory_.idle());
    return clocks;
  }

  // `done` stands for one clock.
  void leave_done(Words* stalls) {
    step(stalls);
    CHECK(model_->done == 0);
  }

  // Goes on to so many clocks after start.
  void run_for(std::uint64_t clocks, Words* stalls) {
    for (std::uint64_t i = 1; i < clocks; ++i) step(stalls);
    CHECK(model_->busy == 1);
  }

  // Before and after the outputs settle in a clock.
  virtual void drive(Words* stalls) { memory_.drive(stalls); }
  virtual void look(Words* stalls) { memory_.look(stalls); }

  Simulation<Model> model_;
  EngineMemory<Model> memory_{*model_};
};

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// One model made by Verilator, in a context of its own.
#pragma once

#include <optional>

#include <verilated.h>

namespace fhe::fpga {

// Verilator 5.006 takes the scopes of a dying model out of the context of the *thread*, which is
// that of the newest model, and may be gone. So here a model dies in its own context, and no
// thread keeps it. `Model` is a class made by Verilator.
template <class Model>
class SimulatedModel {
 public:
  SimulatedModel() { model_.emplace(&context_); }

  // Registers start with random values from this seed, and not with zeros.
  explicit SimulatedModel(int seed) {
    context_.randSeed(seed);
    context_.randReset(2);
    model_.emplace(&context_);
  }

  SimulatedModel(const SimulatedModel&) = delete;
  SimulatedModel& operator=(const SimulatedModel&) = delete;

  ~SimulatedModel() {
    Verilated::threadContextp(&context_);
    model_.reset();
    Verilated::threadContextp(Verilated::defaultContextp());
  }

  [[nodiscard]] VerilatedContext& context() { return context_; }
  [[nodiscard]] Model& operator*() { return *model_; }

 private:
  VerilatedContext context_;
  std::optional<Model> model_;
};

}  // namespace fhe::fpga

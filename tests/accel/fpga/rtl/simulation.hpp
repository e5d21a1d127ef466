// SPDX-License-Identifier: Apache-2.0
// One simulated module under test, and its wide ports as 64-bit limbs, the lowest first.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <verilated.h>

#include "accel/fpga/sim/simulated_model.hpp"

namespace fhe::test {

// Model is a class made by Verilator. Registers start with random values, from a fixed seed:
// nothing may depend on what they hold before a reset.
template <class Model>
class Simulation {
 public:
  Simulation() {
    if constexpr (kClocked) model_.clk = 0;
    model_.eval();  // or the first rising edge would not be seen as one
  }

  Model* operator->() { return &model_; }
  Model& operator*() { return model_; }

  // Outputs that depend on inputs of this clock follow them.
  void settle() {
    model_.eval();
    if constexpr (!kClocked) waves_.sample();
  }

  // The inputs as they are, through one rising edge; then the outputs after it.
  void clock() {
    waves_.sample();
    model_.clk = 1;
    model_.eval();
    waves_.sample();
    model_.clk = 0;
    model_.eval();
  }

  void clocks(int count) {
    for (int i = 0; i < count; ++i) clock();
  }

  // One clock of reset.
  void reset()
    requires requires(Model& model) { model.reset; }
  {
    model_.reset = 1;
    clock();
    model_.reset = 0;
    settle();
  }

 private:
  static constexpr bool kClocked = requires(Model& model) { model.clk; };

  static constexpr int kSeed = 20141003;

  fpga::SimulatedModel<Model> owned_{kSeed};
  Model& model_ = *owned_;
  fpga::Waves<Model> waves_{owned_.context(), model_};
};

template <class Port>
constexpr std::size_t kPortLimbs = (sizeof(Port) + 4) / sizeof(std::uint64_t);

inline void set_limb(IData& port, std::size_t, std::uint64_t value) {
  port = static_cast<IData>(value);
}

inline void set_limb(QData& port, std::size_t, std::uint64_t value) {
  port = value;
}

template <std::size_t N>
void set_limb(VlWide<N>& port, std::size_t i, std::uint64_t value) {
  port[2 * i] = static_cast<EData>(value);
  port[2 * i + 1] = static_cast<EData>(value >> 32);
}

inline std::uint64_t limb(const IData& port, std::size_t) {
  return port;
}

inline std::uint64_t limb(const QData& port, std::size_t) {
  return port;
}

template <std::size_t N>
std::uint64_t limb(const VlWide<N>& port, std::size_t i) {
  return port[2 * i] | static_cast<std::uint64_t>(port[2 * i + 1]) << 32;
}

// `limbs` is any range of as many limbs as the port has.
template <class Port, class Limbs>
void set_limbs(Port& port, const Limbs& limbs) {
  for (std::size_t i = 0; i < kPortLimbs<Port>; ++i) set_limb(port, i, limbs[i]);
}

}  // namespace fhe::test

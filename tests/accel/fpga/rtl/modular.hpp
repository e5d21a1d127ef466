// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the super-size multiplier modulo one of its moduli, one value per clock: random
// operands and what must become of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/pipeline.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/accel/fpga/rtl/super_size.hpp"

namespace fhe::test {

constexpr std::size_t kModularTrials = 5000;
constexpr std::size_t kModularLatency = 7;

// Residues at the ends of the range and next to powers of two, and random ones.
inline Integer some_residue(Words& words, const Integer& p) {
  switch (words.below(4)) {
    case 0:
      return p - 1 - words.below(3);
    case 1:
      return Integer(words.below(3));
    case 2:
      return power_of_two(words.below(bit_length(p) - 1)) - words.below(2);
    default:
      return from_limbs(std::vector<Limb>{words.random(), words.random()}) % p;
  }
}

template <class Port>
void set_integer(Port& port, const Integer& x) {
  std::array<std::uint32_t, 3> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = static_cast<std::uint32_t>(low_bits(x >> (32 * i), 32).get_ui());
  }
  set_pieces(port, pieces.data());
}

template <class Port>
Integer get_integer(const Port& port) {
  std::array<std::uint32_t, 3> pieces{};
  get_pieces(port, pieces.data());
  return (((Integer(pieces[2]) << 32) + pieces[1]) << 32) + pieces[0];
}

template <class Model>
void check_multiply(const Integer& p) {
  Simulation<Model> model;
  Words words(61);
  check_pipeline(
      model, kModularLatency, kModularTrials,
      [&] {
        const Integer a = some_residue(words, p);
        const Integer b = some_residue(words, p);
        set_integer(model->a, a);
        set_integer(model->b, b);
        return Integer(a * b % p);
      },
      [&] { return get_integer(model->product); });
}

}  // namespace fhe::test

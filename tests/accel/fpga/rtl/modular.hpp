// SPDX-License-Identifier: Apache-2.0
// Arithmetic of the super-size multiplier modulo one of its moduli, one value per clock: random
// operands and what must become of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
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
using PiecesOf = std::array<std::uint32_t, ceil_divide(sizeof(Port), 4)>;

template <class Port>
void set_integer(Port& port, const Integer& x) {
  PiecesOf<Port> pieces{};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    pieces[i] = static_cast<std::uint32_t>(low_bits(x >> (32 * i), 32).get_ui());
  }
  set_pieces(port, pieces.data());
}

template <class Port>
Integer get_integer(const Port& port) {
  PiecesOf<Port> pieces{};
  get_pieces(port, pieces.data());
  Integer x;
  for (std::size_t i = pieces.size(); i-- > 0;) x = (x << 32) + pieces[i];
  return x;
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

struct Factor {
  Integer port;   // what the port is given
  Integer value;  // the residue that this means
};

// The butterfly with a factor of the lower value, and with one of the upper value too.
template <class Model, class SomeFactor>
void check_butterfly(const Integer& p, SomeFactor some_factor, bool twiddled, bool scaled) {
  constexpr int kFactors = 20;
  Simulation<Model> model;
  Words words(64);
  for (int i = 0; i < kFactors; ++i) {
    const Factor up = some_factor(words);
    const Factor down = some_factor(words);
    set_integer(model->up_factor, up.port);
    set_integer(model->down_factor, down.port);
    check_pipeline(
        model, kModularLatency + 1, kModularTrials / kFactors,
        [&] {
          const Integer a = some_residue(words, p);
          const Integer b = some_residue(words, p);
          set_integer(model->up, a);
          set_integer(model->down, b);
          const Integer u = scaled ? Integer(a * up.value % p) : a;
          const Integer d = twiddled ? Integer(b * down.value % p) : b;
          return std::pair(Integer((u + d) % p), Integer((u + p - d) % p));
        },
        [&] { return std::pair(get_integer(model->sum), get_integer(model->difference)); });
  }
}

template <class Plain, class Twiddled, class Scaled, class SomeFactor>
void check_butterflies(const Integer& p, SomeFactor some_factor) {
  check_butterfly<Plain>(p, some_factor, false, false);
  check_butterfly<Twiddled>(p, some_factor, true, false);
  check_butterfly<Scaled>(p, some_factor, true, true);
}

}  // namespace fhe::test

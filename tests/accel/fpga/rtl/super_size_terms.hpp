// SPDX-License-Identifier: Apache-2.0
// Encryptions of random terms, and every operation of a super_size_encrypt of any parameters.
#pragma once

#include <cstddef>

#include "tests/accel/fpga/rtl/encryptions.hpp"
#include "tests/accel/fpga/rtl/super_size_products.hpp"

namespace fhe::test {

// `count` terms of random and extreme numbers.
inline Encryption some_encryption(Operands& operands, std::size_t element_bits,
                                  std::size_t weight_bits, std::size_t count) {
  Encryption e{.modulus = operands.exactly(element_bits),
               .element_bits = element_bits,
               .weight_bits = weight_bits};
  for (std::size_t i = 0; i < count; ++i) e.elements.push_back(operands.below(e.modulus));
  e.weights = operands.list(count, weight_bits);
  e.noise = operands.with_random_sign(operands.bits(weight_bits));
  e.message = operands.coin();
  return e;
}

// The nested form, of `count` rows.
inline Encryption some_nested_encryption(Operands& operands, std::size_t element_bits,
                                         std::size_t weight_bits, std::size_t count) {
  Encryption e = some_encryption(operands, element_bits, weight_bits, count);
  e.weights = operands.list(count * count, weight_bits);
  for (std::size_t i = 0; i < count; ++i) e.factors.push_back(operands.below(e.modulus));
  return e;
}

// Of few words: products, sums, remainders and encryptions of both forms, with memory and pairs
// that are late and without, before and after resets.
template <class Model>
void check_operations(const SuperSizeShape& shape) {
  check_products<Model>(shape, kFewLengths);
  Operands operands(61);
  Words stalls(62);
  SuperSizeMachine<Model> machine(shape);
  const std::size_t bits = 20 * shape.word() - 3;
  for (Words* const late : {static_cast<Words*>(nullptr), &stalls}) {
    for (const bool long_reciprocal : {false, true}) {
      const SuperSizeOptions options{.long_reciprocal = long_reciprocal,
                                     .overlap = !long_reciprocal,
                                     .stalls = late,
                                     .late_pairs = late};
      const Encryption e = some_encryption(operands, bits, 2 * shape.word() + 5, 4);
      CHECK(machine.encrypt(e, options).value == e.expected());
      CHECK(machine.sum(e, e.element_bits + e.weight_bits + 16, false, nullptr, options) ==
            e.sum());
      CHECK(machine.reduced_sum(e, options) == oracle::mod(e.sum(), e.modulus));
      const Encryption nested = some_nested_encryption(operands, bits, shape.word() + 1, 2);
      CHECK(machine.encrypt(nested, options).value == nested.expected());
      const Reduction reduction{.modulus = e.modulus,
                                .modulus_bits = bits,
                                .excess_bits = shape.word(),
                                .long_reciprocal = long_reciprocal};
      const Integer x = operands.bits(bits + reduction.excess_bits);
      CHECK(machine.reduce(reduction, x, options).value == x % e.modulus);
    }
  }
  const Encryption e = some_encryption(operands, bits, shape.word(), 2);
  const std::size_t clocks = machine.encrypt(e).clocks;
  for (std::size_t end = 10; end < clocks; end += clocks / 4) {
    machine.abandon(e, end);
    const SuperSizeResult result = machine.encrypt(e);
    CHECK(result.value == e.expected());
    CHECK(result.clocks == clocks);
  }
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Products of every kind on a super_size_encrypt of any parameters: against GMP, to the clock.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tests/accel/fpga/rtl/super_size.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

struct SuperSizeProduct {
  std::string kind;
  Integer x, y;
  std::size_t x_bits = 1, y_bits = 1;
};

// Operands of so many words: all ones, long runs of equal bits, single bits, random bits.
inline std::vector<SuperSizeProduct> products_of(Operands& operands, std::size_t x_bits,
                                                 std::size_t y_bits) {
  return {
      {"all ones", all_ones(x_bits), all_ones(y_bits), x_bits, y_bits},
      {"carry chains", operands.runs(x_bits), operands.runs(y_bits), x_bits, y_bits},
      {"one by all ones", 1, all_ones(y_bits), x_bits, y_bits},
      {"highest bits", power_of_two(x_bits - 1), power_of_two(y_bits - 1), x_bits, y_bits},
      {"single bits", power_of_two(operands.between(0, x_bits - 1)),
       power_of_two(operands.between(0, y_bits - 1)), x_bits, y_bits},
      {"random", operands.bits(x_bits), operands.bits(y_bits), x_bits, y_bits},
  };
}

// Lengths in words of eight a block: one word, whole blocks, one more, unbalanced on either side.
struct WordLengths {
  std::size_t x = 1, y = 1;
};

inline const std::vector<WordLengths> kFewLengths = {{1, 1}, {8, 8}, {25, 17}, {9, 1}, {3, 20}};
inline const std::vector<WordLengths> kManyLengths = {
    {1, 1}, {1, 8}, {8, 1}, {8, 8}, {9, 8}, {8, 9}, {16, 16}, {17, 15}, {24, 24}, {40, 5}, {5, 40}};

template <class Model>
void check_products(const SuperSizeShape& shape, const std::vector<WordLengths>& lengths) {
  SuperSizeMachine<Model> machine(shape);
  Operands operands(41);
  for (const WordLengths& words : lengths) {
    const std::size_t x_bits = words.x * shape.word() - operands.between(0, shape.word() - 1);
    const std::size_t y_bits = words.y * shape.word() - operands.between(0, shape.word() - 1);
    for (const SuperSizeProduct& product : products_of(operands, x_bits, y_bits)) {
      INFO(product.kind << ", " << words.x << " by " << words.y << " words");
      const SuperSizeResult result =
          machine.multiply(product.x, product.x_bits, product.y, product.y_bits);
      CHECK(result.value == product.x * product.y);
      CHECK(result.clocks ==
            SuperSizeShape::kLengthClocks + shape.blocks(x_bits, y_bits) + shape.fill());
    }
  }
  // One product as the paper counts it: a block every eight clocks and the fill of its pipeline.
  CHECK(shape.fill() >= shape.published_fill());
  CHECK(shape.fill() <= shape.published_fill() + 40);
}

}  // namespace fhe::test

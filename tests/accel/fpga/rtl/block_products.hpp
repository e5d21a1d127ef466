// SPDX-License-Identifier: Apache-2.0
// Products to try on engines that multiply block by block, and how these are given them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "libfhe/arith/integer.hpp"
#include "tests/accel/fpga/rtl/engine_memory.hpp"
#include "tests/accel/fpga/rtl/golden.hpp"
#include "tests/accel/fpga/rtl/simulation.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

// Where operands and results lie.
inline constexpr std::uint64_t kA = 0x1'0000'0000;
inline constexpr std::uint64_t kB = 0x2'8000'0040;
inline constexpr std::uint64_t kD = 0x7'fff0'0000;  // beyond the end of 32 bits while it is written

struct Product {
  std::string kind;
  std::size_t a_words, b_words, d_words;
  Integer a, b, old = 0;
  bool accumulate = false;
  std::size_t d_from = 0;
  std::size_t a_tail = 0, b_tail = 0;

  [[nodiscard]] Integer exact() const { return a * b + (accumulate ? old : Integer(0)); }
};

// Puts the operands into memory and sets the inputs of the engine, start = 1 among them.
template <class Model>
void give(const Product& product, Simulation<Model>& model, EngineMemory<Model>& memory) {
  memory.store(kA, product.a, product.a_words);
  memory.store(kB, product.b, product.b_words);
  if (product.accumulate) memory.store(kD, product.old, product.d_words);
  model->start = 1;
  model->accumulate = product.accumulate;
  model->a_address = kA;
  model->a_words = static_cast<IData>(product.a_words);
  model->a_tail = static_cast<SData>(product.a_tail);
  model->b_address = kB;
  model->b_words = static_cast<IData>(product.b_words);
  model->b_tail = static_cast<SData>(product.b_tail);
  model->d_address = kD;
  model->d_words = static_cast<IData>(product.d_words);
}

// Of random operands that fill their words; the destination has as many words as it needs.
inline Product product(Operands& operands, std::size_t a_words, std::size_t b_words) {
  return {.kind = std::to_string(a_words) + " by " + std::to_string(b_words) + " words",
          .a_words = a_words,
          .b_words = b_words,
          .d_words = std::max<std::size_t>(a_words + b_words, 1),
          .a = operands.bits(a_words * kWordBits),
          .b = operands.bits(b_words * kWordBits)};
}

inline Product ones(std::size_t a_words, std::size_t b_words) {
  return {.kind = "all ones",
          .a_words = a_words,
          .b_words = b_words,
          .d_words = a_words + b_words,
          .a = all_ones(a_words * kWordBits),
          .b = all_ones(b_words * kWordBits)};
}

inline Product into(std::size_t d_words, Product product) {
  product.kind += " into " + std::to_string(d_words);
  product.d_words = d_words;
  return product;
}

inline Product added_to(const Integer& old, Product product) {
  product.kind += ", added";
  product.accumulate = true;
  product.old = old;
  return product;
}

// 1 is added below, and all is carried.
inline Product carried_through(Product product) {
  const Integer result = fhe::low_bits(product.a * product.b, product.d_words * kWordBits);
  return added_to(all_ones(product.d_words * kWordBits) - result + 1, product);
}

// That an engine finds a bit above the end of b where there is one, and none else: both operands
// end inside of a word.
template <class Engine>
void check_bits_above_tails(Engine& engine, Product checked) {
  checked.a >>= kWordBits - 100;
  checked.b >>= kWordBits - 7;
  checked.a_tail = 100;
  checked.b_tail = 7;
  engine.run(checked);
  CHECK_FALSE(engine.pad_error());
  mpz_setbit(checked.b.get_mpz_t(), (checked.b_words - 1) * kWordBits + 7);
  engine.run(checked);
  CHECK(engine.pad_error());
}

}  // namespace fhe::test

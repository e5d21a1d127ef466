// SPDX-License-Identifier: Apache-2.0
// The adder of recryption: sums a few short binary numbers given as encrypted bits.
//
// Recryption of every scheme ends in the same step: from m numbers of w bits compute
//
//   (bit w-1 of their sum) xor (bit w-2 of their sum),     the sum taken modulo 2^w,
//
// that is, the sum of m numbers with w-1 fractional bits, rounded to the nearest integer, modulo 2.
// Here it is a straight-line program of ring additions and products, with XOR as + and AND as *. It
// can be built in six ways, which differ in products, additions, degree and therefore noise; all
// compute the same function. The program is data: it runs on ciphertexts, on noise bounds and on
// plaintext bits alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/arith/ring_step.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The adder for a certain number of numbers and bits, as a straight-line program. Immutable.
class FHE_EXPORT AdderProgram {
 public:
  // What a step does, and a step.
  using Operation = RingOperationKind;
  using Step = RingStep;

  // The adder called `name` for `count` >= 2 numbers of `width` >= 2 bits:
  //   seq2  ripple-carry, one number after the other; carry = (a+b)c + ab   (the reference)
  //   seq1  the same with carry = (a+b)(b+c) + b: half the products, the same noise
  //   csa   full adders column by column, every carry passed on
  //   sym   elementary symmetric polynomials per column (Gentry-Halevi): least noise
  //   ctr   each column counted, down to one bit per weight, before anything is passed on
  //   ctr2  the same with majorities of two products: less noise, twice the products
  // Bit b (0 = least significant) of number k is input k * width + b. Throws Error(unknown_name),
  // listing what there is.
  static AdderProgram named(std::string_view name, std::size_t count, std::size_t width);

  // The names that named() knows.
  static std::vector<std::string> names();

  // Number of inputs: the values with the lowest indices.
  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  // All steps, in an order in which they can be computed.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  // Index of the value that is the result.
  [[nodiscard]] std::size_t output() const { return output_; }

  // Number of products, and of additions.
  [[nodiscard]] std::size_t products() const;
  [[nodiscard]] std::size_t additions() const;
  // Degree of the result as a polynomial in the inputs.
  [[nodiscard]] std::size_t degree() const;

  // The result of the program on these inputs() values of any type, computed one step after the
  // other.
  template <class Value, class Add, class Multiply>
  [[nodiscard]] Value run(std::vector<Value> values, const Add& add,
                          const Multiply& multiply) const {
    values.reserve(inputs_ + steps_.size());
    for (const Step& step : steps_) {
      const Value& left = values[step.left];
      const Value& right = values[step.right];
      values.push_back(step.operation == Operation::add ? add(left, right) : multiply(left, right));
    }
    return values[output_];
  }

  // The steps in rounds, as indices into steps(): every step depends only on inputs and on earlier
  // rounds, so the steps of one round may run in parallel.
  [[nodiscard]] std::vector<std::vector<std::size_t>> rounds() const;

 private:
  friend class AdderBuilder;
  AdderProgram() = default;

  std::size_t inputs_ = 0;
  std::vector<Step> steps_;
  std::size_t output_ = 0;
};

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::dghv {

namespace {

// The bits of a random expanded ciphertext, one after the other.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : words_(seed) {}

  bool next() {
    if (left_ == 0) {
      word_ = words_();
      left_ = 64;
    }
    --left_;
    return (word_ >> left_ & 1U) != 0;
  }

 private:
  std::mt19937_64 words_;  // as the standard defines it: the same on every machine
  std::uint64_t word_ = 0;
  unsigned left_ = 0;
};

Integer selected_sum(const SecretIntegers& noise, const Box& box, RandomBits& z) {
  Integer sum;
  for (std::size_t i = box.first; i < box.first + box.size; ++i) {
    if (z.next()) sum += noise[i];
  }
  return sum;
}

// One encrypted bit of the number that a pair of boxes contributes.
Integer product_bit(const SecretIntegers& noise, const Box& rows, const Box& columns,
                    RandomBits& z) {
  Integer sum;
  for (std::size_t j = columns.first; j < columns.first + columns.size; ++j) {
    sum += noise[j] * selected_sum(noise, rows, z);
  }
  return sum;
}

// The inputs of the adder.
std::vector<Integer> adder_inputs(const Parameters& parameters, const SecretIntegers& noise,
                                  RandomBits& z) {
  const std::size_t width = parameters.precision + 1;
  const std::vector<Box> boxes = parameters.boxes();
  std::vector<Integer> inputs;
  if (parameters.form == SquashForm::blocks) {
    for (const Box& box : boxes) {
      for (std::size_t b = 0; b < width; ++b) inputs.push_back(selected_sum(noise, box, z));
    }
    return inputs;
  }
  for (const Box& columns : std::span(boxes).subspan(kRowBoxes)) {
    for (const Box& rows : std::span(boxes).first(kRowBoxes)) {
      for (std::size_t b = 0; b < width; ++b) {
        inputs.push_back(product_bit(noise, rows, columns, z));
      }
    }
  }
  return inputs;
}

double bits_of(const Integer& x) {
  if (x == 0) return 0;
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
  return static_cast<double>(exponent) + std::log2(std::abs(mantissa));
}

}  // namespace

NoiseTrials trial_recryptions(const Parameters& parameters, const SecretIntegers& noise,
                              const AdderProgram& adder, std::size_t count) {
  std::vector<double> bits(count);
  parallel_for(count, [&](std::size_t trial) {
    RandomBits z(trial);
    Integer sum = adder.run(
        adder_inputs(parameters, noise, z),
        [](const Integer& x, const Integer& y) { return Integer(x + y); },
        [](const Integer& x, const Integer& y) { return Integer(x * y); });
    sum += z.next() ? 1 : 0;  // c mod 2
    bits[trial] = bits_of(sum);
  });
  return NoiseTrials(bits);
}

}  // namespace fhe::dghv

// SPDX-License-Identifier: Apache-2.0
// The words of both forms of residues modulo one of the three primes, as numbers.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/primes.hpp"
#include "accel/cpu/three_primes/tables.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// The kernels that this processor runs and that have vector code for the three primes.
inline std::vector<cpu::Kernel> three_primes_kernels() {
  std::vector<cpu::Kernel> kernels;
  for (const cpu::Kernel kernel : cpu::available_kernels()) {
    if (cpu::three_primes::has_kernels(kernel)) kernels.push_back(kernel);
  }
  if (kernels.empty()) WARN("not run: this processor has neither AVX2 nor AVX-512");
  return kernels;
}

// What words of one form and modulo one prime stand for.
class ThreePrimesWords {
 public:
  // Numbers from `first` to `last`.
  struct Range {
    std::int64_t first;
    std::int64_t last;
  };

  ThreePrimesWords(cpu::three_primes::Form form, const cpu::three_primes::PrimeSet& set,
                   std::uint64_t p)
      : form_(form), p_(p), narrow_(set.bits == cpu::three_primes::kNarrow.bits) {}

  // What residues between the levels are in (kernels.hpp).
  [[nodiscard]] Range residues() const {
    return is_integer() ? Range{0, eighths(narrow_ ? 64 : 32) - 1} : symmetric(27);
  }
  [[nodiscard]] Range short_residues() const {
    return is_integer() ? Range{0, eighths(16) - 1} : symmetric(narrow_ ? 9 : 5);
  }
  // What may go into a product and into `recombine`.
  [[nodiscard]] Range factors() const {
    const std::int64_t end = eighths(narrow_ ? 64 : 32);
    return is_integer() ? Range{0, end - 1} : Range{-end, end};
  }

  [[nodiscard]] std::uint64_t word(std::int64_t number) const {
    return is_integer() ? static_cast<std::uint64_t>(number)
                        : std::bit_cast<std::uint64_t>(static_cast<double>(number));
  }
  // Modulo p.
  [[nodiscard]] std::uint64_t value(std::uint64_t word) const { return modulo(number(word)); }
  [[nodiscard]] std::uint64_t value(const cpu::three_primes::Multiplier& c) const {
    const std::uint64_t factor = value(c.factor);
    return is_integer() ? cpu::three_primes::multiply_mod(factor, lost_in_products(), p_) : factor;
  }
  [[nodiscard]] bool is_within(std::uint64_t word, const Range& range) const {
    if (!is_integer() && std::trunc(real(word)) != real(word)) return false;
    return range.first <= number(word) && number(word) <= range.last;
  }
  // The factor that products of points carry: 2^-52 modulo p, or 1.
  [[nodiscard]] std::uint64_t lost_in_products() const {
    using namespace cpu::three_primes;
    return is_integer() ? inverse_mod((std::uint64_t{1} << 52) % p_, p_) : 1;
  }
  // A word with the value x modulo p, in the range.
  template <class Random>
  [[nodiscard]] std::uint64_t word_of(std::uint64_t x, const Range& range, Random& random) const {
    const auto p = static_cast<std::int64_t>(p_);
    const std::int64_t lowest =
        range.first +
        static_cast<std::int64_t>(modulo(static_cast<std::int64_t>(x % p_) - range.first));
    const auto multiples = static_cast<std::uint64_t>((range.last - lowest) / p + 1);
    return word(lowest + static_cast<std::int64_t>(random() % multiples) * p);
  }
  // A word in the range: half of them at its ends.
  template <class Random>
  [[nodiscard]] std::uint64_t extreme(const Range& range, Random& random) const {
    const std::uint64_t raw = random();
    switch (raw % 4) {
      case 0:
        return word(range.first);
      case 1:
        return word(range.last);
      default:
        return word(range.first +
                    static_cast<std::int64_t>(
                        (raw >> 2) % static_cast<std::uint64_t>(range.last - range.first)));
    }
  }

 private:
  [[nodiscard]] bool is_integer() const { return form_ == cpu::three_primes::Form::integers; }
  [[nodiscard]] static double real(std::uint64_t word) { return std::bit_cast<double>(word); }
  [[nodiscard]] std::int64_t number(std::uint64_t word) const {
    return static_cast<std::int64_t>(is_integer() ? static_cast<std::int64_t>(word)
                                                  : static_cast<std::int64_t>(real(word)));
  }
  [[nodiscard]] std::uint64_t modulo(std::int64_t x) const {
    const auto p = static_cast<std::int64_t>(p_);
    return static_cast<std::uint64_t>((x % p + p) % p);
  }
  [[nodiscard]] std::int64_t eighths(std::uint64_t count) const {
    return static_cast<std::int64_t>(count * p_ / 8);
  }
  [[nodiscard]] Range symmetric(std::uint64_t count) const {
    return {-eighths(count), eighths(count)};
  }

  cpu::three_primes::Form form_;
  std::uint64_t p_;
  bool narrow_;
};

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/digits.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "libfhe/scheme/dghv/digit_formula.hpp"
#include "libfhe/scheme/dghv/digit_task.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::dghv {

namespace {

void add_multiple(Integer& sum, long times, const Integer& x) {
  if (times >= 0) {
    mpz_addmul_ui(sum.get_mpz_t(), x.get_mpz_t(), static_cast<unsigned long>(times));
  } else {
    mpz_submul_ui(sum.get_mpz_t(), x.get_mpz_t(), static_cast<unsigned long>(-times));
  }
}

// sum mod x0, for a sum of few bits more than x0: its quotient is one limb, so that this is linear.
Integer reduced(Integer sum, const Integer& x0) {
  mpz_fdiv_r(sum.get_mpz_t(), sum.get_mpz_t(), x0.get_mpz_t());
  return sum;
}

Integer sum_of(std::initializer_list<Multiple<Operand>> multiples) {
  Integer sum;
  for (const auto& [times, value] : multiples) add_multiple(sum, times, value.value());
  return sum;
}

// Steps of the progress of top_digit: 6 products and the sum of the last 4.
constexpr std::size_t kDigitSteps = 7;

// Ciphertexts: elements of a ring.
class EncryptedValues {
 public:
  using Value = Operand;

  EncryptedValues(const Ring& ring, Progress& progress) : ring_(ring), progress_(progress) {}

  template <class... Pairs>
  [[nodiscard]] std::array<Operand, sizeof...(Pairs)> products(const Pairs&... pairs) const {
    const std::array operations{RingOperation{.kind = RingOperation::Kind::multiply,
                                              .a = pairs.left,
                                              .b = pairs.right,
                                              .is_factor = pairs.is_factor}...};
    std::vector<Operand> results = ring_.compute_all(operations, progress_);
    auto next = results.begin();
    const auto take = [&next](const auto& /*pair*/) { return std::move(*next++); };
    return {take(pairs)...};
  }

  [[nodiscard]] Operand quotient(std::initializer_list<Multiple<Operand>> multiples,
                                 unsigned long divisor) const {
    return ring_.prepare(
        divided(reduced(sum_of(multiples), ring_.modulus()), divisor, ring_.modulus()));
  }

  [[nodiscard]] Operand quotient(std::initializer_list<Multiple<Operand>> multiples,
                                 std::initializer_list<MultipleOfProduct<Operand>> products,
                                 unsigned long divisor) const {
    std::vector<OperandPair> terms;
    for (const auto& [times, left, right] : products) {
      Integer factor;
      add_multiple(factor, times, left.value());
      terms.emplace_back(reduced(std::move(factor), ring_.modulus()), right);
    }
    const std::array<std::vector<OperandPair>, 1> sums{std::move(terms)};
    Integer total = sum_of(multiples) + ring_.dot_all(sums, progress_).front().value();
    return divided(reduced(std::move(total), ring_.modulus()), divisor, ring_.modulus());
  }

 private:
  const Ring& ring_;
  Progress& progress_;
};

// Which sums an element is part of, by its z.
constexpr unsigned kDigitSums = 5;  // the binary digits of z
constexpr unsigned kSignSums = 2;   // z = 1 mod 4, z = 3 mod 4

std::uint32_t sign_mask(std::uint32_t z) {
  if (z % 2 == 0) return 0;
  return z % 4 == 1 ? 1 : 2;
}

using Masks = std::vector<std::vector<std::uint32_t>>;

std::uint32_t joined_mask(std::uint32_t z) {
  return z | sign_mask(z) << kDigitSums;
}

// The masks of all expanded ciphertexts.
Masks masks_of(const Masks& z_of_all, std::uint32_t (*mask_of)(std::uint32_t)) {
  Masks masks = z_of_all;
  for (std::vector<std::uint32_t>& z : masks) std::ranges::transform(z, z.begin(), mask_of);
  return masks;
}

Operand combined(const Ring& ring, std::initializer_list<Multiple<Operand>> multiples) {
  return ring.prepare(reduced(sum_of(multiples), ring.modulus()));
}

}  // namespace

std::optional<Integer> rounded_at_once(const Parameters& parameters, const SquashedKey& key,
                                       const Ring& ring, const Integer& c, const Monitor& monitor) {
  return ring.recrypt(DigitTask(parameters, key, ring.modulus()).of(c), monitor);
}

std::vector<std::vector<Operand>> digit_sums(const Parameters& parameters, const SquashedKey& key,
                                             const Ring& ring,
                                             const std::vector<std::vector<std::uint32_t>>& z,
                                             const Monitor& monitor) {
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  if (!parameters.has_digit_set()) {
    return shared_sums(ring, {chi, key.sigma}, parameters.Theta, kDigitSums + kSignSums,
                       masks_of(z, joined_mask), monitor);
  }
  const PublicStream digit_chi = key_digit_stream(parameters, key.seed);
  auto sums =
      shared_sums(ring, {digit_chi, key.digit_sigma}, parameters.Theta, kDigitSums, z, monitor);
  auto signs = shared_sums(ring, {chi, key.sigma}, parameters.Theta, kSignSums,
                           masks_of(z, sign_mask), monitor);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    std::ranges::move(signs[k], std::back_inserter(sums[k]));
  }
  return sums;
}

Operand rounded_by_digits(const Ring& ring, const std::vector<Operand>& sums,
                          const Monitor& monitor) {
  const Operand one(Integer(1));
  const Operand a = combined(ring, {{1, sums[5]}, {-1, sums[6]}});
  const Operand b = combined(
      ring, {{8, one}, {1, sums[0]}, {2, sums[1]}, {4, sums[2]}, {8, sums[3]}, {-16, sums[4]}});
  Progress progress(monitor, "digits", kDigitSteps);
  return top_digit(EncryptedValues(ring, progress), a, b);
}

std::size_t digit_recryption_integers() {
  constexpr std::size_t kFactors = 7;  // a, b, a^2, y_1, y_1^2, y_2, y_3
  constexpr std::size_t kOthers = 12;  // a^3, a^4, y_1^3, y_2^2, and the sums that they come from
  return kRingIntegers + kFactors * kPreparedIntegers + kOthers;
}

}  // namespace fhe::dghv

// SPDX-License-Identifier: Apache-2.0
#include "accel/polynomials/hardware_format.hpp"

namespace fhe::karatsuba {

namespace {

// Of coefficient k among the beats.
constexpr std::size_t place(std::size_t k, std::size_t n, std::size_t lanes) {
  return k % (n / 4) * lanes + k / (n / 4);
}

}  // namespace

void to_beats(const Polynomial& x, std::size_t n, std::size_t lanes, std::span<std::byte> beats) {
  const std::size_t coefficients = n / 4 * lanes;
  const std::size_t bytes = beats.size() / coefficients;
  for (std::size_t k = 0; k < coefficients; ++k) {
    to_bytes(k < x.size() ? x[k] : Integer(0), beats.subspan(place(k, n, lanes) * bytes, bytes));
  }
}

Polynomial from_beats(std::span<const std::byte> beats, std::size_t n, std::size_t lanes) {
  Polynomial x(n / 4 * lanes);
  const std::size_t bytes = beats.size() / x.size();
  for (std::size_t k = 0; k < x.size(); ++k) {
    x[k] = from_bytes(beats.subspan(place(k, n, lanes) * bytes, bytes));
  }
  return x;
}

NormalizedModulus::NormalizedModulus(const Integer& modulus, std::size_t coefficient_bits)
    : shift_(coefficient_bits - bit_length(modulus)),
      modulus_(modulus << shift_),
      barrett_((power_of_two(2 * coefficient_bits) - 1) / modulus_ -
               power_of_two(coefficient_bits)) {}

}  // namespace fhe::karatsuba

// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/residue_windows.hpp"

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

// The engine says that a window is undecided where its entry, a number of window_bits bits, and the
// same with 2^32 for each digit of 32 bits of the number that is multiplied would give different
// ones. There are at least 16 digits, and the other factor is a single bit, so that the engine's
// own error is less than 2^32. So many bits below those of the last window keep the error of c W
// and that of the words that are left out below 1.
ResidueShape::ResidueShape(std::size_t modulus_bits, std::size_t windows, std::size_t step)
    : step_(step),
      factor_words_(words_for_bits(modulus_bits + (windows - 1) * step + parameter::window_bits)),
      leading_words_(words_for_bits((windows - 1) * step + parameter::window_bits)) {}

std::uint64_t ResidueShape::factor_bits() const {
  return factor_words_ * kWordBits;
}

Integer ResidueShape::factor(const Integer& y, const Integer& modulus) const {
  const std::uint64_t below = factor_bits() - 1;
  const Integer quotient = (y << below) / modulus;
  return mpz_odd_p(y.get_mpz_t()) != 0 ? Integer(quotient + power_of_two(below)) : quotient;
}

ResidueShape::Slice ResidueShape::slice(std::size_t first_window, std::size_t count) const {
  const std::uint64_t first_word = first_window * step_ / kWordBits;
  const std::uint64_t last = (first_window + count - 1) * step_ - first_word * kWordBits;
  return {.first_word = first_word,
          .words = words_for_bits(last + parameter::window_bits),
          .element_bits = static_cast<std::uint32_t>(last + 1)};
}

Integer ResidueShape::element(const Slice& slice, std::size_t window) const {
  return power_of_two(window * step_ - slice.first_word * kWordBits);
}

}  // namespace fhe::fpga

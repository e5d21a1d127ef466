// SPDX-License-Identifier: Apache-2.0
// Windows of residues (fhe::ResidueWindows) from products that are not reduced.
//
// Let y < N, N odd, r_e = c y 2^e mod N and, for B bits below the point,
//
//   W = floor(2^B y / N) + 2^B (y mod 2).
//
// The parity of r_e is that of c y 2^e + floor(c y 2^e / N), so that for every e the leading bits
// of c W 2^e modulo 2^(B+1) are this parity and then those of r_e / N, but for an error of less
// than 2^(phi + e), phi the bits of N. One product c W tells all windows of y: each is a few bits
// of it. The engine for windows takes them out as leading bits of its product with a power of two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

// The lengths for windows j < `windows` of each factor, e = j step. Words are those of the device.
class ResidueShape {
 public:
  // For residues modulo a number of so many bits.
  ResidueShape(std::size_t modulus_bits, std::size_t windows, std::size_t step);

  // Of W: B + 1.
  [[nodiscard]] std::uint64_t factor_bits() const;
  // Words of c W, from that of bit B downwards, that hold all windows and what decides them.
  [[nodiscard]] std::uint64_t leading_words() const { return leading_words_; }
  [[nodiscard]] std::uint64_t factor_words() const { return factor_words_; }
  // W of a factor y.
  [[nodiscard]] Integer factor(const Integer& y, const Integer& modulus) const;

  // Some of the leading words, of which successive windows are taken.
  struct Slice {
    std::uint64_t first_word;    // 0 = the one with bit B
    std::uint64_t words;         // of the number that the engine multiplies
    std::uint32_t element_bits;  // of what it multiplies that by
  };
  [[nodiscard]] Slice slice(std::size_t first_window, std::size_t count) const;
  // By what the engine multiplies the number of the slice for a window.
  [[nodiscard]] Integer element(const Slice& slice, std::size_t window) const;

 private:
  std::size_t step_;
  std::uint64_t factor_words_;
  std::uint64_t leading_words_;
};

}  // namespace fhe::fpga

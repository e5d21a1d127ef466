// SPDX-License-Identifier: Apache-2.0
// Z/N in the memory of a device: sums of products with Barrett reduction, many at a time.
//
// With B = 2^64, N of n bits, x < B^(u + v), u = floor(n / 64) and mu = floor(B^(u + v) / N),
//
//   q = floor( floor(x / B^u) mu / B^v ),    r = x - q N,
//
// q is at most floor(x / N) and less than 4 below x / N: cutting x costs it at most B^u / N <= 2,
// cutting mu at most 1 and the last division less than 1. So r < 4 N, and two trial subtractions of
// 2 N and N finish. v leaves room for sums of 2^16 products.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "accel/gpu/backend/arithmetic.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::gpu {

// An element of Z/N on the device, and its spectrum where it is kept. Those that were made together
// share their memory, which is given back with the last of them.
struct Element {
  Number number;                         // of at most Modulus::words() words
  std::shared_ptr<const Buffer> values;  // where they are
  const Word* spectrum = nullptr;        // or null
  std::shared_ptr<const Buffer> spectra;
};
using ElementPtr = std::shared_ptr<const Element>;

// The factors of the products of a sum.
using Products = std::vector<std::pair<ElementPtr, ElementPtr>>;

class Modulus {
 public:
  static constexpr std::size_t kMostProducts = 0xffff;  // of a sum

  // Whether there are transforms that are long enough for a modulus of this many bits.
  [[nodiscard]] static bool fits(std::size_t bits);

  // Requires modulus >= 2 that fits. `arithmetic` must outlive the object.
  Modulus(const Arithmetic& arithmetic, const Integer& modulus);

  // Words of an element.
  [[nodiscard]] std::size_t words() const { return words_; }

  // The element x in [0, N), and x from it.
  [[nodiscard]] ElementPtr put(const Integer& x) const;
  [[nodiscard]] Integer get(const Element& element) const;

  // The same elements with spectra, which are made where they have none.
  [[nodiscard]] std::vector<ElementPtr> with_spectra(std::span<const ElementPtr> elements) const;

  // The sums of up to kMostProducts products each, and the sums of two elements.
  [[nodiscard]] std::vector<ElementPtr> sums_of_products(std::span<const Products> sums) const;
  [[nodiscard]] std::vector<ElementPtr> sums(
      std::span<const std::pair<ElementPtr, ElementPtr>> pairs) const;
  // first - second for each pair.
  [[nodiscard]] std::vector<ElementPtr> differences(
      std::span<const std::pair<ElementPtr, ElementPtr>> pairs) const;

  // The elements of numbers of up to argument_words() words.
  [[nodiscard]] std::vector<ElementPtr> reduced(std::span<const Number> numbers) const;
  [[nodiscard]] std::size_t argument_words() const { return cut_words_ + quotient_words_; }
  // The elements of numbers of fewer words than N, which are in this memory.
  [[nodiscard]] static std::vector<ElementPtr> reduced_already(std::span<const Number> numbers,
                                                               Buffer memory);

 private:
  [[nodiscard]] std::vector<ElementPtr> some_sums_of_products(std::span<const Products> sums) const;
  // Adds the products [first, end) of each sum that has them into its spectrum.
  void add_spectra(std::span<const Products> sums, std::size_t first, std::size_t end,
                   Word* spectra) const;
  // Those of `count` sums of words_ + 1 words, below 4 N, which stand one behind the other.
  [[nodiscard]] std::vector<ElementPtr> below_modulus(Buffer sums, std::size_t count) const;

  const Arithmetic& arithmetic_;
  std::size_t words_;           // of N
  std::size_t cut_words_;       // u
  std::size_t quotient_words_;  // v
  Plan plan_;
  Buffer modulus_;
  Buffer twice_modulus_;
  Buffer modulus_spectrum_;
  Buffer reciprocal_spectrum_;  // of mu
};

}  // namespace fhe::gpu

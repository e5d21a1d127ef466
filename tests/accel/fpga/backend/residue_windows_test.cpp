// SPDX-License-Identifier: Apache-2.0
// Windows of residues from products that are not reduced: the formulas, without a device.
#include "accel/fpga/backend/residue_windows.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "accel/fpga/contract/words.hpp"
#include "libfhe/arith/integer.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

struct ResidueCase {
  Integer modulus;
  std::size_t windows;
  std::size_t step;
  unsigned bits;  // of a window
};

// round(2^(w-1) r / N) + 2^(w-1) (r mod 2) mod 2^w for r = c y 2^(j step) mod N.
Integer window_by_definition(const ResidueCase& of, const Integer& c, const Integer& y,
                             std::size_t j) {
  const Integer r = (c * y << (j * of.step)) % of.modulus;
  const Integer rounded = ((r << of.bits) + of.modulus) / (2 * of.modulus);
  const Integer parity = r % 2;
  return low_bits(rounded + (parity << (of.bits - 1)), of.bits);
}

// As the device makes it: the words of a slice times a single bit, and the leading bits of that.
Integer window_of_slice(const ResidueCase& of, const ResidueShape& shape, const Integer& product,
                        const ResidueShape::Slice& slice, std::size_t j) {
  const std::uint64_t below = (shape.factor_words() - slice.first_word - slice.words) * kWordBits;
  const std::uint64_t length = slice.words * kWordBits;
  const Integer number = low_bits(product >> below, length);
  const Integer element = shape.element(slice, j);
  CHECK(bit_length(element) <= slice.element_bits);
  const Integer leading = low_bits(number * element, length) >> (length - of.bits - 1);
  return low_bits((leading + 1) >> 1, of.bits);
}

void check_windows(const ResidueCase& of, const Integer& c, const Integer& y) {
  const ResidueShape shape(bit_length(of.modulus), of.windows, of.step);
  const Integer product = c * shape.factor(y, of.modulus);
  for (std::size_t first = 0; first < of.windows; ++first) {
    for (const std::size_t count : {std::size_t{1}, of.windows - first}) {
      const ResidueShape::Slice slice = shape.slice(first, count);
      REQUIRE(slice.first_word + slice.words <= shape.leading_words());
      for (std::size_t j = first; j < first + count; ++j)
        CHECK(window_of_slice(of, shape, product, slice, j) == window_by_definition(of, c, y, j));
    }
  }
}

}  // namespace

TEST_CASE("windows of residues are leading bits of products, for all numbers of a few bits") {
  for (unsigned modulus = 3; modulus < 20; modulus += 2) {
    for (unsigned c = 0; c < modulus; ++c)
      for (unsigned y = 0; y < modulus; ++y) check_windows({modulus, 3, 300, 5}, c, y);
  }
}

TEST_CASE("windows of residues are leading bits of products, for long numbers") {
  fhe::test::Operands operands(23);
  for (const std::size_t bits : {100U, 511U, 512U, 1500U}) {
    const Integer modulus = operands.exactly(bits) | 1;
    for (const std::size_t step : {1U, 27U, 512U}) {
      for (const unsigned width : {1U, 5U, 8U})
        check_windows({modulus, 7, step, width}, operands.below(modulus), operands.below(modulus));
    }
  }
}

}  // namespace fhe::fpga::test

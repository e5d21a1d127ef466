// SPDX-License-Identifier: Apache-2.0
// The vector code, by its steps: a table of functions for each instruction set, to be called only
// where the processor has it.
//
// The residues of an operand modulo one prime stand in `top` blocks of block_limbs words, `stride`
// words apart; the first is aligned to 64 bytes. "Points" are what the last level leaves: the eight
// words of a polynomial modulo x^8 - w together. What a word may be depends on the form:
//
//   integers  Residues before and between the levels, and points, are below 2^52: in [0, 8p) for
//             the narrow primes and in [0, 4p) for the wide ones. "Short" ones are in [0, 2p).
//             Products of points carry a factor 2^-52.
//   reals     The words are the bits of whole numbers x in double precision, |x| <= 27/8 p. "Short"
//             ones are in |x| <= 9/8 p for the narrow primes and in |x| <= 5/8 p for the wide ones.
//
// Columns are positions in a block; ranges of them are multiples of 32. Tables and recombinations
// are those of the form.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

using Limb = std::uint64_t;

inline constexpr std::size_t kPoint = 8;  // words of a polynomial modulo x^8 - w

// What goes beyond the last limb of a run: low at the limb after it, high at the one after that.
struct Spill {
  std::uint64_t low;
  std::uint64_t high;
};

struct Kernels {
  Form form;

  // Limbs -> residues: columns [first, last) of all blocks, by the radix-`top` level. Limbs from
  // `count` on are zero.
  void (*split_limbs)(const Tables& tables, const std::uint64_t* limbs, std::size_t count,
                      Limb* residues, std::size_t first, std::size_t last);

  // Residues -> points, in one block.
  void (*forward_block)(const Tables& tables, Limb* values, std::size_t block);

  // Short points -> short residues, in one block.
  void (*inverse_block)(const Tables& tables, Limb* values, std::size_t block);

  // product = a b and sum += a b in one block: points times points, into (and onto) short points.
  // The result may be one of the operands.
  void (*multiply_block)(const Tables& tables, Limb* product, const Limb* a, const Limb* b,
                         std::size_t block);
  void (*add_product_block)(const Tables& tables, Limb* sum, const Limb* a, const Limb* b,
                            std::size_t block);

  // forward_block of a and of b, multiply_block into a and inverse_block, depth first: what fits in
  // a cache goes all the way through. b is used up; it may be a, for a square.
  void (*convolve_block)(const Tables& tables, Limb* a, Limb* b, std::size_t block);

  // The same for a b that forward_block has been applied to.
  void (*convolve_with_points)(const Tables& tables, Limb* a, const Limb* b, std::size_t block);

  // forward_block of a, then multiply_block, or add_product_block, with the points b; depth first.
  // a is used up; it may be the product.
  void (*multiply_with_points)(const Tables& tables, Limb* product, Limb* a, const Limb* b,
                               std::size_t block);
  void (*add_product_with_points)(const Tables& tables, Limb* sum, Limb* a, const Limb* b,
                                  std::size_t block);

  // Points -> short points, in one block.
  void (*shorten_block)(const Tables& tables, Limb* values, std::size_t block);

  // Short residues -> limbs: columns [first, last) of all blocks, by the inverse of the
  // radix-`top` level and the recombination of the three primes. tables[k] and residues[k] belong
  // to prime k. The limbs of row m begin at out[m * block_limbs]; each row is carried out from
  // `first` to `last`, and what goes beyond is left in spills[m].
  void (*join_limbs)(const Tables* const* tables, const Recombination& recombination,
                     const Limb* const* residues, std::size_t first, std::size_t last,
                     std::uint64_t* out, Spill* spills);

  // The first step of join_limbs, the inverse of the radix-`top` level (times `top`) modulo one
  // prime: from short residues to below 2^52. Row m is written from out[m * out_stride] on.
  void (*inverse_top)(const Tables& tables, const Limb* residues, std::size_t first,
                      std::size_t last, Limb* out, std::size_t out_stride);

  // The second step: `count` digits (a multiple of 32) from their residues to limbs. `spill` is
  // added at the first limb and the one after it, and what goes beyond the last is returned.
  Spill (*recombine)(const Recombination& recombination, const Limb* const* residues,
                     std::size_t count, Spill spill, std::uint64_t* out);
};

const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& avxifma_kernels();
const Kernels& ifma_kernels();
const Kernels& neon_kernels();

// Whether there is vector code for a kernel: for all but the portable one.
constexpr bool has_kernels(Kernel kernel) {
  return kernel != Kernel::portable;
}

// The vector code of a kernel that has some. It is the caller's duty that the processor runs it.
const Kernels& kernels_of(Kernel kernel);

}  // namespace fhe::cpu::three_primes

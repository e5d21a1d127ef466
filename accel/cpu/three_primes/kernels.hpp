// SPDX-License-Identifier: Apache-2.0
// The vector code, by its steps. Compiled for AVX-512 with IFMA: to be called only where
// is_available(Kernel::ifma).
//
// The residues of an operand modulo one prime stand in `top` blocks of block_limbs words, `stride`
// words apart; the first is aligned to 64 bytes. Residues before and between the levels are below
// 2^52, in [0, 8p) for the narrow primes and in [0, 4p) for the wide ones. "Points" are what the
// last level leaves, in the same range: the eight words of a polynomial modulo x^8 - w together.
// "Short points" are in [0, 2p).
//
// Columns are positions in a block; ranges of them are multiples of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu::three_primes {

using Limb = std::uint64_t;

// Limbs -> residues: columns [first, last) of all blocks, by the radix-`top` level. Limbs from
// `count` on are zero.
void split_limbs(const Tables& tables, const std::uint64_t* limbs, std::size_t count,
                 Limb* residues, std::size_t first, std::size_t last);

// Residues -> points, in one block.
void forward_block(const Tables& tables, Limb* values, std::size_t block);

// Short points -> residues in [0, 2p), in one block.
void inverse_block(const Tables& tables, Limb* values, std::size_t block);

// product = a b and sum += a b in one block: points times points, into (and onto) short points.
// The product carries a factor 2^-52. The result may be one of the operands.
void multiply_block(const Tables& tables, Limb* product, const Limb* a, const Limb* b,
                    std::size_t block);
void add_product_block(const Tables& tables, Limb* sum, const Limb* a, const Limb* b,
                       std::size_t block);

// forward_block of a and of b, multiply_block into a and inverse_block, depth first: what fits in a
// cache goes all the way through. b is used up; it may be a, for a square.
void convolve_block(const Tables& tables, Limb* a, Limb* b, std::size_t block);

// The same for a b that forward_block has been applied to.
void convolve_with_points(const Tables& tables, Limb* a, const Limb* b, std::size_t block);

// forward_block of a, then multiply_block, or add_product_block, with the points b; depth first. a
// is used up; it may be the product.
void multiply_with_points(const Tables& tables, Limb* product, Limb* a, const Limb* b,
                          std::size_t block);
void add_product_with_points(const Tables& tables, Limb* sum, Limb* a, const Limb* b,
                             std::size_t block);

// Points -> short points, in one block.
void shorten_block(const Tables& tables, Limb* values, std::size_t block);

// What goes beyond the last limb of a run: low at the limb after it, high at the one after that.
struct Spill {
  std::uint64_t low;
  std::uint64_t high;
};

// Residues in [0, 2p) -> limbs: columns [first, last) of all blocks, by the inverse of the
// radix-`top` level and the recombination of the three primes. tables[k] and residues[k] belong to
// prime k. The limbs of row m begin at out[m * block_limbs]; each row is carried out from `first`
// to `last`, and what goes beyond is left in spills[m].
void join_limbs(const Tables* const* tables, const Recombination& recombination,
                const Limb* const* residues, std::size_t first, std::size_t last,
                std::uint64_t* out, Spill* spills);

// The first step of join_limbs, the inverse of the radix-`top` level (times `top`) modulo one
// prime: from residues in [0, 2p) to below 2^52. Row m is written from out[m * out_stride] on.
void inverse_top(const Tables& tables, const Limb* residues, std::size_t first, std::size_t last,
                 Limb* out, std::size_t out_stride);

// The second step: `count` digits (a multiple of 32) from their residues to limbs. `spill` is added
// at the first limb and the one after it, and what goes beyond the last is returned.
Spill recombine(const Recombination& recombination, const Limb* const* residues, std::size_t count,
                Spill spill, std::uint64_t* out);

}  // namespace fhe::cpu::three_primes

// SPDX-License-Identifier: Apache-2.0
// How sums over a stream are cut for the transform domain, and what that costs.
//
// Example: N = 16 points (in use: 48 and more) and weights of 3 words. A chunk has 14 rows, as
// 14 + 3 - 1 <= 16. Element x_i and its weights b_ic in the sets c go into transforms like this:
//
//   row      group g of x_i, W = 112 g                      weights b_ic
//            lane 0        lane 1       ..  lane 7          lane 0            ..  lane 7
//   0        word W        word W + 14      word W + 98     word 0 of b_i0        word 0 of b_i7
//   1        word W + 1    word W + 15      word W + 99     word 1 of b_i0        word 1 of b_i7
//   2        word W + 2    word W + 16      word W + 100    word 2 of b_i0        word 2 of b_i7
//   ..                                                      0                     0
//   13       word W + 13   word W + 27      word W + 111    0                     0
//   14, 15   0             0                0               0                     0
//
// A lane is a polynomial in z = 2^64, with the coefficient of z^r in row r. The transform is that
// in three_primes/levels.hpp, rows being places and lanes words: row n gets the values of
// the eight at z = w^e modulo a prime, e = 0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15 for n = 0 to 15.
// With X_il for chunk l and B_ic for a weight, row n of a sum has in lane l
//
//   S_lc(w^e) = sum over i of X_il(w^e) B_ic(w^e) 2^-52,
//
// so one value of a weight multiplies all lanes of row n: both factors have the same e there. The
// inverse brings 16 * 2^-52 times the coefficient of z^r in the sum of X_il B_ic to row r, and
// recombine() multiplies by 2^52 / 16. Degrees are at most 13 + 2 < 16, so that the product
// modulo z^16 - 1 is the whole one. Its 16 digits, 18 words when they are carried out, are added to
// the sum of set c from word 14 (8 g + l) on: the last four reach into the next chunk.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/streams/sum_sizes.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"

namespace fhe::cpu {

// Transforms of N points, modulo three primes, of eight numbers side by side (see
// spectral_kernel.hpp). Safe to use from several threads.
class SpectralTransform {
 public:
  // With the vector code of a kernel that is not the portable one.
  SpectralTransform(const three_primes::Shape& shape, Kernel kernel);

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] const three_primes::Field& field(std::size_t prime) const;
  [[nodiscard]] const SpectralKernel& kernel() const { return kernel_; }

  // `rows` rows of words, at most N, to points that products take: N rows, aligned as `words` to 64
  // bytes.
  void forward(std::size_t prime, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* points) const;

  // Sums of products of points to residues for `recombine`.
  void inverse(std::size_t prime, std::uint64_t* rows) const;

  // `digits` digits (a multiple of 32) of a lane from their residues to limbs; see
  // three_primes::Kernels.
  three_primes::Spill recombine(const std::uint64_t* const* residues, std::size_t digits,
                                std::uint64_t* limbs) const;

 private:
  const SpectralKernel& kernel_;
  const three_primes::Kernels& transforms_;
  std::size_t points_;
  std::array<three_primes::OwnedTables, three_primes::kPrimes> tables_;
  three_primes::Recombination recombination_;
};

// Elements are cut into chunks of chunk_rows words, eight of which make a group. A chunk times a
// weight of weight_rows words has chunk_rows + weight_rows - 1 <= N digits, each a sum of at most
// elements * min(chunk_rows, weight_rows) products below 2^128: below what the three primes
// recover, three_primes::capacity * 2^128.
struct SpectralPlan {
  const SpectralTransform* transform;
  std::size_t chunk_rows;  // even: whole blocks of the generator
  std::size_t weight_rows;
  std::size_t groups;
  std::size_t groups_at_once;  // gone through in one pass over all terms; at least 1
  double nanoseconds;          // of one thread for all sums, on the machine of the README

  [[nodiscard]] std::size_t points() const { return transform->points(); }
};

// The fastest plan with the vector code of a kernel that is not the portable one; none where the
// weights are too long, or the terms too many, for any.
std::optional<SpectralPlan> spectral_plan(const SumSizes& sizes, Kernel kernel);

}  // namespace fhe::cpu

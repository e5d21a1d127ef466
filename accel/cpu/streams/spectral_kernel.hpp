// SPDX-License-Identifier: Apache-2.0
// The vector code of sums of products in the transform domain, of eight numbers side by side.
//
// A number is a polynomial in 2^64 of up to N words, one number in each lane: row j holds word j of
// all eight. Its residues modulo one prime of three_primes/primes.hpp are transformed as a block of
// 8 N words by three_primes::forward_block, which ends at polynomials modulo z - w for z = x^8: N
// points, one row each. Products of numbers are products of points; sums of them are taken lane by
// lane.
//
// Compiled for AVX-512 with IFMA: to be called only where is_available(Kernel::ifma).
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/aes_lanes.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu {

// Terms whose products are summed up in registers and reduced once. At most 16, as `Reduction`
// says.
inline constexpr std::size_t kSpectralTerms = 16;

// Groups of eight chunks whose sums are taken together, so that a weight is read once for all.
inline constexpr std::size_t kSpectralGroups = 3;

// Words between the weights of one term and those of the next: the sets, in rows of eight.
constexpr std::size_t weight_words(std::size_t sets) {
  return (sets + kLanes - 1) / kLanes * kLanes;
}

// `rows` rows of words to residues in [0, 2p).
void fold_rows(const three_primes::Field& field, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* residues);

// One prime of several groups and terms, and where they stand: point n of term i in group g is the
// row at x + g * x_group + i * x_term + 8 n, and of sum c in group g at
// sums + g * sums_group + (n * sets + c) * 8.
struct PointProducts {
  std::size_t points;
  std::size_t groups;  // 1 to kSpectralGroups
  std::size_t terms;   // 1 to kSpectralTerms
  std::size_t sets;
  const std::uint64_t* x;
  std::size_t x_group;
  std::size_t x_term;
  // w_ic[n], for set c, is the word (n * kSpectralTerms + i) * weight_words(sets) + c.
  const std::uint64_t* weights;
  std::uint64_t* sums;
  std::size_t sums_group;
};

// For all n, g and c: sum_gc[n] += sum over i of x_gi[n] * w_ic[n] * 2^-52 modulo p. Sums are kept
// in [0, 2p); points of x and w are any residues below 2^52.
void add_point_products(const three_primes::Field& field, const PointProducts& products);

// Lane l of `rows` rows (a multiple of 8) to consecutive words from lanes + l * stride on, aligned
// to 64 bytes.
void separate_lanes(const std::uint64_t* values, std::size_t rows, std::uint64_t* lanes,
                    std::size_t stride);

}  // namespace fhe::cpu

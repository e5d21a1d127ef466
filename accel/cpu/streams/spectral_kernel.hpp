// SPDX-License-Identifier: Apache-2.0
// The vector code of sums of products in the transform domain, of eight numbers side by side.
//
// A number is a polynomial in 2^64 of up to N words, one number in each lane: row j holds word j of
// all eight. Its residues modulo one prime of three_primes/primes.hpp are transformed as a block of
// 8 N words by three_primes::forward_block, which ends at polynomials modulo z - w for z = x^8: N
// points, one row each. Products of numbers are products of points; sums of them are taken lane by
// lane.
//
// Residues are in the form of three_primes::kernels_of for the same instruction set (see
// three_primes/kernels.hpp). Integers: sums of products carry a factor 2^-52 and are kept in
// [0, 2p); points of factors are any residues below 2^52. Reals: both are |x| <= p/2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/three_primes/tables.hpp"

namespace fhe::cpu {

// Terms whose products are summed up in registers and reduced once. At most 16, as
// `PointReduction` says.
inline constexpr std::size_t kSpectralTerms = 16;

// Groups of eight chunks whose sums are taken together, so that a weight is read once for all.
inline constexpr std::size_t kSpectralGroups = 3;

// Words between the weights of one term and those of the next: the sets, in rows of eight.
constexpr std::size_t weight_words(std::size_t sets) {
  return (sets + kLanes - 1) / kLanes * kLanes;
}

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

struct SpectralKernel {
  // `rows` rows of words to residues that a transform takes.
  void (*fold_rows)(const three_primes::Field& field, const std::uint64_t* words, std::size_t rows,
                    std::uint64_t* residues);

  // Points of a transform to what products take.
  void (*shorten_rows)(const three_primes::Field& field, std::uint64_t* points, std::size_t rows);

  // For all n, g and c: sum_gc[n] += sum over i of x_gi[n] * w_ic[n] modulo p.
  void (*add_point_products)(const three_primes::Field& field, const PointProducts& products);

  // Lane l of `rows` rows (a multiple of 8) to consecutive words from lanes + l * stride on,
  // aligned to 64 bytes.
  void (*separate_lanes)(const std::uint64_t* values, std::size_t rows, std::uint64_t* lanes,
                         std::size_t stride);
};

// To be called only where the processor has the instructions.
const SpectralKernel& avx2_spectral_kernel();
const SpectralKernel& avx512_spectral_kernel();
const SpectralKernel& avxifma_spectral_kernel();
const SpectralKernel& ifma_spectral_kernel();
const SpectralKernel& neon_spectral_kernel();

}  // namespace fhe::cpu

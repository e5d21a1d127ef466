// SPDX-License-Identifier: Apache-2.0
// Slow truth: every operation of a backend in the plainest form that GMP allows. Backends are
// compared with these; they are meant to be right at first reading, not fast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance::oracle {

// x mod n in [0, n).
inline Integer mod(const Integer& x, const Integer& n) {
  Integer result;
  mpz_fdiv_r(result.get_mpz_t(), x.get_mpz_t(), n.get_mpz_t());
  return result;
}

inline bool bit(const Integer& x, std::size_t position) {
  return mpz_tstbit(x.get_mpz_t(), position) != 0;
}

// All integers of a stream, read in one piece each.
inline std::vector<Integer> elements(const IntegerStream& stream) {
  std::vector<Integer> all(stream.count());
  std::vector<Limb> limbs(stream.limbs());
  const auto reader = stream.reader();
  for (std::size_t i = 0; i < all.size(); ++i) {
    reader->read(i, 0, limbs);
    all[i] = from_limbs(limbs);
  }
  return all;
}

// The integers x_i = elements_i - corrections_i.
inline std::vector<Integer> corrected(const CorrectedStream& x) {
  std::vector<Integer> all = elements(x.elements);
  for (std::size_t i = 0; i < x.corrections.size(); ++i) all[i] -= x.corrections[i];
  return all;
}

inline Integer weighted_sum(const CorrectedStream& x, const DenseWeights& weights,
                            const Integer& modulus) {
  const std::vector<Integer> all = corrected(x);
  Integer sum;
  for (std::size_t i = 0; i < all.size(); ++i) sum += all[i] * weights[i];
  return mod(sum, modulus);
}

inline DenseWeights dense(const SparseWeights& weights, std::size_t count) {
  DenseWeights result(count);
  for (std::size_t i = 0; i < count * weights.ones_per_weight; ++i) {
    result[i / weights.ones_per_weight] += Integer(1) << weights.positions[i];
  }
  return result;
}

inline Integer weighted_sum(const CorrectedStream& x, const SparseWeights& weights,
                            const Integer& modulus) {
  return weighted_sum(x, dense(weights, x.elements.count()), modulus);
}

inline std::vector<Integer> selected_sums(const CorrectedStream& x, const BlockSelection& selection,
                                          const Integer& modulus) {
  const std::vector<Integer> all = corrected(x);
  std::vector<Integer> sums(selection.blocks() * selection.width);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (unsigned j = 0; j < selection.width; ++j) {
      if ((selection.masks[i] >> j & 1U) != 0) {
        sums[i / selection.block_size * selection.width + j] += all[i];
      }
    }
  }
  for (Integer& sum : sums) sum = mod(sum, modulus);
  return sums;
}

// (c * y mod 2^M) / 2^(M-w), rounded to the nearest integer, ties up, modulo 2^w.
inline std::uint32_t product_window(const Integer& c, const Integer& y, const WindowSpec& spec) {
  const Integer product = mod(c * y, Integer(1) << spec.modulus_bits);
  const std::size_t dropped = spec.modulus_bits - spec.window_bits;
  const Integer half = Integer(1) << (dropped - 1);
  const Integer rounded = (product + half) >> dropped;
  return static_cast<std::uint32_t>(Integer(mod(rounded, Integer(1) << spec.window_bits)).get_ui());
}

}  // namespace fhe::conformance::oracle

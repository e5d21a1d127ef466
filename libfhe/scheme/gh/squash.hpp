// SPDX-License-Identifier: Apache-2.0
// The squashed secret key of GH: the public hint that lets a ciphertext be decrypted by a shallow
// circuit, and the encrypted choice that solves it. Not installed.
//
// The element j of block k is x_k R^j mod d, R = 2^log_R, j < S. In each block one secret element
// idx_k is chosen, so that
//
//   sum_k x_k R^idx_k = w mod d,        and so     sum_k (c x_k R^idx_k) = c w mod d.
//
// Block k has c ciphertexts eta_k,0 ... eta_k,c-1 of which exactly two encrypt 1, those of the pair
// number idx_k: eta_k,a eta_k,b encrypts whether element (a, b) is the chosen one. Pairs a < b are
// counted in lexicographic order, (0,1), (0,2), ..., (0,c-1), (1,2), ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/gh/noise_polynomial.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/powers.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// The public part.
struct SquashedKey {
  std::vector<Integer> x;    // s elements of [0, d)
  std::vector<Integer> eta;  // s c ciphertexts, eta_k,i at k c + i
};

// The same as operands of a ring.
struct KeyOperands {
  std::vector<Operand> x;
  std::vector<Operand> eta;

  // Those of a key that `owner` keeps.
  KeyOperands(const std::shared_ptr<const void>& owner, const SquashedKey& key);

  // The same, kept where the ring computes.
  [[nodiscard]] KeyOperands kept_by(const Ring& ring) const;

 private:
  KeyOperands() = default;
};

// A pair a < b of ciphertexts of a block.
struct Pair {
  std::size_t a;
  std::size_t b;

  friend bool operator==(const Pair&, const Pair&) = default;
};

// Pair number `index` of c ciphertexts. Requires index < c (c-1) / 2.
Pair pair_at(std::size_t index, std::size_t c);

// Values of a among the first S pairs: each is a row of a block.
std::size_t rows_of_block(const Parameters& parameters);

// The chosen elements idx_k of all blocks.
using ChosenElements = SecretIndices;

// Uniform and independent in [0, S).
ChosenElements draw_chosen_elements(const Parameters& parameters, SecretRandom& random);

// x_0, ..., x_(s-1): all but the last from the public stream `squash` of the seed, reduced modulo d
// from 64 bits more than d has; the last one solved. Requires the secret w in (-d, d).
std::vector<Integer> solve_elements(const Parameters& parameters, const Ring& ring,
                                    const SecretInteger& w, const ChosenElements& chosen,
                                    const StreamSeed& seed);

// The eta: encryptions of the choice, with the noise of the s c of them.
std::vector<Integer> encrypt_choice(const Parameters& parameters, const Powers& powers,
                                    const ChosenElements& chosen,
                                    const std::vector<NoisePolynomial>& noise,
                                    const Monitor& monitor);

}  // namespace fhe::gh

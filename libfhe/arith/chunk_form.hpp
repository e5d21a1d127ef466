// SPDX-License-Identifier: Apache-2.0
// Linear forms in the chunks of a long integer, with SECRET weights: what decryption computes
// residues modulo a secret prime with.
#pragma once

#include <cstddef>
#include <span>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The sums S_s = sum_j x_{s,j} w_j over the chunks x_{s,j} of
//   x = sum_{s,j} x_{s,j} 2^(64 chunk_limbs (s chunks + j)),  s < slices,  j < chunks.
// With w_j = 2^(64 chunk_limbs j) mod p, x is sum_s S_s 2^(64 chunk_limbs chunks s) modulo p.
//
// The weights are secret: neither the time nor the memory accesses of any call depend on them or on
// x, but on the shape and the length of x alone; the weights and what is computed with them are
// wiped. Any number of threads may ask for sums once the weights are set.
class FHE_EXPORT ChunkForm {
 public:
  // How x is cut, all at least 1.
  struct Shape {
    std::size_t slices;       // of x
    std::size_t chunks;       // of a slice, and weights
    std::size_t chunk_limbs;  // of a chunk, and of a weight
    std::size_t sum_limbs;    // of a sum
  };

  virtual ~ChunkForm() = default;
  ChunkForm(const ChunkForm&) = delete;
  ChunkForm& operator=(const ChunkForm&) = delete;

  // How this form cuts x.
  [[nodiscard]] virtual Shape shape() const = 0;

  // Sets w_index. Requires index < chunks and at most chunk_limbs limbs. A weight that was not set
  // is 0; each may be set once.
  virtual void set_weight(std::size_t index, std::span<const Limb> weight) = 0;

  // Puts the sums after each other into slices * sum_limbs limbs. Requires 0 <= x, of at most
  // slices * chunks * chunk_limbs limbs.
  virtual void sums(const Integer& x, std::span<Limb> sums) const = 0;

 protected:
  ChunkForm() = default;
};

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// Sums of products x_i * w_i in eight lanes by Karatsuba-evaluated accumulation.
//
// A chunk x of P = 2^L pieces of b bits, x = sum_p x_p 2^(b p), and a weight w of the same shape
// are evaluated once: index t in [0, 3^L) has L ternary digits, and digit l says whether bit l of p
// is 0, is 1, or both are summed; E_t(x) is the sum of the x_p that t stands for. Then
// sum_i x_i * w_i follows linearly from the 3^L sums S_t = sum_i E_t(x_i) * E_t(w_i), so that the
// interpolation is done once, after all terms.
//
// Bounds. A piece sum has at most b + L bits, which n digits hold: of 52 bits where products are
// those of IFMA, and of 28 bits elsewhere. digits_ifma.hpp and digits_halves.hpp say how many terms
// may be added to the 2n digits of S_t between two carries. A further row, 2n, takes what is
// carried out of the last digit: any number of terms fits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accel/cpu/streams/aes_lanes.hpp"

namespace fhe::cpu {

// Chunks that are generated one after another: from each to the next, the counters of all lanes
// advance by the same amount. `mask`, chunk_rows rows, cuts elements off at their end; null where
// nothing has to be cut.
struct ChunkWalk {
  LaneStart start;
  std::uint64_t high_advance;
  std::uint64_t block_advance;
  const std::uint64_t* mask;
};

inline constexpr std::size_t kMostChunkBits = 4096;

struct KaratsubaKernel {
  std::size_t levels;      // L
  std::size_t digits;      // n
  std::size_t piece_bits;  // b

  std::size_t products;    // 3^L
  std::size_t chunk_bits;  // P * b, a multiple of 128: the bits of a chunk and of a weight; at most
                           // kMostChunkBits
  std::size_t chunk_rows;  // its 64-bit words
  std::size_t piece_rows;  // 3^L * n: rows of an evaluated chunk
  std::size_t sum_rows;    // 3^L * (2n + 1)
  std::size_t result_rows;  // 64-bit words of a result: two chunks, and one word for 2^64 terms

  // Terms that may be added between two calls of `normalise`.
  std::size_t terms_between_carries;

  // chunk_rows of words to piece_rows of digits. With IFMA, bits 52 and above of a digit are
  // undefined.
  void (*evaluate)(const std::uint64_t* words, std::uint64_t* pieces);

  // The same for a chunk that is generated.
  void (*generate)(const AesKey& key, const LaneStart& start, const std::uint64_t* mask,
                   std::uint64_t* pieces);

  // For each of `sets` sets of weights, and every t and i < terms: S_t += E_t(x_i) * E_t(w_i). The
  // sums of the sets follow each other. E_t of x_i is at row (t * slots + i) * n of `pieces` and
  // E_t of w_i, the same in all lanes, at the single word (t * slots + i) * n of weights[set]: what
  // is used for one t is close together.
  void (*accumulate)(std::uint64_t* sums, const std::uint64_t* pieces,
                     const std::uint64_t* const* weights, std::size_t sets, std::size_t slots,
                     std::size_t terms);

  // Both at once for the chunks x_i of a walk, with `pieces` as scratch space for one chunk, and
  // piece_rows words of weights after each other.
  void (*add_terms)(const AesKey& key, const ChunkWalk& walk, const std::uint64_t* weights,
                    std::size_t terms, std::uint64_t* pieces, std::uint64_t* sums);

  // Brings the digits of all S_t into range (the last row excepted).
  void (*normalise)(const KaratsubaKernel& kernel, std::uint64_t* sums);

  // sum_i x_i * w_i from the S_t, as result_rows of words. Leaves `sums` undefined.
  void (*interpolate)(const KaratsubaKernel& kernel, std::uint64_t* sums, std::uint64_t* words);
};

}  // namespace fhe::cpu

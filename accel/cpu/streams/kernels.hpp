// SPDX-License-Identifier: Apache-2.0
// The vector code of the passes over streams: a table of functions for each instruction set, to be
// called only where the processor has it. All give the same results. Its parts: the generator, sums
// by Karatsuba's products, sums with sparse weights, bit-selected sums of streams and of integers
// in memory, and windows of products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "accel/cpu/kernel.hpp"

namespace fhe::cpu {

// AES-128 in counter mode, eight key streams side by side: the generator "aes128ctr-v1" (specified
// in libfhe/random/public_stream.hpp) with AES instructions.
//
// Lane l of a vector belongs to chunk l of an element or to element l of a list: any element and
// any block, because every lane has a counter of its own. Key stream words come out vertically:
// row w holds word w of all eight lanes.

inline constexpr std::size_t kLanes = 8;

// The round keys, in the byte order of memory.
struct AesKey {
  alignas(16) std::uint64_t rounds[11][2];
};

// Lane l starts at counter block (high + l * high_step, block + l * block_step); `high` is
// purpose * 2^32 + index, `block` the number of the block inside the element.
struct LaneStart {
  std::uint64_t high;
  std::uint64_t high_step;
  std::uint64_t block;
  std::uint64_t block_step;
};

struct GeneratorKernel {
  // The key schedule of the 16 bytes at `seed`.
  void (*expand_key)(const void* seed, AesKey& key);

  // The next `blocks` blocks of every lane: rows 0 ... 2 * blocks - 1 of `words`, which is aligned
  // to 64 bytes and holds kLanes words in a row.
  void (*generate_lanes)(const AesKey& key, const LaneStart& start, std::size_t blocks,
                         std::uint64_t* words);
};

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

// Products of key stream chunks in eight lanes with weights of which few digits are not zero: the
// weights of low Hamming weight.
//
// A weight is a list of entries (position q, value v), v < 2^b, standing for sum v * 2^(b q), with
// b = digit_bits. The sum is kept still and the chunks move: a window of digits of the sum stays in
// registers while every entry adds its part to digit d: low(x_{d-q} v) + high(x_{d-q-1} v) with
// IFMA, and x_{d-q} v elsewhere.

// The digits of a chunk are a multiple of this.
inline constexpr std::size_t kSparseStepDigits = 32;

// Rows of zeros around a chunk, and the digits of sums are a multiple of it.
inline constexpr std::size_t kSparseWindow = 16;

struct SparseEntry {
  std::uint64_t position;
  std::uint64_t value;
};

struct SparseKernel {
  std::size_t digit_bits;
  std::size_t step_blocks;   // kSparseStepDigits digits as blocks of the generator
  std::size_t digits_above;  // that `words` reads beyond those of the words
  std::size_t entries_between_carries;

  // The digits of `steps` steps of every lane: kSparseStepDigits * steps rows. `mask`,
  // 2 * step_blocks * steps rows, cuts the elements off at their end; null where nothing has to be
  // cut.
  void (*generate)(const AesKey& key, const LaneStart& start, std::size_t steps,
                   const std::uint64_t* mask, std::uint64_t* digits);

  // sums += the chunk with `digit_count` digits at `digits` times the weight with these entries,
  // which are in ascending order of their positions. Before and after the digits there are
  // kSparseWindow rows of zeros. `sums` holds a multiple of kSparseWindow rows, more than
  // digit_count and the last position together.
  void (*accumulate)(const std::uint64_t* digits, std::size_t digit_count,
                     const SparseEntry* entries, std::size_t count, std::uint64_t* sums);

  // Moves what exceeds digit_bits of each of the first `rows` - 1 rows into the next one.
  void (*carry)(std::uint64_t* digits, std::size_t rows);

  // The first `word_rows` words of the number. Requires that all digits but the last are carried,
  // and that there are `digits_above` more of them than these words have.
  void (*words)(const std::uint64_t* digits, std::uint64_t* words, std::size_t word_rows);
};

// Bit-selected sums of one column group (eight adjacent chunks) of a key stream.
//
// A chunk is 6 blocks: 12 words, or 16 digits of 48 bits, so that 2^16 - 1 numbers can be added up
// in 64-bit lanes without carries. An element is not added to every sum whose bit is set in its
// mask: the mask is cut into fields of a few bits, the element goes to one bucket for each field
// that is not zero, and at the end of a block each sum collects the buckets whose number has its
// bit.

inline constexpr std::size_t kSelectionBlocks = 6;
inline constexpr std::size_t kSelectionWords = 12;
inline constexpr std::size_t kSelectionDigits = 16;

// How many elements may be added before the buckets are collected.
inline constexpr std::size_t kMostSelected = 65535;

// Elements and where they go: element i is added to the buckets buckets[starts[i]], ...,
// buckets[starts[i + 1] - 1].
struct BucketPlan {
  const std::uint32_t* starts;
  const std::uint16_t* buckets;
};

struct SelectionKernel {
  // Adds the columns of the elements [first, last) to buckets of kSelectionDigits rows each.
  // `start` is that of element 0. `mask`, kSelectionWords rows, cuts the elements off at their end;
  // null where nothing has to be cut. Elements without buckets are not generated.
  void (*add_to_buckets)(const AesKey& key, const LaneStart& start, const BucketPlan& plan,
                         std::size_t first, std::size_t last, const std::uint64_t* mask,
                         std::uint64_t* buckets);

  // The sum of those of the buckets 1, ..., 2^bits - 1 whose number has bit `bit`; bucket number n
  // is at index n - 1. Requires that at most kMostSelected numbers have been added to them.
  void (*collect_buckets)(const std::uint64_t* buckets, unsigned bits, unsigned bit,
                          std::uint64_t* sum);

  // From digits with carries to kSelectionWords rows of words, the carry of each lane added to the
  // next lane; returns the carry of the last one. Leaves `sum` undefined.
  std::uint64_t (*selection_words)(std::uint64_t* sum, std::uint64_t* words);
};

// Bit-selected sums of integers in memory, a few limbs of all of them at a time.
//
// The lower and the upper halves of limbs are added up by themselves in 64-bit lanes, so that 2^32
// integers can be added without carries.

// Sums that are made together: their halves stay in registers.
inline constexpr std::size_t kViewSums = 5;

// Limbs are summed in multiples of these.
inline constexpr std::size_t kViewTileLimbs = 16;

// An integer, and to which of the sums it is added: mask 0xff or 0 for each.
struct ViewElement {
  const std::uint64_t* words;
  std::size_t size;  // limbs
  std::uint8_t masks[kViewSums];
};

struct ViewKernel {
  // Limbs [first, first + count) of the sums: words[j] of sum j is where its limb `first` goes, or
  // null where it is not wanted; carries[j] gets what they carry into limb first + count. Requires
  // a multiple of kViewTileLimbs as count and fewer than 2^32 elements.
  void (*add_elements)(const ViewElement* elements, std::size_t element_count, std::size_t first,
                       std::size_t count, std::uint64_t* const* words, std::uint64_t* carries);
};

// Leading bits of products modulo a power of two, for eight elements of a key stream at once.
//
// With y and c in N digits of b bits, B = 2^b, digit N-1 of c * y is, but for carries from below,
//   sum_{k<N} low(y_k c_{N-1-k}) + sum_{k<N-1} high(y_k c_{N-2-k})   mod B,
// where low and high are the digits of a product. An estimate by IFMA is this, with b = 52. Without
// IFMA b is 32, and an estimate are two digits:
//   B sum_{k<N} y_k c_{N-1-k} + sum_{k<N-1} y_k c_{N-2-k} + sum_{k<N-2} high(y_k c_{N-3-k})
// modulo B^2. Accumulators are 64 bits wide and wrap, which does not matter modulo 2^52 and 2^64.
//
// Either falls short of the true leading bits by at most 2N: what products further down carry into
// the lowest digit of the estimate is below N (B - 1)^2 (1/B^2 + 1/B^3 + ...) < N, and the sum of
// the lower halves of the products that come just before, of which there are at most N, carries
// less than N.

// Elements are generated in steps of so many digits.
inline constexpr std::size_t kWindowStepDigits = 32;

// Digits of c that an estimate needs beyond those of its steps.
inline constexpr std::size_t kWindowDigitsAhead = 2;

// The most numbers c of a call.
inline constexpr std::size_t kMostNumbers = 8;

struct WindowKernel {
  std::size_t digit_bits;     // b
  std::size_t estimate_bits;  // b or 2 b
  std::size_t step_blocks;    // kWindowStepDigits digits as blocks of the generator

  // Adds to estimates[8 k + lane] the terms of `steps` >= 1 steps of the sums above for the k-th
  // number and each of the eight elements that start at `start`; only the low estimate_bits of an
  // estimate mean anything. Each of `reversed` holds 32 * steps + kWindowDigitsAhead digits, from
  // those that belong to the first step on: c_{N-1}, c_{N-2}, ..., c_0 and zeros. `last_mask` holds
  // 2 * step_blocks rows, what the last of the steps is masked with, or is null.
  void (*add_estimates)(const AesKey& key, const LaneStart& start, std::size_t steps,
                        std::span<const std::uint64_t* const> reversed,
                        const std::uint64_t* last_mask, std::uint64_t* estimates);
};

// The vector code of the passes over streams: a table for each instruction set, to be called only
// where the processor has it. All give the same results.

struct StreamKernels {
  std::string_view instructions;
  Kernel kernel;
  GeneratorKernel generator;
  std::span<const KaratsubaKernel> karatsuba;  // by chunk_bits
  SparseKernel sparse;
  SelectionKernel selection;
  WindowKernel windows;
  ViewKernel views;
};

// With the products of AVX2, of AVX-512 and of IFMA, in 256 bits and in 512; the blocks of the
// generator are made one by one, with AES-NI, two at a time with VAES, and four at a time with
// AVX-512 IFMA. Both kinds of IFMA stand for VAES as well. And those of AArch64 with its
// cryptographic extension.
const StreamKernels& avx2_stream_kernels();
const StreamKernels& avx2_vaes_stream_kernels();
const StreamKernels& avx512_stream_kernels();
const StreamKernels& avxifma_stream_kernels();
const StreamKernels& ifma_stream_kernels();
const StreamKernels& neon_stream_kernels();

// All that this processor can run.
std::vector<const StreamKernels*> available_stream_kernels();

// The fastest of them for the instruction set of a kernel that it can run; null where there is
// none, as on processors without AES instructions.
const StreamKernels* stream_kernels(Kernel kernel);

// The kernel of the smallest chunk that holds `bits`; null when there is none.
const KaratsubaKernel* karatsuba_kernel(const StreamKernels& kernels, std::size_t bits);

}  // namespace fhe::cpu

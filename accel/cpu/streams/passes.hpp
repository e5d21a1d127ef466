// SPDX-License-Identifier: Apache-2.0
// The passes that streams.hpp chooses from, in eight lanes: over streams that are generated, and
// over integers in memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "accel/cpu/kernel.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/lane_stream.hpp"
#include "accel/cpu/streams/spectral_kernel.hpp"
#include "accel/cpu/three_primes/kernels.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"
#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/chunk_form.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::cpu {

// What a batch of dense sums over a stream is made of.
struct SumSizes {
  std::size_t element_bits;  // at least 1
  std::size_t elements;      // at least 1
  std::size_t weight_bits;   // of the longest weight
  std::size_t sets;          // sets of weights, at least 1
};

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

// sum_i x_i * w_i with weights of all bits, by column groups of eight adjacent chunks.

// Requires weights in [0, 2^kernel.chunk_bits), one for each element, at least one element and at
// least one set of weights.
std::vector<Integer> dense_lane_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor);

// The same over integers in memory.
std::vector<Integer> dense_view_sums(const ViewStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor);

// What the first of them takes, in nanoseconds of one thread on the machine of the README.
// `kernel` is one of the stream kernels for `instructions`.
double dense_nanoseconds(const KaratsubaKernel& kernel, const SumSizes& sizes, Kernel instructions);

// sum_i x_i * w_i with weights of few digits that are not 0, by column groups of eight adjacent
// chunks: weights of low Hamming weight, and those of one digit.

// Whether a batch may be passed to lane_sparse_sums.
bool has_lane_sparse_sums(std::span<const SparseWeights> batch, std::size_t count);

// Requires has_lane_sparse_sums, at least one element and at least one set of weights.
std::vector<Integer> lane_sparse_sums(const LaneStream& stream,
                                      std::span<const SparseWeights> batch, const Backend& backend,
                                      const Monitor& monitor);

// Whether weights have one digit, and elements fill so many of the lanes that this is the fastest
// way to sum them up.
bool has_lane_digit_sums(const SumSizes& sizes, const SparseKernel& kernel);

// Requires has_lane_digit_sums and weights of at least 0, one for each element. The work does not
// depend on their values.
std::vector<Integer> lane_digit_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const Backend& backend, const Monitor& monitor);

// sum_i x_i * w_i with weights of all bits, for several sets of weights at once, in the transform
// domain: elements are transformed once for all sets, and every further set costs only products
// point by point.
//
// Requires a plan for the sizes of the stream and the batch, weights >= 0 of at most
// plan.weight_rows words, one for each element, at least one element and one set of weights.
std::vector<Integer> spectral_lane_sums(const LaneStream& stream,
                                        std::span<const DenseWeights> batch,
                                        const SpectralPlan& plan, const Backend& backend,
                                        const Monitor& monitor);

// Bit-selected sums of a key stream, block by block, over column groups of eight adjacent chunks.
//
// The block sums of Ring::selected_sums over the integers, before corrections and reduction.
// Requires is_selection and at least one element.
std::vector<Integer> lane_selected_sums(const LaneStream& stream, const BlockSelection& selection,
                                        const Backend& backend, const Monitor& monitor);

// Bit-selected sums of integers that are in memory.
//
// Backend::selected_sums. Requires is_selection and at least one element.
std::vector<Integer> view_selected_sums(const ViewStream& stream, const BlockSelection& selection,
                                        const ViewKernel& kernel, const Backend& backend,
                                        const Monitor& monitor);

// The leading bits of c * y_i mod 2^M for all elements of a stream (CNT 2012, ePrint 2011/440), in
// time linear in their length.

// Whether the estimate by leading digits decides nearly all windows. Otherwise the default
// kernel is the faster one.
bool has_lane_windows(const WindowSpec& spec, const WindowKernel& kernel);

// Backend::product_windows_all: the elements are generated once for every kMostNumbers numbers.
// Requires has_lane_windows for its kernels, and is_window(spec, c, elements) for all c of the
// batch. `elements` is the stream that `lanes` opened.
std::vector<std::vector<std::uint32_t>> lane_product_windows(
    std::span<const Integer> batch, const IntegerStream& elements, const LaneStream& lanes,
    const WindowSpec& spec, const Backend& backend, const Monitor& monitor);

// y_i mod p for all elements of a stream, eight elements at a time: a sum of products of their
// chunks with fixed weights,
//   y_i mod p = (sum_j chunk_j(y_i) * W_j) mod p,  W_j = 2^(chunk_bits * j) mod p,
// so that each element needs one division of about two chunks by p, not one of its full length.
//
// Requires 1 <= modulus < 2^kernel.chunk_bits. The modulus is secret: the W_j and the sums are
// wiped.
std::vector<Integer> lane_residues(const LaneStream& stream, const Integer& modulus,
                                   const KaratsubaKernel& kernel, const Backend& backend,
                                   const Monitor& monitor);

// Backend::chunk_form() with a Karatsuba kernel: the eight lanes are eight slices of the integer.
//
// For integers of at most `bits` bits, bits >= 1, and weights of at most kernel.chunk_bits bits.
std::unique_ptr<ChunkForm> lane_chunk_form(std::size_t bits, const KaratsubaKernel& kernel);

}  // namespace fhe::cpu

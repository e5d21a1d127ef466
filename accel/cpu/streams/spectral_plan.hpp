// How sums over a stream are cut for the transform domain, and what that costs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "accel/cpu/streams/sum_sizes.hpp"
#include "accel/cpu/three_primes/make_tables.hpp"

namespace fhe::cpu {

// Transforms of N points, modulo three primes, of eight numbers side by side (see
// spectral_kernel.hpp). Safe to use from several threads.
class SpectralTransform {
 public:
  explicit SpectralTransform(const three_primes::Shape& shape);

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] const three_primes::Field& field(std::size_t prime) const;

  // `rows` rows of words, at most N, to points: N rows, aligned as `words` to 64 bytes.
  void forward(std::size_t prime, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* points) const;

  // Sums of products of points, in [0, 2p), to residues for `recombination`.
  void inverse(std::size_t prime, std::uint64_t* rows) const;
  [[nodiscard]] const three_primes::Recombination& recombination() const { return recombination_; }

 private:
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

// The fastest plan; none where the weights are too long, or the terms too many, for any.
std::optional<SpectralPlan> spectral_plan(const SumSizes& sizes);

}  // namespace fhe::cpu

// SPDX-License-Identifier: Apache-2.0
// Public key streams as the vector kernels see them, and memory for rows of eight lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "accel/cpu/streams/kernels.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::cpu {

inline constexpr std::size_t kRowBytes = 64;

// Zeroed words, aligned to a row. Wiped when freed: weights, and sums with secret weights, are kept
// in buffers.
using LaneBuffer = SecretVector<std::uint64_t, kRowBytes>;

// A public key stream as the vector kernels see it: a key, counters for eight lanes, and masks for
// the columns where the elements end.
class LaneStream {
 public:
  // For passes with these kernels, which must outlive the object. Nothing for a stream that is not
  // made by "aes128ctr-v1".
  static std::optional<LaneStream> open(const IntegerStream& stream, const StreamKernels& kernels);

  [[nodiscard]] const StreamKernels& kernels() const { return *kernels_; }
  [[nodiscard]] const AesKey& key() const { return key_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t bits() const { return bits_; }

  // Lanes are the chunks first_chunk, first_chunk + 1, ... of one element, each of
  // `chunk_blocks` blocks.
  [[nodiscard]] LaneStart chunks(std::size_t element, std::size_t first_chunk,
                                 std::size_t chunk_blocks) const;

  // Lanes are the elements first_element, first_element + 1, ..., all from one block on. Lanes past
  // the last element hold what no element has.
  [[nodiscard]] LaneStart elements(std::size_t first_element, std::size_t block) const;

  // What rows of words have to be masked with so that nothing past the end of the elements is left:
  // lane l starts at bit first_bit + l * lane_bits of the element. Empty where nothing is cut.
  [[nodiscard]] LaneBuffer end_mask(std::size_t first_bit, std::size_t lane_bits,
                                    std::size_t rows) const;

  // Bytes of the elements in the columns [first_bit, first_bit + bits), both multiples of 64, for
  // the counters of a backend.
  [[nodiscard]] std::size_t bytes_in(std::size_t first_bit, std::size_t bits) const;

 private:
  LaneStream(const StreamSource& source, const IntegerStream& stream, const StreamKernels& kernels);

  const StreamKernels* kernels_;
  AesKey key_;
  std::uint64_t high_;  // of the counters of element 0
  std::size_t count_;
  std::size_t bits_;
};

// words &= mask, of equal size; an empty mask leaves the words alone.
void apply_mask(std::uint64_t* words, const LaneBuffer& mask);

}  // namespace fhe::cpu

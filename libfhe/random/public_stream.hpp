// SPDX-License-Identifier: Apache-2.0
// Public pseudo-random streams: the integers of a compressed key, which everybody generates again.
//
// Generator "aes128ctr-v1". The 16-byte PUBLIC seed is the AES-128 key. Element `index` of
// `purpose` is the key stream whose 16-byte counter blocks are, most significant byte first,
//
//   bytes 0..3   purpose        (one number for each list of integers in a key)
//   bytes 4..7   index          (which integer of the list)
//   bytes 8..15  block number   (0, 1, 2, ... inside the integer)
//
// read as a little-endian integer and cut to the wanted number of bits (the excess leading bits of
// the last limb are dropped). So any block of any element can be generated alone, in any order, on
// any machine. The name of the generator is part of the file format: a key made with one generator
// is never read with another.
//
// Streams are PUBLIC: no secret is ever taken from one; see secret_random.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The public seed of a key.
using StreamSeed = std::array<std::byte, 16>;

// The name of the generator above, as keys and files hold it.
inline constexpr std::string_view kAesCtrGenerator = "aes128ctr-v1";

// What a stream is used for; the numbers are part of the file format.
enum class StreamPurpose : std::uint32_t {
  public_elements = 1,  // chi_i of the public key: x_i = chi_i - delta_i
  squash = 2,           // u_i of the squashed secret key, i >= 1 (GH: x_k, which are stored)
  key_bits = 3,         // chi'_i of the encrypted key bits: sigma_i = chi'_i - delta'_i
  switch_squash = 4,    // y_i of a modulus-switching key
  switch_bits = 5,      // chi of the encrypted bits of a modulus-switching key
  ciphertexts = 6,      // chi_i of compressed ciphertexts: c_i = chi_i - delta_i
  key_digits = 7,  // chi''_i of the key bits encrypted modulo 32: sigma'_i = chi''_i - delta''_i
  slot_units = 8,  // of the x'_i of batch DGHV, one for each slot
  slot_noise = 9,  // of its Pi_i, likewise
  permuted_key_bits = 10,  // of its key bits with the slots permuted
};

// Elements first_index, ..., first_index + count - 1 of one purpose under one seed.
class FHE_EXPORT PublicStream final : public IntegerStream {
 public:
  // Requires bits >= 1 and first_index + count <= 2^32; throws Error(invalid_argument) otherwise.
  PublicStream(const StreamSeed& seed, StreamPurpose purpose, std::uint32_t first_index,
               std::size_t count, std::size_t bits);

  // Elements first, ..., first + count - 1 of this stream. Requires that it has them.
  [[nodiscard]] PublicStream part(std::size_t first, std::size_t count) const;

  [[nodiscard]] std::size_t count() const override { return count_; }
  [[nodiscard]] std::size_t bits() const override { return bits_; }
  [[nodiscard]] std::unique_ptr<Reader> reader() const override;
  [[nodiscard]] std::optional<StreamSource> source() const override;

 private:
  StreamSeed seed_;
  StreamPurpose purpose_;
  std::uint32_t first_index_;
  std::size_t count_;
  std::size_t bits_;
};

}  // namespace fhe

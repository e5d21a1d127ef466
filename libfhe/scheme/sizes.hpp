// SPDX-License-Identifier: Apache-2.0
// How large keys and ciphertexts of a parameter group are, and what recryption takes in memory:
// known before a key is made.
#pragma once

#include <cstdint>
#include <optional>

#include "libfhe/export.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe {

// In bytes, unless said otherwise.
struct FHE_EXPORT KeySizes {
  // How many bits a ciphertext holds: the sizes are those of whole ciphertexts.
  std::size_t slots = 1;

  // What each ciphertext takes in a file: its value and its noise bound. A file of m ciphertexts
  // has m times that and kCiphertextsFileBytes.
  std::uint64_t ciphertext = 0;

  // What each compressed ciphertext (SecretEncryptor) takes in a file, in BITS; nothing where the
  // scheme has none. A file of m has m times that, in whole bytes, and kCompressedFileBytes.
  std::optional<std::uint64_t> compressed_bits;

  // The whole files of the keys, the public one without permutations (KeyOptions). A passphrase
  // adds at most 120 bytes to that of the secret key.
  std::uint64_t public_key_file = 0;
  std::uint64_t secret_key_file = 0;

  // Whether the three above are exact for every key of the group. If not (GH, where the length of
  // the determinant varies) they are those of a typical key: every key of a built-in group is
  // within 0.5 % of them, and from n = 512 on as a rule within 0.05 %.
  bool exact = true;

  // ESTIMATE of the largest resident memory of a process that has loaded the public key and
  // recrypts one ciphertext with the group's own adder, on one thread of the default backend.
  // Counted are the values of the key, what the backend keeps for its modulus, the encrypted bits
  // with their transforms, the products under way, and 12.5 MB for the program `fhe` with its
  // libraries. Not counted are more threads (a second one adds up to a fifth), other ciphertexts,
  // and what encryption prepares (Encryptor::prepare). The built-in groups were measured with
  // AVX-512 IFMA: within 12 %. Other processors take other transforms: from two fifths less to a
  // fifth more.
  std::uint64_t recryption_memory = 0;

  friend bool operator==(const KeySizes&, const KeySizes&) = default;
};

// What a file of ciphertexts has beside them (libfhe/storage/FORMAT.md).
inline constexpr std::uint64_t kCiphertextsFileBytes = 280;
inline constexpr std::uint64_t kCompressedFileBytes = 324;

// The sizes of a group; nothing for a group whose keys do not encrypt bits. Makes no key, and takes
// less than a millisecond for a built-in group. Any thread may call it. Throws
// Error(out_of_memory).
[[nodiscard]] FHE_EXPORT std::optional<KeySizes> sizes_of(const ParameterSet& group);

}  // namespace fhe

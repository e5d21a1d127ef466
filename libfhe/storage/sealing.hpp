// SPDX-License-Identifier: Apache-2.0
// Bytes under a passphrase: scrypt derives a key from it, AES-256-GCM encrypts and authenticates.
// Both are OpenSSL's.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/passphrase.hpp"

namespace fhe {

// Length of the tag that follows the encrypted bytes.
inline constexpr std::size_t kSealTagBytes = 16;

// How a key is derived from a passphrase, and the nonce of its only use; new for every file.
struct FHE_EXPORT SealParameters {
  ScryptCost cost;                  // of scrypt
  std::array<std::byte, 16> salt;   // of scrypt
  std::array<std::byte, 12> nonce;  // of AES-256-GCM

  // This cost, and a new salt and nonce. Throws Error(randomness).
  static SealParameters draw(const ScryptCost& cost);
};

// The encrypted bytes and after them the tag, which covers `context` too. Throws
// Error(invalid_argument) for a cost that is not bearable and for 1 GiB of text or more, and
// Error(unsupported) when OpenSSL fails.
[[nodiscard]] FHE_EXPORT std::vector<std::byte> seal(std::span<const std::byte> plain,
                                                     const Passphrase& passphrase,
                                                     const SealParameters& parameters,
                                                     std::span<const std::byte> context);

// Puts what seal() was given into `plain`. False when the passphrase is another one, or anything
// was altered; `plain` is empty then. Throws as seal() does.
[[nodiscard]] FHE_EXPORT bool unseal(std::span<const std::byte> sealed,
                                     const Passphrase& passphrase, const SealParameters& parameters,
                                     std::span<const std::byte> context, SecretBytes& plain);

}  // namespace fhe

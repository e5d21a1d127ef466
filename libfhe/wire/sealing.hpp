// Bytes under a passphrase: scrypt makes a key of it, AES-256-GCM encrypts and authenticates. Both
// are OpenSSL's. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/secret/vector.hpp"
#include "libfhe/wire/passphrase.hpp"

namespace fhe {

inline constexpr std::size_t kSealTagBytes = 16;

// How a key is made of a passphrase, and the nonce of its only use; new for every file.
struct SealParameters {
  ScryptCost cost;
  std::array<std::byte, 16> salt;
  std::array<std::byte, 12> nonce;

  static SealParameters draw(const ScryptCost& cost);
};

// The encrypted bytes and after them the tag, which also covers `context`. Throws
// Error(invalid_argument) for a cost that is not bearable or a text of 1 GiB or more, and
// Error(unsupported) when OpenSSL fails.
[[nodiscard]] std::vector<std::byte> seal(std::span<const std::byte> plain,
                                          const Passphrase& passphrase,
                                          const SealParameters& parameters,
                                          std::span<const std::byte> context);

// What seal() was given. False when the passphrase is another one, or anything was altered;
// `plain` is empty then. Throws as seal().
[[nodiscard]] bool unseal(std::span<const std::byte> sealed, const Passphrase& passphrase,
                          const SealParameters& parameters, std::span<const std::byte> context,
                          SecretBytes& plain);

}  // namespace fhe

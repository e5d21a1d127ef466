// SPDX-License-Identifier: Apache-2.0
// Modulus switching for the DGHV family (CNT 2012, ePrint 2011/440): moves a ciphertext from the
// secret prime p of eta bits to a smaller p' of eta' bits and scales its noise down by p'/p.
//
// The rungs of a ladder of primes make a leveled scheme: multiply, switch, multiply, switch, ...
// without recryption. The owner of the secret key makes a rung; then anyone can switch.
//
// Threads: const objects may be shared by threads. The keys of a rung are saved and loaded as
// others are (scheme/files.hpp), its switching key by modulus_switch_files.hpp.
#pragma once

#include <cstddef>
#include <memory>

#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/scheme/keys.hpp"

namespace fhe::dghv {

// The size of a rung.
struct FHE_EXPORT SwitchOptions {
  std::size_t eta;    // eta', the bits of the new prime p': less than eta, at least rho + 8
  std::size_t Theta;  // length of the hidden dense vector s; the key has Theta (eta' + 1) elements
};

// The public switching key from one key to the next.
class FHE_EXPORT ModulusSwitch {
 public:
  struct Contents;
  // For make_rung().
  explicit ModulusSwitch(std::shared_ptr<const Contents> contents);

  // The key that ciphertexts are switched from, and the one that they are switched to.
  [[nodiscard]] const KeyId& source() const;
  [[nodiscard]] const KeyId& target() const;

  // A ciphertext of the same bit under the target key. Its noise bound is
  //   noise(c) 2^(eta' - eta + 1) + 2 Theta (eta' + 1) (2^rho + 1) + Theta + 4.
  // Throws Error(wrong_key) unless c belongs to source(), Error(invalid_argument) for a value that
  // is not below its modulus, Error(stopped).
  [[nodiscard]] Ciphertext apply(const Ciphertext& c, const BackendPtr& backend,
                                 const Monitor& monitor = {}) const;

  // For modulus_switch_files.hpp.
  [[nodiscard]] const Contents& contents() const { return *contents_; }

 private:
  HeldPtr<const Contents> contents_;
};

// One more rung: the switching key and the key pair that it leads to. The public key computes (use
// RefreshPolicy::never) but neither encrypts nor recrypts: both throw Error(unsupported).
struct FHE_EXPORT Rung {
  ModulusSwitch switch_key;  // public
  PublicKey public_key;      // of the pair that it leads to
  SecretKey secret_key;      // of the same pair
};

// Makes a rung. `from` is a secret key of a DGHV scheme, or that of a rung. Throws
// Error(invalid_argument) for keys of other schemes and for options out of range; Error(stopped).
[[nodiscard]] FHE_EXPORT Rung make_rung(const SecretKey& from, const SwitchOptions& options,
                                        const BackendPtr& backend, const Monitor& monitor = {});

// The same rung in every run, for tests. Throws also Error(invalid_argument) unless `from` is a
// test key: whoever knows the seed finds its prime in the switching key.
[[nodiscard]] FHE_EXPORT Rung make_rung(const SecretKey& from, const SwitchOptions& options,
                                        const TestSeed& seed, const BackendPtr& backend,
                                        const Monitor& monitor = {});

}  // namespace fhe::dghv

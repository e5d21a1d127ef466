// Modulus switching for the DGHV family (CNT 2012, ePrint 2011/440): moves a ciphertext from the
// secret prime p of eta bits to a smaller p' of eta' bits and scales its noise down by p'/p.
//
// The rungs of a ladder of primes make a leveled scheme: multiply, switch, multiply, switch, ...
// without recryption. A rung is made by the owner of the secret key; anybody can then switch.
//
// Threads: const objects may be shared. Rungs live in memory; they have no file format yet.
#pragma once

#include <cstddef>
#include <memory>

#include "libfhe/scheme/keys.hpp"

namespace fhe::dghv {

struct SwitchOptions {
  std::size_t eta;    // bits of the new prime p'; less than those of p, at least rho + 8
  std::size_t Theta;  // length of the hidden dense vector s; the key has Theta (eta' + 1) elements
};

// The public switching key from one key to the next.
class ModulusSwitch {
 public:
  struct Contents;
  explicit ModulusSwitch(std::shared_ptr<const Contents> contents);

  [[nodiscard]] const KeyId& source() const;
  [[nodiscard]] const KeyId& target() const;

  // A ciphertext of the same bit under the target key. Its noise bound is
  //   noise(c) 2^(eta' - eta + 1) + 2 Theta (eta' + 1) (2^rho + 1) + Theta + 4.
  // Throws Error(wrong_key) for a ciphertext that is not of source(), Error(invalid_argument) for a
  // value that is not below its modulus, Error(stopped).
  [[nodiscard]] Ciphertext apply(const Ciphertext& c, const BackendPtr& backend,
                                 const Monitor& monitor = {}) const;

 private:
  std::shared_ptr<const Contents> contents_;
};

// One more rung: the switching key and the key pair that it leads to. The public key computes (use
// RefreshPolicy::never) but neither encrypts nor recrypts: both throw Error(unsupported), as does
// saving.
struct Rung {
  ModulusSwitch switch_key;
  fhe::PublicKey public_key;
  fhe::SecretKey secret_key;
};

// `from` is a key of a DGHV scheme or the secret key of a rung. Throws Error(invalid_argument) for
// other schemes' keys and for options out of range; Error(stopped).
[[nodiscard]] Rung make_rung(const fhe::SecretKey& from, const SwitchOptions& options,
                             const BackendPtr& backend, const Monitor& monitor = {});

}  // namespace fhe::dghv

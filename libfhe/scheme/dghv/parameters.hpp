// The numbers that every scheme over Z/x0 shares (DGHV family: CNT, CMNT), and what follows from
// them: noise limits and the noise of refreshed ciphertexts. Not installed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/scheme/parameters.hpp"

namespace fhe::dghv {

// Largest bound on |noise| that is certainly below p/2 for a prime p of `eta` bits: what decrypts.
NoiseBound decrypt_limit(std::size_t eta);

struct Parameters {
  std::size_t lambda;             // claimed security, bits
  std::size_t rho;                // noise of the public elements, bits
  std::size_t eta;                // secret prime p, bits
  std::size_t gamma;              // modulus x0, bits
  std::size_t theta;              // ones in the squashed secret key s
  std::size_t Theta;              // length of s
  std::size_t precision;          // n: fractional bits of the expanded ciphertext z
  std::size_t kappa;              // fractional bits of y_i = u_i / 2^kappa
  std::size_t q0_prime_bits;      // size of the prime factors of q0
  std::size_t key_noise_percent;  // limit on the noise of key-bit sums, see key_sum_noise()
  std::string adder;              // adder of recryption

  // Reads and checks the shared fields. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group);

  // B: s has exactly one 1 in each block of B consecutive indices.
  [[nodiscard]] std::size_t block() const { return Theta / theta; }
  [[nodiscard]] std::size_t correction_bits() const { return eta + lambda; }

  [[nodiscard]] NoiseRule noise_rule() const;

  // Bound on the noise of any sum of encrypted key bits sigma_i of one block: key_noise_percent of
  // the worst case B * 2^(rho+1). Below 100, key generation enforces it.
  [[nodiscard]] Integer key_sum_noise() const;

  // The adder by name, or the group's own for an empty name.
  [[nodiscard]] AdderProgram adder_program(std::string_view name = {}) const;

  // Proven bound on the noise of a recrypted ciphertext: the adder run on the bounds of its inputs.
  [[nodiscard]] NoiseBound refreshed_noise(const AdderProgram& adder) const;
};

}  // namespace fhe::dghv

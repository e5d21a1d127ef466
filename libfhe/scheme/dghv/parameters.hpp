// SPDX-License-Identifier: Apache-2.0
// The numbers that every scheme over Z/x0 shares (DGHV family: CNT, CMNT), and what follows from
// them: noise limits and the noise of refreshed ciphertexts. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/noise.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::dghv {

// Largest bound on |noise| that is certainly below p/2 for a prime p of `eta` bits: what decrypts.
NoiseBound decrypt_limit(std::size_t eta);

// Bound on the noise of a recrypted ciphertext, from bounds on the noise of the bits that the adder
// sums: the adder run on them, a polynomial without negative coefficients.
NoiseBound recrypted_noise(const AdderProgram& adder, std::vector<NoiseBound> inputs);

// How the squashed key s of Theta bits is formed; 15 = theta of them are 1 in the published groups.
enum class SquashForm {
  blocks,   // s has exactly one 1 in each of theta blocks of equal size
  product,  // s_ij = s0_i s1_j, one 1 in each of 3 boxes of s0 and 5 boxes of s1: few keys are
            // possible (2^26 at Large), so they can be searched; to reproduce CMNT 2011 alone
};

// Boxes of the two vectors of the product form.
inline constexpr std::size_t kRowBoxes = 3;     // of s0
inline constexpr std::size_t kColumnBoxes = 5;  // of s1

// The word for the adder of a group that recrypts by digits (digit_program.hpp).
inline constexpr std::string_view kDigits = "digits";

// Its keys encrypt the secret bits modulo this.
inline constexpr unsigned long kDigitModulus = 32;

// What a key has for recryption by digits.
struct DigitKey {
  bool two_sets;  // encryptions of the secret bits modulo 32 beside those modulo 2, or instead
  // A recrypted ciphertext has more noise than it claims with a probability of at most
  // 2^-failure_bits, if expanded ciphertexts are as good as random; 0: never.
  std::size_t failure_bits;
};

// A modulus x0 = q0 p = 2^gamma - r with a short r; see generate_special_modulus().
struct SpecialModulus {
  std::size_t offset_bits;  // q0 is floor(2^gamma / p) less a secret number of so many bits
  std::size_t rough_bits;   // q0 has no prime factor below 2^rough_bits
};

// Consecutive indices of the secret bits, exactly one of which is 1.
struct Box {
  std::uint32_t first;
  std::uint32_t size;
  bool known;  // the 1 is at `first`, publicly
};

struct Parameters {
  std::size_t lambda;                     // claimed security, bits
  std::size_t rho;                        // noise of the public elements, bits
  std::size_t eta;                        // each secret prime p, bits
  std::size_t gamma;                      // modulus x0, bits
  std::size_t slots;                      // bits of a ciphertext, each with a prime of its own
  std::size_t theta;                      // ones in the squashed secret key s
  std::size_t Theta;                      // length of s
  std::size_t precision;                  // n: fractional bits of the expanded ciphertext z
  std::size_t kappa;                      // fractional bits of y_i = u_i / 2^kappa
  std::size_t q0_prime_bits;              // size of the prime factors of q0; 0 where x0 is special
  std::optional<SpecialModulus> special;  // where x0 is 2^gamma - r
  std::size_t key_noise_percent;   // what the noise of key-bit sums counts as, see key_sum_noise()
  std::string adder;               // adder of recryption
  SquashForm form;                 // how s is formed
  std::optional<DigitKey> digits;  // where `adder` is kDigits
  std::optional<NoiseBound> stated_noise;  // product form: see refreshed_noise(name)

  // Reads and checks the shared fields. Throws Error(invalid_parameters).
  explicit Parameters(const ParameterSet& group, SquashForm form = SquashForm::blocks);

  // What the shared fields are called in a group.
  static std::vector<std::string_view> field_names();

  // B: in the form `blocks`, s has exactly one 1 in each block of B consecutive indices.
  [[nodiscard]] std::size_t block() const { return Theta / theta; }
  // The most bits of the product of the secret primes, and of a correction.
  [[nodiscard]] std::size_t secret_bits() const { return slots * eta; }
  [[nodiscard]] std::size_t correction_bits() const { return secret_bits() + lambda; }

  // Where x0 is 2^gamma - r: the most bits of r.
  [[nodiscard]] std::size_t complement_bits() const { return eta + special->offset_bits; }

  // In the form `product`, the entries of each of s0 and s1: sqrt(Theta).
  [[nodiscard]] std::size_t side() const;

  // Whether keys have a set of encryptions of the secret bits modulo 32 beside those modulo 2.
  [[nodiscard]] bool has_digit_set() const { return digits && digits->two_sets; }

  // The encrypted key bits sigma_i have noise key_bit_factor() r_i + (secret bit i): 2, or 32 in a
  // digit key of one set; at most key_bit_noise_bits() bits of it.
  [[nodiscard]] unsigned long key_bit_factor() const;
  [[nodiscard]] std::size_t key_bit_noise_bits() const;

  // Number of secret bits, each of which is published encrypted: those of s, or s0 before s1.
  [[nodiscard]] std::size_t key_bits() const;

  // Where their ones are: the boxes, in order, cover all key_bits() indices. The product form has
  // kRowBoxes of s0 before kColumnBoxes of s1.
  [[nodiscard]] std::vector<Box> boxes() const;

  [[nodiscard]] NoiseRule noise_rule() const;

  // What the noise of sums of encrypted key bits sigma_i of one box counts as: key_noise_percent of
  // the worst case size * 2^key_bit_noise_bits(). Below 100 some boxes of a key may exceed it, but
  // not so that the noise of a recrypted ciphertext could exceed refreshed_noise(): see
  // draw_key_bit_noise(). For digit keys, whose key_noise_percent limits another sum, the worst
  // case itself.
  [[nodiscard]] Integer key_sum_noise(const Box& box) const;

  // For digit keys: bounds on the noise of the sums |a| and |b| of digit_program.hpp. That of a is
  // key_noise_percent of the largest term 2^key_bit_noise_bits(), times Theta where it is certain
  // and else times sqrt(ln 2 (failure_bits + 1) Theta), see draw_key_bit_noise().
  [[nodiscard]] NoiseBound digit_parity_noise() const;
  [[nodiscard]] NoiseBound digit_sum_noise() const;

  // Whether recryption with the adder of this name, or the group's own for an empty name, is
  // recryption by digits. Throws Error(unsupported) where keys have nothing for it.
  [[nodiscard]] bool by_digits(std::string_view name = {}) const;

  // The adder by name, or the group's own for an empty name. Not for recryption by digits.
  [[nodiscard]] AdderProgram adder_program(std::string_view name = {}) const;

  // Proven bound on the noise of a recrypted ciphertext: that of inputs with key_sum_noise().
  [[nodiscard]] NoiseBound refreshed_noise(const AdderProgram& program) const;

  // The bound that recrypted ciphertexts carry, for an adder by name as in by_digits: the proven
  // one, except for digits where DigitKey says how certain it is, and for the product form with the
  // group's own adder. No adder has a proven bound that bootstraps there, so its groups state one
  // in their field `refreshed_noise`, a statistical one, which key generation tries out with each
  // key (draw_key_bit_noise).
  [[nodiscard]] NoiseBound refreshed_noise(std::string_view name) const;

  // What all keys of the family are attacked by (libfhe/scheme/security.hpp), given how many
  // samples the public key has beside its encrypted key bits, and the noise of a new ciphertext.
  [[nodiscard]] security::Problems shared_problems(std::size_t samples, NoiseBound fresh) const;
};

}  // namespace fhe::dghv

// SPDX-License-Identifier: Apache-2.0
// Residues modulo a secret prime that tell nothing about it. Not installed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/arith/chunk_form.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

// A residue modulo p in (-p/2, p/2).
struct CenteredResidue {
  SecretLimbs magnitude;
  Limb negative;  // 0 or 1
};

// Takes a residue in [0, p) to the absolute value of the one in (-p/2, p/2), and returns whether
// that is negative, 0 or 1; for a secret odd p of as many limbs, in time that depends on their
// number alone. `scratch` has twice as many.
Limb centre(std::span<Limb> residue, std::span<const Limb> p, std::span<Limb> scratch);

// x mod p for a secret odd p and public lengths: no branch, no memory access and no instruction of
// variable time depends on the values of p and x, in the constructor as little as later. GMP's
// mpn_sec_div_r comes near, but looks the leading bits of p up in a table.
//
// Montgomery's reduction from the low end of x: with B = 2^64, n the limbs of p and N those of x,
// multiples of p are added that make the lowest N - n limbs of x vanish, one pass of n limbs each;
// what remains is x B^-(N-n) modulo p, and one Montgomery product with B^N mod p undoes that.
//
// Or, where a backend offers a form in the chunks of x: with its weights 2^(chunk bits * j) mod p,
// each slice of x gives a sum of about two chunks; these sums, each times the power of two at which
// its slice stands, are added up and reduced as above.
class SecretDivisor {
 public:
  // Requires an odd p >= 3. Dividends have at most `dividend_limbs` limbs. `form`, if there is one,
  // is for dividends and weights of these lengths, and not set.
  SecretDivisor(const Integer& p, std::size_t dividend_limbs,
                std::unique_ptr<ChunkForm> form = nullptr);

  // x mod p in [0, p). Requires 0 <= x < B^dividend_limbs.
  [[nodiscard]] SecretLimbs residue(const Integer& x) const;

  // The residue of x in (-p/2, p/2). Requires 0 <= x < B^dividend_limbs.
  [[nodiscard]] CenteredResidue centered_residue(const Integer& x) const;

 private:
  // A form with its weights.
  struct Slices {
    std::unique_ptr<const ChunkForm> form;
    std::vector<SecretLimbs> places;  // of each slice, the power of two modulo p at which it stands
    SecretLimbs undo_steps;           // B^(steps + n) mod p
    std::size_t steps;                // of the reduction of what the sums add up to
  };

  [[nodiscard]] Slices slices_of(std::unique_ptr<ChunkForm> form) const;
  [[nodiscard]] SecretLimbs residue_by_slices(const Integer& x) const;
  [[nodiscard]] SecretLimbs one() const;
  [[nodiscard]] SecretLimbs reduced(SecretLimbs x, std::size_t steps) const;
  [[nodiscard]] SecretLimbs product(const SecretLimbs& x, const SecretLimbs& y) const;
  [[nodiscard]] SecretLimbs power_of_base(std::size_t exponent) const;
  void subtract_once(SecretLimbs& x) const;

  std::size_t size_;        // n
  SecretLimbs p_;           // n + 1 limbs, as all numbers modulo p here
  Limb negated_inverse_;    // -1/p mod B
  std::size_t steps_;       // N - n
  SecretLimbs undo_steps_;  // B^N mod p
  std::optional<Slices> slices_;
};

}  // namespace fhe::dghv

// SPDX-License-Identifier: Apache-2.0
// Recryption of the DGHV family: decryption of a ciphertext under encryption. Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::dghv {

// The adder of this name, or the group's own for an empty name; none for digits. Throws as
// Parameters::by_digits and AdderProgram::named do.
std::optional<AdderProgram> adder_of_recryption(const Parameters& parameters,
                                                std::string_view name);

// An encryption of the bit of c with noise Parameters::refreshed_noise(adder). Decryption is
//
//   m = (c mod 2) xor round(sum_i s_i z_i),     z = expand(c).
//
// Block k of s has a single 1, so bit b of the number that block k contributes is the sum over the
// block of sigma_i where bit b of z_i is set: no product. The adder sums these theta numbers of n+1
// encrypted bits and rounds; without an adder, a DigitProgram does. For keys of the form `blocks`.
// In all slots alike. Requires 0 <= c < x0 and noise within refresh_limit.
std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const Ring& ring, const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor);

// The same with `sigma` for the encrypted key bits of the key: the result has in each slot the bit
// that these decrypt. With an adder only.
std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const CorrectedStream& sigma, const Ring& ring,
                                 const AdderProgram& adder, std::span<const Integer> cs,
                                 const Monitor& monitor);

// The results of a program that encrypts round(sum_i s_i z_i), xor (c mod 2).
std::vector<Integer> with_parities(const Ring& ring, const RingProgram& rounded,
                                   std::span<const Integer> cs, const Monitor& monitor);

// What recryption holds at its peak, as KeyShape::recryption_integers; the same of any program.
[[nodiscard]] std::size_t recryption_integers(const Parameters& parameters);
[[nodiscard]] std::size_t recryption_integers(const RingProgram& program, std::size_t modulus_bits);

}  // namespace fhe::dghv

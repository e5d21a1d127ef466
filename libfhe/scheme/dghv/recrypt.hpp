// SPDX-License-Identifier: Apache-2.0
// Recryption of the DGHV family: decryption of a ciphertext under encryption. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/squash.hpp"

namespace fhe::dghv {

// Sums over encrypted key bits for several recryptions at once.
//
// For each expanded ciphertext, whose masks are masks[k], the sums of Ring::selected_elements over
// the set, in its order. Masks of several are put side by side, so that the elements of the set are
// generated once for 32 / width of them.
std::vector<std::vector<Operand>> shared_sums(const Ring& ring, const CorrectedStream& set,
                                              std::size_t block_size, unsigned width,
                                              std::span<const std::vector<std::uint32_t>> masks,
                                              const Monitor& monitor);

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
// encrypted bits and rounds; without an adder, rounded_by_digits() does. Up to 8 ciphertexts share
// the passes over the key's streams, fewer where their sums would take too much memory. For keys of
// the form `blocks`. In all slots alike. Requires 0 <= c < x0 and noise within refresh_limit.
std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const Ring& ring, const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor);

// The same with `sigma` for the encrypted key bits of the key: the result has in each slot the bit
// that these decrypt. With an adder only.
std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const CorrectedStream& sigma, const Ring& ring,
                                 const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor);

// What this holds at its peak, as KeyShape::recryption_integers.
[[nodiscard]] std::size_t recryption_integers(const Parameters& parameters);

// (c mod 2) xor the bit that `rounded` encrypts.
Integer with_parity(const Ring& ring, const Operand& rounded, const Integer& c);

// The last step for every form: (c mod 2) xor the rounded sum of the numbers whose encrypted bits
// are `bits`, in the order of the adder's inputs.
Integer rounded_sum(const Ring& ring, const AdderProgram& adder, std::vector<Operand> bits,
                    const Integer& c, const Monitor& monitor);

}  // namespace fhe::dghv

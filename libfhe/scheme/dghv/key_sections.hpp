// SPDX-License-Identifier: Apache-2.0
// The file sections that keys of the DGHV family have in common (libfhe/storage/FORMAT.md).
// Not installed.
//
// Readers throw Error(malformed_file) when a section is missing, has another length than the
// parameters say, or holds an impossible value; sections may be read in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/dghv/parameters.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::dghv {

// `seed`: the name of the generator and the public seed.
void write_seed(SectionWriter& out, const StreamSeed& seed);
StreamSeed read_seed(ContainerReader& in);

// `x0`: the modulus; or, where it is special, `x0.r`: its complement r = 2^gamma - x0.
[[nodiscard]] std::string_view modulus_section(const Parameters& parameters);
void write_modulus(SectionWriter& out, const Parameters& parameters, const Integer& x0);
Integer read_modulus(ContainerReader& in, const Parameters& parameters);

// `p`: the secret primes, eta bits each, in the order of the slots.
void write_primes(SectionWriter& out, const Parameters& parameters,
                  std::span<const Integer> primes);
SecretIntegers read_primes(ContainerReader& in, const Parameters& parameters);

// Bytes of the sections of this header.
[[nodiscard]] std::uint64_t seed_bytes();
[[nodiscard]] std::uint64_t modulus_bytes(const Parameters& parameters);
[[nodiscard]] std::uint64_t primes_bytes(const Parameters& parameters);
[[nodiscard]] std::uint64_t list_bytes(std::size_t count, std::size_t bits);
[[nodiscard]] std::uint64_t u0_bytes(const Parameters& parameters);

// Of `sigma` and, for digit keys of two sets, `sigma.32`.
[[nodiscard]] std::vector<std::uint64_t> sigma_bytes(const Parameters& parameters);

// The names of all sections of a public key: those that are given and those of sigma_bytes().
[[nodiscard]] std::vector<std::string_view> with_sigma(std::vector<std::string_view> sections,
                                                       const Parameters& parameters);

// What is impossible about a modulus x0: another length than gamma bits, a small factor, or a long
// complement where it is special.
std::optional<std::string> modulus_flaw(const Integer& x0, const Parameters& parameters);

// What is impossible about a list: another count, or an integer outside [0, 2^bits).
std::optional<std::string> list_flaw(std::string_view section, std::span<const Integer> values,
                                     std::size_t count, std::size_t bits);

// What is impossible about lists of one kind: two of all their values are equal, as zeros are. Key
// generation makes equal ones with a probability of nothing. `name` is what messages call them.
std::optional<std::string> equal_values_flaw(std::string_view name,
                                             std::initializer_list<std::span<const Integer>> lists);

// A section that is a packed list of integers of `bits` bits.
void write_list(SectionWriter& out, std::string_view section, std::span<const Integer> values,
                std::size_t bits);
std::vector<Integer> read_list(ContainerReader& in, std::string_view section, std::size_t count,
                               std::size_t bits);

// `u0` (of all slots) and `sigma`, and `sigma.32` for digit keys of two sets: the squashed key.
// Schemes write and read them, in the order of the sections, with their own in between.
void write_u0(SectionWriter& out, const Parameters& parameters, const SquashedKey& key);
void write_sigma(SectionWriter& out, const Parameters& parameters, const SquashedKey& key);
std::optional<std::string> squashed_flaw(const Parameters& parameters, const SquashedKey& key);
std::vector<Integer> read_u0(ContainerReader& in, const Parameters& parameters);
SquashedKey read_squashed(ContainerReader& in, const Parameters& parameters, const StreamSeed& seed,
                          std::vector<Integer> solved);

}  // namespace fhe::dghv

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/sizes.hpp"

#include <numeric>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

namespace {

// The program with its libraries, as `fhe recrypt` takes for keys of a few kilobytes.
constexpr std::uint64_t kProgramBytes = 12'500'000;

std::uint64_t total(const std::vector<std::uint64_t>& sections) {
  return std::accumulate(sections.begin(), sections.end(), std::uint64_t{0});
}

// With the section `params`, which is the group's text.
std::uint64_t key_file_bytes(const ParameterSet& group,
                             const std::vector<std::uint64_t>& sections) {
  return container_bytes(1 + sections.size(), group.to_toml().size() + total(sections));
}

}  // namespace

std::optional<KeySizes> sizes_of(const ParameterSet& group) {
  return reporting_memory([&]() -> std::optional<KeySizes> {
    if (!group.makes_keys()) return std::nullopt;
    const Scheme& scheme = scheme_named(group.scheme());
    const KeyShape shape = scheme.shape(group);
    const std::optional<CompressedForm> compressed = scheme.compressed_form(group);
    const std::uint64_t integer = bytes_for_bits(shape.modulus_bits);
    return KeySizes{
        .slots = shape.slots,
        .ciphertext = integer + NoiseBound::kFileBytes,
        .compressed_bits = compressed ? std::optional(compressed->correction_bits) : std::nullopt,
        .public_key_file = key_file_bytes(group, shape.public_sections),
        .secret_key_file = key_file_bytes(group, shape.secret_sections),
        .exact = shape.same_for_all_keys,
        .recryption_memory =
            kProgramBytes + total(shape.public_sections) + shape.recryption_integers * integer};
  });
}

}  // namespace fhe

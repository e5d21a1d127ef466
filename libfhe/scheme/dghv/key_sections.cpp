// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/key_sections.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/complement.hpp"
#include "libfhe/arith/integer_functions.hpp"

namespace fhe::dghv {

namespace {

Integer read_single(ContainerReader& in, std::string_view section, std::size_t bits) {
  in.open_section(section, bytes_for_bits(bits), bytes_for_bits(bits));
  Integer value = in.read_integer(bits);
  in.close_section();
  return value;
}

constexpr std::string_view kSigma = "sigma";
constexpr std::string_view kDigitSigma = "sigma.32";

// Of x0, or of its complement.
std::size_t stored_modulus_bits(const Parameters& parameters) {
  return parameters.special ? parameters.complement_bits() : parameters.gamma;
}

// Small factors would make ciphertexts leak.
bool has_small_factor(const Integer& x0) {
  constexpr unsigned long kLargestTrialFactor = 1UL << 12;
  Integer primes;  // the product of them all
  mpz_primorial_ui(primes.get_mpz_t(), kLargestTrialFactor);
  return gcd(x0 % primes, primes) != 1;
}

}  // namespace

std::uint64_t seed_bytes() {
  return kStreamSeedBytes;
}

std::string_view modulus_section(const Parameters& parameters) {
  return parameters.special ? "x0.r" : "x0";
}

std::uint64_t modulus_bytes(const Parameters& parameters) {
  return bytes_for_bits(stored_modulus_bits(parameters));
}

std::uint64_t list_bytes(std::size_t count, std::size_t bits) {
  return bytes_for_bits(count * bits);
}

std::uint64_t u0_bytes(const Parameters& parameters) {
  return list_bytes(parameters.slots, parameters.kappa + 1);
}

std::vector<std::uint64_t> sigma_bytes(const Parameters& parameters) {
  return std::vector(parameters.has_digit_set() ? 2 : 1,
                     list_bytes(parameters.key_bits(), parameters.correction_bits()));
}

std::vector<std::string_view> with_sigma(std::vector<std::string_view> sections,
                                         const Parameters& parameters) {
  sections.push_back(kSigma);
  if (parameters.has_digit_set()) sections.push_back(kDigitSigma);
  return sections;
}

void write_seed(SectionWriter& out, const StreamSeed& seed) {
  out.begin_section("seed");
  out.write_seed(seed);
}

StreamSeed read_seed(ContainerReader& in) {
  in.open_section("seed", seed_bytes(), seed_bytes());
  const StreamSeed seed = in.read_seed();
  in.close_section();
  return seed;
}

void write_modulus(SectionWriter& out, const Parameters& parameters, const Integer& x0) {
  out.begin_section(modulus_section(parameters));
  out.write_integer(parameters.special ? complement_of(x0) : x0, stored_modulus_bits(parameters));
}

Integer read_modulus(ContainerReader& in, const Parameters& parameters) {
  Integer stored = read_single(in, modulus_section(parameters), stored_modulus_bits(parameters));
  return parameters.special ? Integer(power_of_two(parameters.gamma) - stored) : stored;
}

std::uint64_t primes_bytes(const Parameters& parameters) {
  return parameters.slots * bytes_for_bits(parameters.eta);
}

void write_primes(SectionWriter& out, const Parameters& parameters,
                  std::span<const Integer> primes) {
  out.begin_section("p");
  for (const Integer& p : primes) out.write_integer(p, parameters.eta);
}

SecretIntegers read_primes(ContainerReader& in, const Parameters& parameters) {
  const std::uint64_t bytes = primes_bytes(parameters);
  in.open_section("p", bytes, bytes);
  SecretIntegers primes(parameters.slots);
  for (Integer& p : primes.span()) p = in.read_integer(parameters.eta);
  in.close_section();
  return primes;
}

std::optional<std::string> modulus_flaw(const Integer& x0, const Parameters& parameters) {
  const std::size_t gamma = parameters.gamma;
  if (x0 <= 0 || bit_length(x0) != gamma || has_small_factor(x0)) {
    return fmt::format("the modulus x0 must have exactly {} bits and no small factor", gamma);
  }
  if (parameters.special && bit_length(complement_of(x0)) > parameters.complement_bits()) {
    return fmt::format("the complement of the modulus x0 must have at most {} bits",
                       parameters.complement_bits());
  }
  return std::nullopt;
}

std::optional<std::string> list_flaw(std::string_view section, std::span<const Integer> values,
                                     std::size_t count, std::size_t bits) {
  const auto fits = [bits](const Integer& x) { return x >= 0 && bit_length(x) <= bits; };
  if (values.size() == count && std::ranges::all_of(values, fits)) return std::nullopt;
  return fmt::format("'{}' must hold {} integers of at most {} bits", section, count, bits);
}

std::optional<std::string> equal_values_flaw(
    std::string_view name, std::initializer_list<std::span<const Integer>> lists) {
  if (all_different(lists)) return std::nullopt;
  return fmt::format("two values of {} are equal, which no key generation makes", name);
}

void write_list(SectionWriter& out, std::string_view section, std::span<const Integer> values,
                std::size_t bits) {
  out.begin_section(section);
  out.write_packed(values, bits);
}

std::vector<Integer> read_list(ContainerReader& in, std::string_view section, std::size_t count,
                               std::size_t bits) {
  const std::uint64_t bytes = list_bytes(count, bits);
  in.open_section(section, bytes, bytes);
  std::vector<Integer> values = in.read_packed(count, bits);
  in.close_section();
  return values;
}

void write_u0(SectionWriter& out, const Parameters& parameters, const SquashedKey& key) {
  write_list(out, "u0", key.solved, parameters.kappa + 1);
}

void write_sigma(SectionWriter& out, const Parameters& parameters, const SquashedKey& key) {
  write_list(out, kSigma, key.sigma, parameters.correction_bits());
  if (parameters.has_digit_set()) {
    write_list(out, kDigitSigma, key.digit_sigma, parameters.correction_bits());
  }
}

std::optional<std::string> squashed_flaw(const Parameters& parameters, const SquashedKey& key) {
  if (auto flaw = list_flaw("u0", key.solved, parameters.slots, parameters.kappa + 1)) return flaw;
  const std::size_t bits = parameters.correction_bits();
  const std::size_t digits = parameters.has_digit_set() ? parameters.key_bits() : 0;
  if (auto flaw = list_flaw(kSigma, key.sigma, parameters.key_bits(), bits)) return flaw;
  if (auto flaw = list_flaw(kDigitSigma, key.digit_sigma, digits, bits)) return flaw;
  return equal_values_flaw(kSigma, {key.sigma, key.digit_sigma});
}

std::vector<Integer> read_u0(ContainerReader& in, const Parameters& parameters) {
  return read_list(in, "u0", parameters.slots, parameters.kappa + 1);
}

SquashedKey read_squashed(ContainerReader& in, const Parameters& parameters, const StreamSeed& seed,
                          std::vector<Integer> solved) {
  SquashedKey key{.seed = seed, .solved = std::move(solved), .sigma = {}, .digit_sigma = {}};
  const std::size_t bits = parameters.correction_bits();
  key.sigma = read_list(in, kSigma, parameters.key_bits(), bits);
  if (parameters.has_digit_set()) {
    key.digit_sigma = read_list(in, kDigitSigma, parameters.key_bits(), bits);
  }
  return key;
}

}  // namespace fhe::dghv

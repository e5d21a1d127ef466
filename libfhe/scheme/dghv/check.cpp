// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/check.hpp"

#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "libfhe/scheme/dghv/small_factors.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

namespace {

// elements_i - corrections_i modulo p, in (-p/2, p/2].
SecretIntegers centred_residues(const CorrectedStream& x, const Integer& p, const Backend& backend,
                                const Monitor& monitor) {
  std::vector<Integer> residues = backend.residues(x.elements, p, monitor);
  SecretIntegers centred(residues.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    Integer& noise = centred[i];
    std::swap(noise, residues[i]);
    if (!x.corrections.empty()) noise -= x.corrections[i];
    mpz_fdiv_r(noise.get_mpz_t(), noise.get_mpz_t(), p.get_mpz_t());
    if (2 * noise > p) noise -= p;
  }
  return centred;
}

// The first that is `bits` bits long or longer.
std::optional<std::size_t> first_long(const SecretIntegers& noise, std::size_t bits) {
  for (std::size_t i = 0; i < noise.size(); ++i) {
    if (bit_length(noise[i]) > bits) return i;
  }
  return std::nullopt;
}

// The first that is not its secret bit modulo `modulus`.
std::optional<std::size_t> first_wrong(const SecretIntegers& noise, unsigned long modulus,
                                       std::span<const std::uint32_t> ones) {
  auto next = ones.begin();
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const bool bit = next != ones.end() && *next == i;
    if (bit) ++next;
    if (mpz_fdiv_ui(noise[i].get_mpz_t(), modulus) != (bit ? 1 : 0)) return i;
  }
  return std::nullopt;
}

// Whether the elements of a set encrypt the secret bits modulo `modulus`, with noise
// `modulus` r_i + s_i.
KeyFinding check_key_bits(const std::string& what, const CorrectedStream& set,
                          unsigned long modulus, const DghvSecretMaterial& secret,
                          const Backend& backend, const Monitor& monitor) {
  const SecretIntegers noise = centred_residues(set, secret.p(), backend, monitor);
  const std::size_t bits = secret.parameters().rho + std::bit_width(modulus) - 1;
  if (const auto i = first_long(noise, bits)) {
    return {what, false, fmt::format("number {} has more than {} bits of noise", *i, bits)};
  }
  if (const auto i = first_wrong(noise, modulus, secret.ones())) {
    return {what, false, fmt::format("number {} does not encrypt the key's bit", *i)};
  }
  return {what, true,
          fmt::format("{} of the secret bits, with at most {} bits of noise", noise.size(), bits)};
}

}  // namespace

KeyFinding check_prime(const DghvSecretMaterial& secret) {
  constexpr int kRounds = 30;
  const bool prime = mpz_probab_prime_p(secret.p().get_mpz_t(), kRounds) != 0;
  return {"secret prime", prime, prime ? "p is prime" : "p is not prime"};
}

KeyFinding check_rough(const DghvSecretMaterial& secret) {
  const std::size_t bits = secret.parameters().special->rough_bits;
  const SecretInteger q0(secret.modulus() / secret.p());
  const bool rough = SmallPrimes(bits).is_rough(q0.value(), {});
  return {"cofactor q0", rough,
          fmt::format("q0 has {} prime factor below 2^{}", rough ? "no" : "a", bits)};
}

KeyFinding check_elements(std::string_view name, const CorrectedStream& elements,
                          const DghvSecretMaterial& secret, const Backend& backend,
                          const Monitor& monitor) {
  const std::size_t rho = secret.parameters().rho;
  const SecretIntegers noise = centred_residues(elements, secret.p(), backend, monitor);
  if (const auto i = first_long(noise, rho)) {
    return {std::string(name), false,
            fmt::format("number {} has more than {} bits of noise", *i, rho)};
  }
  return {std::string(name), true,
          fmt::format("{} with at most {} bits of noise", noise.size(), rho)};
}

std::vector<KeyFinding> check_squashed(const SquashedKey& key, const DghvSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor) {
  const Parameters& p = secret.parameters();
  const bool solved = key.u0 == solve_u0(p, secret.p(), secret.ones(), key.seed);
  const PublicStream chi = key_bit_stream(p, key.seed);
  std::vector<KeyFinding> findings{{"squashed key", solved,
                                    solved ? "its secret elements add up to 2^kappa / p"
                                           : "its secret elements do not add up to 2^kappa / p"},
                                   check_key_bits("encrypted key bits", {chi, key.sigma},
                                                  p.key_bit_factor(), secret, backend, monitor)};
  if (p.has_digit_set()) {
    const PublicStream digit_chi = key_digit_stream(p, key.seed);
    findings.push_back(check_key_bits("key bits encrypted modulo 32", {digit_chi, key.digit_sigma},
                                      kDigitModulus, secret, backend, monitor));
  }
  return findings;
}

}  // namespace fhe::dghv

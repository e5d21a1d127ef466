// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/check.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/dghv/small_factors.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::dghv {

namespace {

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

// Whether the elements of a set encrypt in slot j the secret bits of slot sources[j] modulo
// `modulus`, with noise `modulus` r_i + s_i.
KeyFinding check_bits_modulo(const std::string& what, const CorrectedStream& set,
                             unsigned long modulus, std::span<const std::uint32_t> sources,
                             const DghvSecretMaterial& secret, const Backend& backend,
                             const Monitor& monitor) {
  const SlotIntegers noise = slot_noise(set, secret, backend, monitor);
  const std::size_t bits = secret.parameters().rho + std::bit_width(modulus) - 1;
  for (std::size_t j = 0; j < noise.size(); ++j) {
    if (const auto i = first_long(noise[j], bits)) {
      return {what, false, fmt::format("number {} has more than {} bits of noise", *i, bits)};
    }
    if (const auto i = first_wrong(noise[j], modulus, secret.ones(sources[j]))) {
      return {what, false, fmt::format("number {} does not encrypt the key's bit", *i)};
    }
  }
  return {
      what, true,
      fmt::format("{} of the secret bits, with at most {} bits of noise", noise[0].size(), bits)};
}

}  // namespace

KeyFinding check_prime(const PrimeSecret& secret) {
  constexpr int kRounds = 30;
  const bool prime = std::ranges::all_of(secret.primes().span(), [](const Integer& p) {
    return mpz_probab_prime_p(p.get_mpz_t(), kRounds) != 0;
  });
  return {"secret prime", prime, prime ? "p is prime" : "p is not prime"};
}

KeyFinding check_rough(const DghvSecretMaterial& secret) {
  const std::size_t bits = secret.parameters().special->rough_bits;
  const SecretInteger q0(secret.modulus() / secret.p());
  const bool rough = SmallPrimes(bits).is_rough(q0.value(), {});
  return {"cofactor q0", rough,
          fmt::format("q0 has {} prime factor below 2^{}", rough ? "no" : "a", bits)};
}

SlotIntegers slot_noise(const CorrectedStream& x, const DghvSecretMaterial& secret,
                        const Backend& backend, const Monitor& monitor) {
  const SecretPrimes& primes = secret.primes();
  std::vector<Integer> residues = backend.residues(x.elements, primes.product(), monitor);
  SlotIntegers noise;
  for (std::size_t j = 0; j < primes.size(); ++j) noise.emplace_back(residues.size());
  parallel_for(residues.size(), [&](std::size_t i) {
    SecretInteger element;
    std::swap(element.value(), residues[i]);
    if (!x.corrections.empty()) element.value() -= x.corrections[i];
    for (std::size_t j = 0; j < primes.size(); ++j) {
      set_centred(noise[j][i], element.value(), primes[j]);
    }
  });
  return noise;
}

KeyFinding check_elements(std::string_view name, const CorrectedStream& elements,
                          const DghvSecretMaterial& secret, const Backend& backend,
                          const Monitor& monitor) {
  const std::size_t rho = secret.parameters().rho;
  const SecretIntegers noise = std::move(slot_noise(elements, secret, backend, monitor).front());
  if (const auto i = first_long(noise, rho)) {
    return {std::string(name), false,
            fmt::format("number {} has more than {} bits of noise", *i, rho)};
  }
  return {std::string(name), true,
          fmt::format("{} with at most {} bits of noise", noise.size(), rho)};
}

KeyFinding check_terms(std::string_view name, const CorrectedStream& elements, std::size_t bits,
                       const Integer& own, const DghvSecretMaterial& secret, const Backend& backend,
                       const Monitor& monitor) {
  SlotIntegers noise = slot_noise(elements, secret, backend, monitor);
  for (std::size_t j = 0; j < noise.size(); ++j) {
    if (own != 0) noise[j][j] -= own;
    if (const auto i = first_long(noise[j], bits)) {
      return {std::string(name), false,
              fmt::format("number {} has more than {} bits of noise", *i, bits)};
    }
    if (const auto i = first_wrong(noise[j], 2, {})) {
      return {std::string(name), false, fmt::format("number {} has the wrong parity", *i)};
    }
  }
  return {std::string(name), true,
          fmt::format("{} with at most {} bits of noise", noise[0].size(), bits)};
}

KeyFinding check_key_bits(std::string_view name, const CorrectedStream& set,
                          std::span<const std::uint32_t> sources, const DghvSecretMaterial& secret,
                          const Backend& backend, const Monitor& monitor) {
  return check_bits_modulo(std::string(name), set, secret.parameters().key_bit_factor(), sources,
                           secret, backend, monitor);
}

std::vector<KeyFinding> check_squashed(const SquashedKey& key, const DghvSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor) {
  const Parameters& p = secret.parameters();
  std::vector<std::uint32_t> own(p.slots);
  std::iota(own.begin(), own.end(), 0);
  const bool solved = key.solved == solve(p, secret.primes(), secret.all_ones(), key.seed);
  const PublicStream chi = key_bit_stream(p, key.seed);
  std::vector<KeyFinding> findings{
      {"squashed key", solved,
       solved ? "its secret elements add up to 2^kappa / p"
              : "its secret elements do not add up to 2^kappa / p"},
      check_bits_modulo("encrypted key bits", {chi, key.sigma}, p.key_bit_factor(), own, secret,
                        backend, monitor)};
  if (p.has_digit_set()) {
    const PublicStream digit_chi = key_digit_stream(p, key.seed);
    findings.push_back(check_bits_modulo("key bits encrypted modulo 32",
                                         {digit_chi, key.digit_sigma}, kDigitModulus, own, secret,
                                         backend, monitor));
  }
  return findings;
}

}  // namespace fhe::dghv

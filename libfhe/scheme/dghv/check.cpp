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

#include "libfhe/arith/side_by_side.hpp"
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

// The first that is not its secret bit modulo `modulus`; noise[0] is that of secret bit `first`.
std::optional<std::size_t> first_wrong(const SecretIntegers& noise, unsigned long modulus,
                                       std::span<const std::uint32_t> ones, std::size_t first) {
  auto next = std::ranges::lower_bound(ones, first);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const bool bit = next != ones.end() && *next == first + i;
    if (bit) ++next;
    if (mpz_fdiv_ui(noise[i].get_mpz_t(), modulus) != (bit ? 1 : 0)) return i;
  }
  return std::nullopt;
}

// What x_i = elements_i - corrections_i are modulo the prime of each slot, in (-p/2, p/2].
SlotIntegers slot_noise(const CorrectedStream& x, const DghvSecretMaterial& secret,
                        const Backend& backend, const Monitor& monitor) {
  std::vector<Integer> residues = backend.residues(x.elements, secret.p(), monitor);
  SecretIntegers elements(residues.size());
  for (std::size_t i = 0; i < residues.size(); ++i) {
    std::swap(elements[i], residues[i]);
    if (!x.corrections.empty()) elements[i] -= x.corrections[i];
  }
  return secret.remainders(monitor).residues(std::move(elements), monitor);
}

// Elements of a public key and what they are called; a few hundred at a time, since in many slots
// they are as long as the key.
class ElementCheck {
 public:
  ElementCheck(std::string what, PublicStream chi, std::span<const Integer> corrections,
               const DghvSecretMaterial& secret, const Backend& backend, const Monitor& monitor)
      : what_(std::move(what)),
        chi_(std::move(chi)),
        corrections_(corrections),
        secret_(secret),
        backend_(backend),
        monitor_(monitor) {}

  // What `look` says first: it gets the noise of a slot in elements `first` and those that follow,
  // and returns the index there of one that is not as it must be and why, or nothing.
  using Flaw = std::optional<std::pair<std::size_t, std::string>>;
  template <class Look>
  [[nodiscard]] KeyFinding finding(const Look& look, std::string passed) const {
    KeyFinding finding{what_, true, std::move(passed)};
    piece_by_piece(chi_.count(), what_, monitor_,
                   [&](std::size_t first, std::size_t count, const Monitor& quiet) {
                     const PublicStream chi = chi_.part(first, count);
                     SlotIntegers noise = slot_noise({chi, corrections_.subspan(first, count)},
                                                     secret_, backend_, quiet);
                     for (std::size_t j = 0; j < noise.size(); ++j) {
                       if (const Flaw flaw = look(j, noise[j], first)) {
                         finding = {what_, false,
                                    fmt::format("number {} {}", first + flaw->first, flaw->second)};
                         return false;
                       }
                     }
                     return true;
                   });
    return finding;
  }

 private:
  std::string what_;
  PublicStream chi_;
  std::span<const Integer> corrections_;
  const DghvSecretMaterial& secret_;
  const Backend& backend_;
  const Monitor& monitor_;
};

std::string noise_text(std::size_t bits) {
  return fmt::format("has more than {} bits of noise", bits);
}

// Whether the elements of a set encrypt in slot j the secret bits of slot sources[j] modulo
// `modulus`, with noise `modulus` r_i + s_i.
KeyFinding check_bits_modulo(const ElementCheck& set, unsigned long modulus,
                             std::span<const std::uint32_t> sources,
                             const DghvSecretMaterial& secret) {
  const Parameters& p = secret.parameters();
  const std::size_t bits = p.rho + std::bit_width(modulus) - 1;
  const auto look = [&](std::size_t j, const SecretIntegers& noise,
                        std::size_t first) -> ElementCheck::Flaw {
    if (const auto i = first_long(noise, bits)) return std::pair(*i, noise_text(bits));
    if (const auto i = first_wrong(noise, modulus, secret.ones(sources[j]), first)) {
      return std::pair(*i, "does not encrypt the key's bit");
    }
    return std::nullopt;
  };
  return set.finding(look, fmt::format("{} of the secret bits, with at most {} bits of noise",
                                       p.key_bits(), bits));
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

KeyFinding check_elements(std::string_view name, const CorrectedStream& elements,
                          const DghvSecretMaterial& secret, const Backend& backend,
                          const Monitor& monitor) {
  const std::size_t rho = secret.parameters().rho;
  const SecretIntegers noise = std::move(slot_noise(elements, secret, backend, monitor).front());
  if (const auto i = first_long(noise, rho)) {
    return {std::string(name), false, fmt::format("number {} {}", *i, noise_text(rho))};
  }
  return {std::string(name), true,
          fmt::format("{} with at most {} bits of noise", noise.size(), rho)};
}

KeyFinding check_terms(std::string_view name, const PublicStream& chi,
                       std::span<const Integer> corrections, std::size_t bits, const Integer& own,
                       const DghvSecretMaterial& secret, const Backend& backend,
                       const Monitor& monitor) {
  const auto look = [&](std::size_t j, SecretIntegers& noise,
                        std::size_t first) -> ElementCheck::Flaw {
    if (j >= first && j - first < noise.size()) noise[j - first] -= own;
    if (const auto i = first_long(noise, bits)) return std::pair(*i, noise_text(bits));
    if (const auto i = first_wrong(noise, 2, {}, first)) {
      return std::pair(*i, "has the wrong parity");
    }
    return std::nullopt;
  };
  return ElementCheck(std::string(name), chi, corrections, secret, backend, monitor)
      .finding(look, fmt::format("{} with at most {} bits of noise", chi.count(), bits));
}

KeyFinding check_key_bits(std::string_view name, const PublicStream& chi,
                          std::span<const Integer> corrections,
                          std::span<const std::uint32_t> sources, const DghvSecretMaterial& secret,
                          const Backend& backend, const Monitor& monitor) {
  return check_bits_modulo({std::string(name), chi, corrections, secret, backend, monitor},
                           secret.parameters().key_bit_factor(), sources, secret);
}

std::vector<KeyFinding> check_squashed(const SquashedKey& key, const DghvSecretMaterial& secret,
                                       const Backend& backend, const Monitor& monitor) {
  const Parameters& p = secret.parameters();
  std::vector<std::uint32_t> own(p.slots);
  std::iota(own.begin(), own.end(), 0);
  const bool solved = key.solved == solve(p, secret.primes(), secret.all_ones(), key.seed, monitor);
  std::vector<KeyFinding> findings{{"squashed key", solved,
                                    solved ? "its secret elements add up to 2^kappa / p"
                                           : "its secret elements do not add up to 2^kappa / p"},
                                   check_key_bits("encrypted key bits", key_bit_stream(p, key.seed),
                                                  key.sigma, own, secret, backend, monitor)};
  if (p.has_digit_set()) {
    findings.push_back(
        check_bits_modulo({"key bits encrypted modulo 32", key_digit_stream(p, key.seed),
                           key.digit_sigma, secret, backend, monitor},
                          kDigitModulus, own, secret));
  }
  return findings;
}

}  // namespace fhe::dghv

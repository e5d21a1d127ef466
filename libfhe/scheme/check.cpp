// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/check.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/held.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe {

namespace {

constexpr std::array kBothBits{false, true};

// New encryptions of 0 and 1 and the same recrypted.
struct Trial {
  std::vector<Ciphertext> fresh;
  std::vector<Ciphertext> refreshed;
};

Trial trial(const PublicKey& key, const BackendPtr& backend, const Monitor& monitor) {
  const auto bound = key.context(backend);
  SystemRandom random;
  const std::vector<bool> bits(kBothBits.begin(), kBothBits.end());
  Trial trial{.fresh = bound->encrypt(bits, {}, random, monitor), .refreshed = {}};
  for (const Ciphertext& c : trial.fresh) {
    monitor.throw_if_stopped();
    trial.refreshed.push_back(bound->recrypt(c, monitor));
  }
  return trial;
}

// What can be said of a result without the secret key: it is a number that hides something.
bool looks_encrypted(const Ciphertext& c, const PublicKey& key) {
  const std::size_t bits = bit_length(c.value());
  return c.value() >= 0 && c.value() < key.modulus() && 2 * bits > bit_length(key.modulus());
}

KeyFinding check_form(const PublicKey& key, const Trial& trial) {
  const auto& [fresh, refreshed] = trial;
  const auto plain = [&key](const Ciphertext& c) { return !looks_encrypted(c, key); };
  if (std::ranges::any_of(fresh, plain) || std::ranges::any_of(refreshed, plain) ||
      fresh[0].value() == fresh[1].value() || refreshed[0].value() == refreshed[1].value()) {
    return {"trial recryption", false, "its results hide nothing: do not encrypt with this key"};
  }
  return {"trial recryption", true,
          "it runs; only the secret key can tell whether its bits are right"};
}

// Whether the ciphertext decrypts to the bit in every slot, with no more noise than it claims.
bool comes_back(const SecretKey& key, const Ciphertext& c, bool bit) {
  try {
    return std::ranges::count(Decryptor(key).decrypt_slots(c), !bit) == 0;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::noise_exceeded) return false;
    throw;
  }
}

KeyFinding check_bits(std::string_view what, const SecretKey& key,
                      const std::vector<Ciphertext>& ciphertexts) {
  for (std::size_t i = 0; i < kBothBits.size(); ++i) {
    if (comes_back(key, ciphertexts[i], kBothBits[i])) continue;
    return {std::string(what), false,
            fmt::format("a {} does not come back as one within the noise that is claimed",
                        kBothBits[i] ? 1 : 0)};
  }
  return {std::string(what), true, "0 and 1 come back within the noise that is claimed"};
}

KeyFinding check_constants(const SecretKey& key) {
  const SecretMaterial& material = key.material();
  const NoiseBound most = material.noise_rule().decrypt_limit;
  const auto is_all = [](const SecretContext::Decryption& result, std::uint8_t bit) {
    return std::ranges::all_of(result.bits, [bit](std::uint8_t own) { return own == bit; });
  };
  const bool right = is_all(material.decrypt(0, most), 0) && is_all(material.decrypt(1, most), 1);
  return {"constants", right, right ? "0 and 1 decrypt to themselves" : "0 or 1 decrypts wrongly"};
}

KeyFinding check_one_pair(const PublicKey& public_key, const SecretKey& secret_key) {
  const bool one = public_key.id() == secret_key.id() &&
                   public_key.parameters() == secret_key.parameters() &&
                   public_key.modulus() == secret_key.material().modulus();
  const std::string names =
      fmt::format("{} and {}", public_key.id().text(), secret_key.id().text());
  return {"one pair", one,
          one ? fmt::format("both are {}", public_key.id().text())
              : fmt::format("the public key is of another pair than the secret key: {}", names)};
}

}  // namespace

std::vector<KeyFinding> check_key(const PublicKey& key, const BackendPtr& backend,
                                  const Monitor& monitor) {
  return {check_form(key, trial(key, backend, monitor))};
}

std::vector<KeyFinding> check_key(const SecretKey& key) {
  const SecretWork work;
  std::vector<KeyFinding> findings =
      scheme_named(key.parameters().scheme()).check_secret(key.material());
  findings.push_back(check_constants(key));
  return findings;
}

std::vector<KeyFinding> check_key_pair(const PublicKey& public_key, const SecretKey& secret_key,
                                       const BackendPtr& backend, const Monitor& monitor) {
  const SecretWork work;
  static_cast<void>(required(backend, "the backend"));
  std::vector<KeyFinding> findings{check_one_pair(public_key, secret_key)};
  if (!all_passed(findings)) return findings;
  const Scheme& scheme = scheme_named(public_key.parameters().scheme());
  std::ranges::move(
      scheme.check_pair(public_key.material(), secret_key.material(), backend, monitor),
      std::back_inserter(findings));
  const auto [fresh, refreshed] = trial(public_key, backend, monitor);
  findings.push_back(check_bits("encryption", secret_key, fresh));
  findings.push_back(check_bits("recryption", secret_key, refreshed));
  return findings;
}

bool all_passed(const std::vector<KeyFinding>& findings) {
  return std::ranges::all_of(findings, &KeyFinding::passed);
}

}  // namespace fhe

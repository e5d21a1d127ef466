#include "libfhe/scheme/gh/check.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "libfhe/random/secret_integers.hpp"
#include "libfhe/scheme/gh/residue.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

namespace {

// Number of the pair a < b of c ciphertexts, the inverse of pair_at().
std::size_t number_of(const Pair& pair, std::size_t c) {
  return pair.a * (2 * c - pair.a - 1) / 2 + pair.b - pair.a - 1;
}

// What the key ciphertexts say: the chosen elements, or what is wrong with the ciphertexts.
struct Choice {
  std::vector<std::uint32_t> elements;  // SECRET
  std::optional<std::string> flaw;
};

// The ones of block k. Names the first ciphertext with too much noise.
std::vector<std::size_t> ones_of_block(const PublicKey& key, const SecretKey& secret, std::size_t k,
                                       std::optional<std::string>& flaw) {
  const std::size_t c = key.parameters().c;
  std::vector<std::size_t> ones;
  for (std::size_t i = 0; i < c; ++i) {
    const auto [bit, within_claim] =
        secret.decrypt(key.squashed().eta[k * c + i], key.parameters().fresh_noise());
    if (!within_claim) {
      flaw = fmt::format("number {} has more noise than a new encryption", k * c + i);
    }
    if (bit) ones.push_back(i);
  }
  return ones;
}

Choice decrypted_choice(const PublicKey& key, const SecretKey& secret, const Monitor& monitor) {
  const Parameters& p = key.parameters();
  Choice choice;
  for (std::size_t k = 0; k < p.s && !choice.flaw; ++k) {
    monitor.checkpoint();
    const std::vector<std::size_t> ones = ones_of_block(key, secret, k, choice.flaw);
    const std::size_t element =
        ones.size() == 2 ? number_of({.a = ones[0], .b = ones[1]}, p.c) : p.S;
    choice.elements.push_back(static_cast<std::uint32_t>(element));
    if (element >= p.S && !choice.flaw) {
      choice.flaw = fmt::format("those of block {} choose no element", k);
    }
  }
  return choice;
}

// Whether sum_k x_k R^idx_k = w mod d.
bool adds_up(const PublicKey& key, const SecretKey& secret, const ChosenElements& chosen,
             const Ring& ring) {
  const Parameters& p = key.parameters();
  Integer sum = -secret.w();
  for (std::size_t k = 0; k < p.s; ++k) {
    sum += ring.reduce(key.squashed().x[k] << (p.log_R * chosen[k]));
  }
  const SecretInteger rest(ring.reduce(sum));
  wipe(sum);
  return rest.value() == 0;
}

}  // namespace

std::vector<KeyFinding> check_squashed(const PublicKey& key, const SecretKey& secret,
                                       const Backend& backend, const Monitor& monitor) {
  Choice choice = decrypted_choice(key, secret, monitor);
  const ChosenElements chosen(std::move(choice.elements));
  if (choice.flaw) return {{"encrypted key bits", false, *choice.flaw}};
  const bool right = adds_up(key, secret, chosen, *backend.ring(key.modulus()));
  return {{"encrypted key bits", true,
           fmt::format("{} with the noise of new ones", key.squashed().eta.size())},
          {"squashed key", right,
           right ? "its chosen elements add up to w" : "its chosen elements do not add up to w"}};
}

}  // namespace fhe::gh

// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "libfhe/error.hpp"
#include "libfhe/scheme/gh/encryption.hpp"
#include "libfhe/scheme/gh/public_material.hpp"
#include "libfhe/scheme/gh/recrypt.hpp"

namespace fhe::gh {

GhKeyContext::GhKeyContext(const std::shared_ptr<const GhPublicMaterial>& key, KeyId id,
                           const BackendPtr& backend, const RecryptOptions& options)
    : KeyContextOf(
          key, std::move(id), backend,
          key->parameters().refreshed_noise_bound(key->parameters().adder_program(options.adder))),
      adder_(parameters().adder_program(options.adder)),
      powers_(shared_ring(), key->r(), parameters().n, parameters().h),
      operands_(key, key->squashed()) {}

std::vector<Ciphertext> GhKeyContext::encrypt(const std::vector<bool>& bits,
                                              const EncryptOptions& options, SecretRandom& random,
                                              const Monitor& monitor) const {
  if (options.sparse) {
    throw Error(ErrorCode::unsupported,
                "this scheme has no weights that could be sparse: every encryption of it is a "
                "polynomial of few terms; encrypt without the option");
  }
  monitor.throw_if_stopped();
  if (bits.empty()) return {};
  const std::vector<NoisePolynomial> noise = draw_noise(parameters(), bits.size(), random);
  const std::shared_ptr<const Powers> powers = powers_.powers_for(bits.size(), monitor);
  const auto bit_of = [&bits](std::size_t i) { return bits[i]; };
  std::vector<Ciphertext> ciphertexts;
  ciphertexts.reserve(bits.size());
  for (Integer& value : encrypt_bits(*powers, noise, bit_of, "encrypt", monitor)) {
    ciphertexts.emplace_back(std::move(value), fresh_noise(), id());
  }
  return ciphertexts;
}

std::shared_ptr<const KeyOperands> GhKeyContext::kept_key() const {
  const std::lock_guard lock(guard_);
  if (!kept_) kept_ = std::make_shared<const KeyOperands>(operands_.kept_by(ring()));
  return kept_;
}

std::vector<Ciphertext> GhKeyContext::recrypt_all(const std::vector<Ciphertext>& cs,
                                                  const Monitor& monitor) const {
  const std::shared_ptr<const KeyOperands> key = kept_key();
  return refreshed(gh::recrypt_all(parameters(), *key, ring(), adder_, values_of(cs), monitor));
}

}  // namespace fhe::gh

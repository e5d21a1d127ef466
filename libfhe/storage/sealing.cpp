// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/sealing.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include <openssl/evp.h>

#include "libfhe/openssl_errors.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe {

namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Free {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free>;

unsigned char* raw(std::span<std::byte> bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

void require(bool ok) {
  if (ok) return;
  throw_openssl_failure(ErrorCode::unsupported, "OpenSSL's scrypt or AES-256-GCM failed");
}

void require_bearable(std::size_t bytes, const ScryptCost& cost) {
  if (bytes < kMostBytes && cost.is_bearable()) return;
  throw Error(ErrorCode::invalid_argument,
              "the cost of a passphrase is at most 1 GiB of work (128 r 2^log_n p bytes), and what "
              "it protects is shorter than 1 GiB");
}

SecretBytes key_of(const Passphrase& passphrase, const SealParameters& parameters) {
  const auto& [log_n, r, p] = parameters.cost;
  constexpr std::uint64_t kSlack = std::uint64_t{1} << 20;
  const std::uint64_t memory = (std::uint64_t{128} * r << log_n) + std::uint64_t{128} * r * p;
  const auto text = passphrase.bytes();
  SecretBytes key(kKeyBytes);
  require_openssl();
  require(EVP_PBE_scrypt(reinterpret_cast<const char*>(text.data()), text.size(),
                         raw(parameters.salt), parameters.salt.size(), std::uint64_t{1} << log_n, r,
                         p, memory + kSlack, raw(std::span(key)), kKeyBytes) == 1);
  return key;
}

// With the key, the nonce and the context taken in.
Cipher started(bool encrypt, const Passphrase& passphrase, const SealParameters& parameters,
               std::span<const std::byte> context) {
  const SecretBytes key = key_of(passphrase, parameters);
  Cipher cipher(EVP_CIPHER_CTX_new());
  int taken = 0;
  require(cipher != nullptr &&
          EVP_CipherInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, raw(key),
                            raw(parameters.nonce), encrypt ? 1 : 0) == 1 &&
          EVP_CipherUpdate(cipher.get(), nullptr, &taken, raw(context),
                           static_cast<int>(context.size())) == 1);
  return cipher;
}

void update(const Cipher& cipher, std::span<std::byte> out, std::span<const std::byte> in) {
  int done = 0;
  require(in.empty() || EVP_CipherUpdate(cipher.get(), raw(out), &done, raw(in),
                                         static_cast<int>(in.size())) == 1);
}

}  // namespace

SealParameters SealParameters::draw(const ScryptCost& cost) {
  SealParameters parameters{.cost = cost, .salt = {}, .nonce = {}};
  fill_public(parameters.salt);
  fill_public(parameters.nonce);
  return parameters;
}

std::vector<std::byte> seal(std::span<const std::byte> plain, const Passphrase& passphrase,
                            const SealParameters& parameters, std::span<const std::byte> context) {
  require_bearable(plain.size(), parameters.cost);
  const Cipher cipher = started(true, passphrase, parameters, context);
  std::vector<std::byte> sealed(plain.size() + kSealTagBytes);
  const auto tag = std::span(sealed).last(kSealTagBytes);
  update(cipher, sealed, plain);
  int done = 0;
  require(EVP_CipherFinal_ex(cipher.get(), raw(tag), &done) == 1 &&
          EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kSealTagBytes, raw(tag)) == 1);
  return sealed;
}

bool unseal(std::span<const std::byte> sealed, const Passphrase& passphrase,
            const SealParameters& parameters, std::span<const std::byte> context,
            SecretBytes& plain) {
  require_bearable(sealed.size(), parameters.cost);
  plain = SecretBytes();
  if (sealed.size() < kSealTagBytes) return false;
  const auto text = sealed.first(sealed.size() - kSealTagBytes);
  std::array<std::byte, kSealTagBytes> tag;
  std::ranges::copy(sealed.last(kSealTagBytes), tag.begin());
  const Cipher cipher = started(false, passphrase, parameters, context);
  SecretBytes opened(text.size());
  update(cipher, opened, text);
  require(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kSealTagBytes, tag.data()) == 1);
  std::array<unsigned char, kSealTagBytes> rest;
  int done = 0;
  if (EVP_CipherFinal_ex(cipher.get(), rest.data(), &done) != 1) return false;
  plain = std::move(opened);
  return true;
}

}  // namespace fhe

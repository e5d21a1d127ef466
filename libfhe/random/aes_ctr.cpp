// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/aes_ctr.hpp"

#include <algorithm>

#include <openssl/sha.h>

#include "libfhe/openssl_errors.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe {

namespace {

void require_cipher(int ok) {
  if (ok != 1) throw_openssl_failure(ErrorCode::randomness, "OpenSSL's AES-128-CTR failed");
}

void put_big_endian(std::uint64_t value, unsigned char* out) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<unsigned char>(value >> (56 - 8 * i));
}

}  // namespace

AesCtr::AesCtr(const std::array<std::byte, 16>& key) {
  require_openssl();
  context_.reset(EVP_CIPHER_CTX_new());
  require_cipher(context_ != nullptr ? 1 : 0);
  require_cipher(EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ctr(), nullptr,
                                    reinterpret_cast<const unsigned char*>(key.data()), nullptr));
}

AesCtr AesCtr::keyed_by(std::span<const std::byte> material) {
  require_openssl();
  std::array<std::byte, SHA256_DIGEST_LENGTH> digest;
  std::array<std::byte, 16> key;
  const auto* const text = reinterpret_cast<const unsigned char*>(material.data());
  if (SHA256(text, material.size(), reinterpret_cast<unsigned char*>(digest.data())) == nullptr) {
    throw_openssl_failure(ErrorCode::randomness, "OpenSSL's SHA-256 failed");
  }
  std::ranges::copy_n(digest.begin(), key.size(), key.begin());
  wipe(digest);
  AesCtr cipher(key);
  wipe(key);
  return cipher;
}

void AesCtr::generate(std::uint64_t high, std::uint64_t low, std::span<std::byte> out) {
  std::array<unsigned char, 16> counter;
  put_big_endian(high, counter.data());
  put_big_endian(low, counter.data() + 8);
  require_cipher(EVP_EncryptInit_ex(context_.get(), nullptr, nullptr, nullptr, counter.data()));
  std::ranges::fill(out, std::byte{0});
  while (!out.empty()) {
    const auto piece = out.first(std::min(out.size(), kMostOpenSslBytes));
    auto* const bytes = reinterpret_cast<unsigned char*>(piece.data());
    int written = 0;
    require_cipher(
        EVP_EncryptUpdate(context_.get(), bytes, &written, bytes, static_cast<int>(piece.size())));
    out = out.subspan(piece.size());
  }
}

}  // namespace fhe

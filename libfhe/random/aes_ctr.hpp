// SPDX-License-Identifier: Apache-2.0
// AES-128 in counter mode over OpenSSL: key stream from any block on. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <openssl/evp.h>

namespace fhe {

class AesCtr {
 public:
  explicit AesCtr(const std::array<std::byte, 16>& key);

  // Fills `out` with the key stream that starts at counter block (high, low), where the 128-bit
  // counter is high * 2^64 + low, most significant byte first. One thread at a time.
  // Throws Error(randomness) when OpenSSL fails.
  void generate(std::uint64_t high, std::uint64_t low, std::span<std::byte> out);

  // The cipher whose key is the first half of SHA-256(material). Throws Error(randomness).
  static AesCtr keyed_by(std::span<const std::byte> material);

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

// Key stream handed out from its start on, each piece from a new block.
class AesKeyStream {
 public:
  explicit AesKeyStream(AesCtr cipher) : cipher_(std::move(cipher)) {}

  // One thread at a time. Throws Error(randomness) when OpenSSL fails.
  void fill(std::span<std::byte> out) {
    constexpr std::size_t kBlockBytes = 16;
    cipher_.generate(0, next_block_, out);
    next_block_ += (out.size() + kBlockBytes - 1) / kBlockBytes;
  }

 private:
  AesCtr cipher_;
  std::uint64_t next_block_ = 0;
};

}  // namespace fhe

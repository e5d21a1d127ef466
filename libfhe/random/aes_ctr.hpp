// SPDX-License-Identifier: Apache-2.0
// AES-128 in counter mode over OpenSSL: key stream from any block on. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <openssl/evp.h>

namespace fhe {

class AesCtr {
 public:
  explicit AesCtr(const std::array<std::byte, 16>& key);

  // Fills `out` with the key stream that starts at counter block (high, low), where the 128-bit
  // counter is high * 2^64 + low, most significant byte first. One thread at a time.
  // Throws Error(randomness) when OpenSSL fails.
  void generate(std::uint64_t high, std::uint64_t low, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context_;
};

}  // namespace fhe

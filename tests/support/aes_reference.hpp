// SPDX-License-Identifier: Apache-2.0
// The AES-128 key stream one counter block at a time, straight from OpenSSL's block cipher.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include <openssl/evp.h>

namespace fhe::test {

using AesBlock = std::array<unsigned char, 16>;

// Encrypts single blocks in ECB mode, which is the block cipher itself.
class AesReference {
 public:
  explicit AesReference(const AesBlock& key) : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
    require(EVP_EncryptInit_ex(context_.get(), EVP_aes_128_ecb(), nullptr, key.data(), nullptr));
    require(EVP_CIPHER_CTX_set_padding(context_.get(), 0));
  }

  AesBlock encrypt(const AesBlock& block) {
    AesBlock result;
    int written = 0;
    require(EVP_EncryptUpdate(context_.get(), result.data(), &written, block.data(), 16));
    return result;
  }

  // `size` bytes of key stream from the 128-bit counter high * 2^64 + low on.
  std::vector<std::byte> key_stream(std::uint64_t high, std::uint64_t low, std::size_t size) {
    std::vector<std::byte> stream;
    while (stream.size() < size) {
      for (const unsigned char byte : encrypt(counter_block(high, low))) {
        if (stream.size() < size) stream.push_back(std::byte{byte});
      }
      if (++low == 0) ++high;
    }
    return stream;
  }

 private:
  static void require(int ok) {
    if (ok != 1) throw std::runtime_error("OpenSSL failed");
  }

  static AesBlock counter_block(std::uint64_t high, std::uint64_t low) {
    AesBlock block;
    for (std::size_t i = 0; i < 8; ++i) {
      block[i] = static_cast<unsigned char>(high >> (56 - 8 * i));
      block[8 + i] = static_cast<unsigned char>(low >> (56 - 8 * i));
    }
    return block;
  }

  std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

}  // namespace fhe::test

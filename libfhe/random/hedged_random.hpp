// SPDX-License-Identifier: Apache-2.0
// Secret randomness that does not repeat even where its source does. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "libfhe/random/aes_ctr.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// The key stream of AES-128-CTR under SHA-256 of
//
//   32 bytes of the source | facts of the moment | the context.
//
// For encryption: two calls on different plaintexts that drew the same would lose the key of an
// owner who encrypts, and show the difference of the plaintexts under a public key. A source
// repeats in a virtual machine that is restored twice from one snapshot, in a copied process, or
// where it is broken. The facts are 32 bytes of the kernel (which learns when its machine was
// restored), the process, two clocks, and a number that counts the calls of the process. The
// context is what is encrypted and under which key: so even where everything else repeats, only a
// call that is the same in all draws the same, and what it makes is the same too.
//
// A test source is not mixed with facts, so that a test can be repeated.
class HedgedRandom final : public SecretRandom {
 public:
  // Throws Error(randomness) when the source, the kernel or OpenSSL fails.
  HedgedRandom(SecretRandom& source, std::span<const std::byte> context);

  void fill(std::span<std::byte> out) override { stream_.fill(out); }
  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override;
  [[nodiscard]] bool is_test() const override { return is_test_; }

 private:
  HedgedRandom(SecretBytes material, bool is_test);

  SecretBytes material_;  // what is hashed
  bool is_test_;
  AesKeyStream stream_;
};

// The context of an encryption: the key, and the numbers or bits that are encrypted under it, row
// by row and each row with its length. So rows at other places of a batch are another context.
template <class Rows>
SecretBytes encryption_context(std::span<const std::byte> key, const Rows& rows) {
  SecretBytes context(key.begin(), key.end());
  const auto append = [&context](std::uint64_t number) {
    const auto bytes = std::as_bytes(std::span(&number, 1));
    context.insert(context.end(), bytes.begin(), bytes.end());
  };
  for (const auto& row : rows) {
    append(row.size());
    for (const auto value : row) append(value);
  }
  return context;
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// The expansion of a ciphertext, by which recryption decrypts it under encryption.
#pragma once

#include <cstdint>
#include <vector>

#include "libfhe/scheme/dghv/squash.hpp"
#include "tests/support/backends.hpp"

namespace fhe::test {

// z_i = c y_i mod 2 rounded to n fractional bits, as n + 1 bits with the integer bit on top.
inline std::vector<std::uint32_t> expanded(const dghv::Parameters& parameters,
                                           const dghv::SquashedKey& key, const Integer& c) {
  const BackendPtr backend = open_backend();
  const WindowSpec spec = dghv::window_spec(parameters);
  std::vector<std::uint32_t> z =
      backend->product_windows(c, StoredStream(key.solved, spec.modulus_bits), spec, {});
  const std::vector<std::uint32_t> rest =
      backend->product_windows(c, dghv::squash_stream(parameters, key.seed), spec, {});
  z.insert(z.end(), rest.begin(), rest.end());
  return z;
}

}  // namespace fhe::test

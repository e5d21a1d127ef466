// SPDX-License-Identifier: Apache-2.0
#include "libfhe/secret/wipe.hpp"

#include <openssl/crypto.h>

namespace fhe {

void wipe(std::span<std::byte> memory) noexcept {
  if (!memory.empty()) OPENSSL_cleanse(memory.data(), memory.size());
}

void wipe(mpz_class& secret) noexcept {
  const auto allocated = static_cast<std::size_t>(secret.get_mpz_t()->_mp_alloc);
  if (allocated > 0) OPENSSL_cleanse(secret.get_mpz_t()->_mp_d, allocated * sizeof(mp_limb_t));
  secret.get_mpz_t()->_mp_size = 0;
}

}  // namespace fhe

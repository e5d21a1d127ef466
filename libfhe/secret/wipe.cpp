// SPDX-License-Identifier: Apache-2.0
#include "libfhe/secret/wipe.hpp"

#include <string.h>  // NOLINT(modernize-deprecated-headers): explicit_bzero is not in <cstring>

namespace fhe {

// By the C library, whose memset is many times faster than OPENSSL_cleanse: a single decryption
// overwrites 128 KiB of stack.
void wipe(std::span<std::byte> memory) noexcept {
  if (!memory.empty()) ::explicit_bzero(memory.data(), memory.size());
}

void wipe(mpz_class& secret) noexcept {
  const auto allocated = static_cast<std::size_t>(secret.get_mpz_t()->_mp_alloc);
  wipe(std::as_writable_bytes(std::span(secret.get_mpz_t()->_mp_d, allocated)));
  secret.get_mpz_t()->_mp_size = 0;
}

}  // namespace fhe

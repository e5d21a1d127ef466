// SPDX-License-Identifier: Apache-2.0
#include "libfhe/openssl_errors.hpp"

#include <cerrno>
#include <new>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/err.h>

namespace fhe {

// Who starts it first decides whether it ends in exit(): it does not, because destructors of static
// objects that are older than that use it later, and would crash.
void require_openssl() {
  if (OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, nullptr) != 1 ||
      OSSL_LIB_CTX_get0_global_default() == nullptr) {
    throw std::bad_alloc();
  }
}

void throw_openssl_failure(ErrorCode code, std::string_view message) {
  // What fails to be allocated may be the queue.
  bool no_memory = errno == ENOMEM;
  while (const unsigned long reason = ERR_get_error()) {
    no_memory |= ERR_GET_REASON(reason) == ERR_R_MALLOC_FAILURE;
  }
  if (no_memory) throw std::bad_alloc();
  throw Error(code, fmt::format("{}, perhaps for want of memory", message));
}

}  // namespace fhe

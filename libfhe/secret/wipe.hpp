// SPDX-License-Identifier: Apache-2.0
// Overwriting memory that held a secret.
#pragma once

#include <cstddef>
#include <span>

#include <gmpxx.h>

#include "libfhe/export.hpp"

namespace fhe {

// Overwrites memory in a way that the compiler does not remove.
FHE_EXPORT void wipe(std::span<std::byte> memory) noexcept;

// Overwrites the limbs of an integer that held a secret and sets it to 0. Copies that GMP made and
// freed while it computed are wiped by its memory functions (arith/gmp_memory.hpp).
FHE_EXPORT void wipe(mpz_class& secret) noexcept;

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// Integers to and from NTL.
#pragma once

#include <NTL/ZZ.h>

#include "libfhe/arith/integer.hpp"

namespace fhe::attack {

[[nodiscard]] NTL::ZZ to_ntl(const Integer& x);
[[nodiscard]] Integer from_ntl(const NTL::ZZ& x);

}  // namespace fhe::attack

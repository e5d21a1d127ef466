// SPDX-License-Identifier: Apache-2.0
// What things take in memory while a ciphertext is recrypted, in integers of the modulus's size,
// for the estimate of sizes.hpp. As measured on the default backend where it is fastest. Not
// installed.
#pragma once

#include <cstddef>

namespace fhe {

// A prepared operand: the integer and a spectrum of 6 to 7 times its size, in pooled memory that
// may be a third longer.
inline constexpr std::size_t kPreparedIntegers = 9;

// The ring with its spectra and the tables of its transforms, and a product that is under way.
inline constexpr std::size_t kRingIntegers = 45;

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// What recryption by digits leaves. Not installed.
#pragma once

#include "libfhe/scheme/noise.hpp"

namespace fhe::dghv {

// A bound on the noise of what recrypt_by_digits() makes, from bounds on |a| and |b|: top_digit()
// run on them with every term counted as positive, and c mod 2.
NoiseBound digit_noise(NoiseBound a, NoiseBound b);

}  // namespace fhe::dghv

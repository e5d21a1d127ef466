// SPDX-License-Identifier: Apache-2.0
// Products of integers by the FFT paper's transform on counting words: modulo p = 2^64 - 2^32 + 1,
// digits of 24 bits, radix 16 with powers of 2^12 for its roots.
#pragma once

#include "apps/bench/counts/word.hpp"

namespace fhe::bench {

// a b in a.size() + b.size() words. Requires a.size() == b.size() = 3 * 16^k / 16, k = 1 ... 4: the
// words of 16^k / 2 digits.
Words multiply_fft(const Words& a, const Words& b);

}  // namespace fhe::bench

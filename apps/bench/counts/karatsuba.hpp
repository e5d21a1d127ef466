// SPDX-License-Identifier: Apache-2.0
// Products of integers by Karatsuba's method on counting words.
#pragma once

#include "apps/bench/counts/word.hpp"

namespace fhe::bench {

// a b in a.size() + b.size() words. Requires a.size() == b.size() >= 1.
Words multiply_karatsuba(const Words& a, const Words& b);

}  // namespace fhe::bench

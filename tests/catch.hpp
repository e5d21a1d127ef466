// SPDX-License-Identifier: Apache-2.0
// Catch2, whichever of version 3 and version 2 is installed, under the names of version 3.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>

namespace Catch::Matchers {

template <class T>
using MatcherBase = Impl::MatcherBase<T>;

inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}

}  // namespace Catch::Matchers
#endif

#include <string>

#include <gmpxx.h>

// Failed checks show integers in hexadecimal, and of long ones the ends and the length.
template <>
struct Catch::StringMaker<mpz_class> {
  static std::string convert(const mpz_class& x) {
    constexpr std::size_t kShown = 24;
    const std::string digits = mpz_class(abs(x)).get_str(16);
    const std::string sign = x < 0 ? "-0x" : "0x";
    if (digits.size() <= 3 * kShown) return sign + digits;
    return sign + digits.substr(0, kShown) + "..." + digits.substr(digits.size() - kShown) + " (" +
           std::to_string(mpz_sizeinbase(x.get_mpz_t(), 2)) + " bits)";
  }
};

// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the hardware by its definitions: what the modules must compute.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gmpxx.h>

namespace fhe::test {

__extension__ using Wide = unsigned __int128;

inline constexpr std::uint64_t kModulus = 0xffffffff00000001;  // 2^64 - 2^32 + 1
inline constexpr std::uint64_t kRoot = 0xdc9218a86d10f3a3;     // of order 65,536

inline std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Wide>(a) * b % kModulus);
}

inline std::uint64_t add_mod(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<Wide>(a) + b) % kModulus);
}

inline std::uint64_t power_mod(std::uint64_t base, std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = multiply_mod(base, base)) {
    if (exponent & 1) result = multiply_mod(result, base);
  }
  return result;
}

using Lanes = std::array<std::uint64_t, 16>;

// X(k) = sum of x(n) 2^(12 n k), or 2^(-12 n k): FFT paper, eqs. (8) and (9) without its 1/16.
inline Lanes transform16(const Lanes& x, bool inverse) {
  Lanes powers{};
  for (std::size_t i = 0; i < 16; ++i) powers[i] = power_mod(2, 12 * (inverse ? 16 - i : i));
  Lanes result{};
  for (std::size_t k = 0; k < 16; ++k) {
    for (std::size_t n = 0; n < 16; ++n) {
      result[k] = add_mod(result[k], multiply_mod(x[n] % kModulus, powers[n * k % 16]));
    }
  }
  return result;
}

// Words that carry, fold and wrap; then random ones.
class Words {
 public:
  explicit Words(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t random() { return engine_(); }
  std::uint64_t below(std::uint64_t bound) { return engine_() % bound; }
  bool coin() { return (engine_() & 1) != 0; }

  // Any 64 bits: every second time an awkward word.
  std::uint64_t word() {
    static constexpr std::array<std::uint64_t, 14> kAwkward = {0,
                                                               1,
                                                               2,
                                                               0xffffffff,
                                                               0x100000000,
                                                               0x1ffffffff,
                                                               0xfffffffe00000000,
                                                               0xfffffffeffffffff,
                                                               kModulus - 1,
                                                               kModulus,
                                                               kModulus + 1,
                                                               0xffffffff00000000,
                                                               ~std::uint64_t{0} - 1,
                                                               ~std::uint64_t{0}};
    switch (below(4)) {
      case 0:
        return kAwkward[below(kAwkward.size())];
      case 1:
        return std::uint64_t{1} << below(64);
      default:
        return random();
    }
  }

  std::uint64_t residue() { return word() % kModulus; }

 private:
  std::mt19937_64 engine_;
};

// The value of limbs, the lowest first.
template <class Limbs>
mpz_class integer_of(const Limbs& limbs) {
  mpz_class result;
  mpz_import(result.get_mpz_t(), limbs.size(), -1, sizeof(limbs[0]), 0, 0, limbs.data());
  return result;
}

// The lowest `count` limbs of x >= 0.
inline std::vector<std::uint64_t> limbs_of_integer(const mpz_class& x, std::size_t count) {
  std::vector<std::uint64_t> result(count);
  for (std::size_t i = 0; i < count && i < mpz_size(x.get_mpz_t()); ++i) {
    result[i] = mpz_getlimbn(x.get_mpz_t(), static_cast<mp_size_t>(i));
  }
  return result;
}

}  // namespace fhe::test

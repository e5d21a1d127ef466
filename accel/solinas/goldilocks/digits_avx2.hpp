// Integers to digits with AVX2 (see engine.hpp). Eight digits of b bits are b bytes, so groups of
// eight begin at whole bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include <immintrin.h>

namespace fhe::solinas::goldilocks {

namespace {

// Four digits of a group of eight, from two loads of 16 bytes with two digits each: the first of
// digits d and d + 1 at byte floor(d b / 8). Each lane of 64 bits gets eight bytes from the one on
// where its digit begins, and 7 + 28 <= 64.
struct FourDigits {
  std::size_t low_byte;
  std::size_t high_byte;
  __m256i bytes;
  __m256i shift;

  FourDigits(unsigned first, unsigned bits)
      : low_byte(first * bits / 8), high_byte((first + 2) * bits / 8) {
    alignas(32) std::uint8_t from[32];
    alignas(32) std::uint64_t begin[4];
    for (unsigned lane = 0; lane < 4; ++lane) {
      const unsigned bit = (first + lane) * bits - (first + lane / 2 * 2) * bits / 8 * 8;
      begin[lane] = bit % 8;
      for (unsigned k = 0; k < 8; ++k) {
        from[8 * lane + k] = static_cast<std::uint8_t>(bit / 8 + k);
      }
    }
    bytes = _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    shift = _mm256_load_si256(reinterpret_cast<const __m256i*>(begin));
  }

  [[gnu::always_inline]] __m256i load(const unsigned char* group, __m256i mask) const {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(group + low_byte));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(group + high_byte));
    const __m256i wide = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), bytes);
    return _mm256_and_si256(_mm256_srlv_epi64(wide, shift), mask);
  }
};

void split_avx2(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                unsigned bits) {
  const FourDigits low(0, bits);
  const FourDigits high(4, bits);
  const __m256i mask = _mm256_set1_epi64x((1LL << bits) - 1);
  const auto* from = reinterpret_cast<const unsigned char*>(limbs);
  for (std::size_t i = 0; i < count; i += 8, from += bits) {
    auto* to = reinterpret_cast<__m256i*>(digits + i);
    _mm256_store_si256(to, low.load(from, mask));
    _mm256_store_si256(to + 1, high.load(from, mask));
  }
}

}  // namespace

}  // namespace fhe::solinas::goldilocks

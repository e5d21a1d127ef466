// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/counts/fourier.hpp"

#include <array>
#include <bit>
#include <span>

namespace fhe::bench {

namespace {

constexpr std::uint64_t kPrimeValue = 0xffffffff00000001;
// Of order 65536; its power 4096 is 2^12. The root that the paper prints has another order.
constexpr std::uint64_t kRootValue = 0xdc9218a86d10f3a3;
constexpr std::size_t kMaxPoints = 65536;
constexpr std::size_t kRadix = 16;
constexpr unsigned kDigitBits = 24;

// Constants, kept in registers by the code that is counted.
constexpr CountedWord kZero;
constexpr CountedWord kPrime(kPrimeValue);
constexpr CountedWord kEpsilon(0xffffffff);  // 2^64 mod p
constexpr CountedWord kDigitMask((1U << kDigitBits) - 1);

// All values below are in [0, p).
CountedWord add(CountedWord a, CountedWord b) {
  const CountedWord sum = a + b;
  const CountedWord overflow = less(sum, a);
  const CountedWord reduced = sum + kEpsilon;  // sum - p modulo 2^64
  const CountedWord exceeds = less(reduced, kEpsilon);
  return select(exceeds, reduced, select(overflow, reduced, sum));
}

CountedWord subtract(CountedWord a, CountedWord b) {
  const CountedWord borrow = less(a, b);
  const CountedWord difference = a - b;
  return select(borrow, difference + kPrime, difference);
}

// high 2^64 + low modulo p: with high = 2^32 t + h it is low - t + (2^32 - 1) h.
CountedWord reduce(CountedWord low, CountedWord high) {
  const CountedWord top = high >> 32;
  const CountedWord middle = high & kEpsilon;
  const CountedWord borrow = less(low, top);
  const CountedWord difference = low - top;
  const CountedWord first = select(borrow, difference + kPrime, difference);
  const CountedWord second = (middle << 32) - middle;
  const CountedWord sum = first + second;
  const CountedWord overflow = less(sum, second);
  const CountedWord reduced = sum + kEpsilon;
  const CountedWord exceeds = less(reduced, kEpsilon);
  return select(exceeds, reduced, select(overflow, reduced, sum));
}

CountedWord multiply(CountedWord a, CountedWord b) {
  const CountedWord::Product product = CountedWord::multiply(a, b);
  return reduce(product.low(), product.high());
}

// x 2^bits modulo p, 0 <= bits < 96.
CountedWord shift(CountedWord x, unsigned bits) {
  if (bits == 0) return x;
  if (bits < 64) return reduce(x << bits, x >> (64 - bits));
  // 2^64 x = (2^32 - 1) x, of 96 bits
  const CountedWord low = x << 32;
  const CountedWord borrow = less(low, x);
  return shift(reduce(low - x, (x >> 32) - borrow), bits - 64);
}

using Butterfly = std::array<CountedWord, kRadix>;

// X_k = sum of x_j 2^(12 j k); X_k is left where the reversed bits of k point to.
void forward_butterfly(Butterfly& x) {
  for (std::size_t half = kRadix / 2; half >= 1; half /= 2) {
    const auto step = static_cast<unsigned>(96 / half);
    for (std::size_t start = 0; start < kRadix; start += 2 * half) {
      for (std::size_t i = 0; i < half; ++i) {
        const CountedWord u = x[start + i];
        const CountedWord v = x[start + i + half];
        x[start + i] = add(u, v);
        x[start + i + half] = shift(subtract(u, v), step * static_cast<unsigned>(i));
      }
    }
  }
}

// The inverse but for the factor 16: 2^-b = -2^(96 - b) turns sums and differences round.
void inverse_butterfly(Butterfly& x) {
  for (std::size_t half = 1; half < kRadix; half *= 2) {
    const auto step = static_cast<unsigned>(96 / half);
    for (std::size_t start = 0; start < kRadix; start += 2 * half) {
      for (std::size_t i = 0; i < half; ++i) {
        const CountedWord u = x[start + i];
        const CountedWord v = x[start + i + half];
        const CountedWord turned = i == 0 ? v : shift(v, 96 - step * static_cast<unsigned>(i));
        x[start + i] = i == 0 ? add(u, turned) : subtract(u, turned);
        x[start + i + half] = i == 0 ? subtract(u, turned) : add(u, turned);
      }
    }
  }
}

std::size_t reversed_bits(std::size_t k) {
  return (k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3;
}

// The powers of the root of order 65536. A table of the program: making it is not counted.
const Words& powers() {
  static const Words table = [] {
    const WordCounts before = CountedWord::counts();
    Words result(kMaxPoints, CountedWord(1));
    for (std::size_t i = 1; i < kMaxPoints; ++i) {
      result[i] = multiply(result[i - 1], CountedWord(kRootValue));
    }
    CountedWord::counts() = before;
    return result;
  }();
  return table;
}

// One sample of a butterfly times w^exponent; trivial factors are left out.
void twist(CountedWord& sample, std::size_t exponent) {
  if (exponent != 0) sample = multiply(sample, powers()[exponent]);
}

// Calls `work(samples, e, span)` for each butterfly of a layer of blocks of `span` points, 16
// samples at a distance of span / 16 from the e-th of the block on, and stores the samples.
template <class Work>
void for_butterflies(std::span<CountedWord> points, std::size_t span, Work work) {
  const std::size_t distance = span / kRadix;
  for (std::size_t block = 0; block < points.size(); block += span) {
    for (std::size_t e = 0; e < distance; ++e) {
      Butterfly samples;
      for (std::size_t j = 0; j < kRadix; ++j) samples[j] = points[block + e + j * distance];
      work(samples, e);
      for (std::size_t j = 0; j < kRadix; ++j) points[block + e + j * distance] = samples[j];
    }
  }
}

// In place, in natural order; the spectrum is left with its digits reversed.
void forward_transform(std::span<CountedWord> points) {
  for (std::size_t span = points.size(); span >= kRadix; span /= kRadix) {
    for_butterflies(points, span, [&](Butterfly& samples, std::size_t e) {
      forward_butterfly(samples);
      for (std::size_t j = 0; j < kRadix; ++j) {
        twist(samples[j], reversed_bits(j) * e * (kMaxPoints / span));
      }
    });
  }
}

// Undoes forward_transform but for the factor points.size().
void inverse_transform(std::span<CountedWord> points) {
  for (std::size_t span = kRadix; span <= points.size(); span *= kRadix) {
    for_butterflies(points, span, [&](Butterfly& samples, std::size_t e) {
      for (std::size_t j = 0; j < kRadix; ++j) {
        twist(samples[j], (kMaxPoints - reversed_bits(j) * e * (kMaxPoints / span)) % kMaxPoints);
      }
      inverse_butterfly(samples);
    });
  }
}

// The digits of x, then as many zeros: three words hold eight digits.
Words digits_of(const Words& x) {
  Words digits;
  digits.reserve(x.size() * 16 / 3);
  for (std::size_t i = 0; i < x.size(); i += 3) {
    digits.push_back(x[i] & kDigitMask);
    digits.push_back(x[i] >> 24 & kDigitMask);
    digits.push_back((x[i] >> 48 | x[i + 1] << 16) & kDigitMask);
    digits.push_back(x[i + 1] >> 8 & kDigitMask);
    digits.push_back(x[i + 1] >> 32 & kDigitMask);
    digits.push_back((x[i + 1] >> 56 | x[i + 2] << 8) & kDigitMask);
    digits.push_back(x[i + 2] >> 16 & kDigitMask);
    digits.push_back(x[i + 2] >> 40);
  }
  digits.resize(2 * digits.size(), kZero);
  return digits;
}

// Columns below 2^63 as an integer: carries resolved, eight digits to three words.
Words words_of(const Words& columns) {
  Words words;
  words.reserve(columns.size() / 8 * 3);
  CountedWord carry;
  for (std::size_t i = 0; i < columns.size(); i += 8) {
    std::array<CountedWord, 8> digit;
    for (std::size_t j = 0; j < 8; ++j) {
      const CountedWord sum = columns[i + j] + carry;
      digit[j] = sum & kDigitMask;
      carry = sum >> kDigitBits;
    }
    words.push_back(digit[0] | digit[1] << 24 | digit[2] << 48);
    words.push_back(digit[2] >> 16 | digit[3] << 8 | digit[4] << 32 | digit[5] << 56);
    words.push_back(digit[5] >> 8 | digit[6] << 16 | digit[7] << 40);
  }
  return words;
}

// x / points modulo p; points = 2^log: 2^-log = -2^(96 - log).
CountedWord unscaled(CountedWord x, unsigned log) {
  return subtract(kZero, shift(x, 96 - log));
}

}  // namespace

Words multiply_fft(const Words& a, const Words& b) {
  Words spectrum = digits_of(a);
  Words other = digits_of(b);
  forward_transform(spectrum);
  forward_transform(other);
  for (std::size_t i = 0; i < spectrum.size(); ++i) spectrum[i] = multiply(spectrum[i], other[i]);
  inverse_transform(spectrum);
  const auto log = static_cast<unsigned>(std::countr_zero(spectrum.size()));
  for (CountedWord& column : spectrum) column = unscaled(column, log);
  return words_of(spectrum);
}

}  // namespace fhe::bench

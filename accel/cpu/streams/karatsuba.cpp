// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/karatsuba.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/streams/aes_rounds.hpp"
#include "accel/cpu/streams/digit_steps.hpp"

namespace fhe::cpu {

namespace {

constexpr std::size_t power_of_three(std::size_t exponent) {
  return exponent == 0 ? 1 : 3 * power_of_three(exponent - 1);
}

template <std::size_t kLevelCount, std::size_t kDigitCount, std::size_t kPieceWidth>
struct Shape {
  static constexpr std::size_t kLevels = kLevelCount;
  static constexpr std::size_t kDigits = kDigitCount;
  static constexpr std::size_t kPieceBits = kPieceWidth;
  static constexpr std::size_t kPieces = 1 << kLevels;
  static constexpr std::size_t kProducts = power_of_three(kLevels);
  static constexpr std::size_t kChunkBits = kPieces * kPieceBits;
  static constexpr std::size_t kSumRows = 2 * kDigits + 1;  // of one S_t

  // 4095 >= (2n - 1) * terms + 1, and never more than 256.
  static constexpr std::size_t kMostTerms = 4094 / (2 * kDigits - 1);
  static constexpr std::size_t kTermsBetweenCarries = kMostTerms < 256 ? kMostTerms : 256;

  static_assert(kPieceBits + kLevels <= kDigitBits * kDigits);
  static_assert(kPieceBits > kDigitBits * (kDigits - 1));
  static_assert(kChunkBits % 128 == 0);

  // Piece p is E_t with the bits of p as ternary digits of t.
  static constexpr std::size_t place_of_piece(std::size_t piece) {
    std::size_t place = 0;
    for (std::size_t level = 0; level < kLevels; ++level) {
      place += (piece >> level & 1) * power_of_three(level);
    }
    return place;
  }

  // Whether t is a sum whose highest summed level is `level`: its highest digit 2.
  static constexpr bool is_summed_at(std::size_t t, std::size_t level) {
    if (t / power_of_three(level) % 3 != 2) return false;
    for (std::size_t above = level + 1; above < kLevels; ++above) {
      if (t / power_of_three(above) % 3 == 2) return false;
    }
    return true;
  }

  static constexpr bool is_sum(std::size_t t) {
    for (; t > 0; t /= 3) {
      if (t % 3 == 2) return true;
    }
    return false;
  }
};

// Digit `kDigit` of piece `kPiece`, without what belongs to the next digit or piece.
template <class S, std::size_t kPiece, std::size_t kDigit>
[[gnu::always_inline]] inline Vec piece_digit(const Vec* words) {
  constexpr std::size_t kBit = kPiece * S::kPieceBits + kDigit * kDigitBits;
  constexpr std::size_t kLeft = S::kPieceBits - kDigit * kDigitBits;
  constexpr std::size_t kBits = kLeft < kDigitBits ? kLeft : kDigitBits;
  constexpr std::size_t kShift = kBit % 64;
  const Vec mask = all((std::uint64_t{1} << kBits) - 1);
  if constexpr (kShift + kBits <= 64) {
    return bit_and(shift_right<kShift>(words[kBit / 64]), mask);
  } else {
    return bit_and(digit_at<kBit>(words), mask);
  }
}

// Digit kDigit of all E_t. Sums of up to 8 digits are below 2^55; what exceeds 52 bits is added to
// the next digit but need not be taken off, as IFMA ignores bits 52 and above.
template <class S, std::size_t kDigit>
[[gnu::always_inline]] inline void evaluate_digit(const Vec* words, Vec* pieces) {
  Vec digits[S::kProducts];
  each<S::kPieces>([&](auto kPiece) __attribute__((always_inline)) {
    digits[S::place_of_piece(kPiece)] = piece_digit<S, kPiece, kDigit>(words);
  });
  each<S::kLevels * S::kProducts>([&](auto index) __attribute__((always_inline)) {
    constexpr std::size_t kT = index % S::kProducts;
    constexpr std::size_t kLevel = index / S::kProducts;
    constexpr std::size_t kStep = power_of_three(kLevel);
    if constexpr (S::is_summed_at(kT, kLevel)) {
      digits[kT] = add(digits[kT - 2 * kStep], digits[kT - kStep]);
    }
  });
  each<S::kProducts>([&](auto kT) __attribute__((always_inline)) {
    Vec* piece = pieces + kT * S::kDigits;
    if constexpr (S::is_sum(kT) && kDigit > 0) {
      const Vec carry = shift_right<kDigitBits>(piece[kDigit - 1]);
      digits[kT] = add(digits[kT], carry);
    }
    piece[kDigit] = digits[kT];
  });
}

template <class S>
[[gnu::always_inline]] inline void evaluate_words(const Vec* words, Vec* pieces) {
  each<S::kDigits>([&](auto digit)
                       __attribute__((always_inline)) { evaluate_digit<S, digit>(words, pieces); });
}

template <class S>
void evaluate(const std::uint64_t* words, std::uint64_t* pieces) {
  evaluate_words<S>(reinterpret_cast<const Vec*>(words), reinterpret_cast<Vec*>(pieces));
}

// One S_t. The weights that come `ahead` words later are fetched meanwhile: tables of weights are
// larger than the second-level cache, and with several sets of weights larger than the third.
template <class S>
[[gnu::always_inline]] inline void add_products(Vec* sum, const Vec* pieces,
                                                const std::uint64_t* weights, std::size_t terms,
                                                std::size_t ahead) {
  constexpr std::size_t n = S::kDigits;
  Vec digits[2 * n];
  each<2 * n>([&](auto j) __attribute__((always_inline)) { digits[j] = sum[j]; });
  for (std::size_t term = 0; term < terms; ++term, pieces += n, weights += n) {
    prefetch(weights + ahead);
    Vec factors[n];
    each<n>([&](auto j) __attribute__((always_inline)) { factors[j] = pieces[j]; });
    each<n>([&](auto k) __attribute__((always_inline)) {
      const Vec factor = all(weights[k]);
      each<n>([&](auto j) __attribute__((always_inline)) {
        Vec& digit = digits[j + k];
        digit = add_low(digit, factors[j], factor);
      });
      each<n>([&](auto j) __attribute__((always_inline)) {
        Vec& digit = digits[j + k + 1];
        digit = add_high(digit, factors[j], factor);
      });
    });
  }
  each<2 * n>([&](auto j) __attribute__((always_inline)) { sum[j] = digits[j]; });
}

template <class S>
void accumulate(std::uint64_t* sums, const std::uint64_t* pieces,
                const std::uint64_t* const* weights, std::size_t sets, std::size_t slots,
                std::size_t terms) {
  for (std::size_t t = 0; t < S::kProducts; ++t) {
    for (std::size_t set = 0; set < sets; ++set) {
      add_products<S>(reinterpret_cast<Vec*>(sums) + (set * S::kProducts + t) * S::kSumRows,
                      reinterpret_cast<const Vec*>(pieces) + t * slots * S::kDigits,
                      weights[set] + t * slots * S::kDigits, terms, slots * S::kDigits);
    }
  }
}

// The evaluated chunks of eight lanes.
template <class S>
[[gnu::always_inline]] inline void make_pieces(const RoundKeys& keys, const LaneStart& start,
                                               const std::uint64_t* mask, std::uint64_t* pieces) {
  constexpr std::size_t kBlocks = S::kChunkBits / 128;
  constexpr std::size_t kAtOnce = 4;  // eight states in flight hide the latency of a round
  Vec words[2 * kBlocks];
  Counters counters = start_counters(start);
  for (std::size_t block = 0; block + kAtOnce <= kBlocks; block += kAtOnce) {
    next_blocks<kAtOnce>(counters, keys, words + 2 * block);
  }
  if constexpr (kBlocks % kAtOnce != 0) {
    next_blocks<kBlocks % kAtOnce>(counters, keys, words + 2 * (kBlocks - kBlocks % kAtOnce));
  }
  if (mask != nullptr) {
    for (std::size_t row = 0; row < 2 * kBlocks; ++row) {
      words[row] = bit_and(words[row], load(mask + row * kLanes));
    }
  }
  evaluate_words<S>(words, reinterpret_cast<Vec*>(pieces));
}

template <class S>
void generate(const AesKey& key, const LaneStart& start, const std::uint64_t* mask,
              std::uint64_t* pieces) {
  make_pieces<S>(load_keys(key), start, mask, pieces);
}

template <class S>
void add_terms(const AesKey& key, const ChunkWalk& walk, const std::uint64_t* weights,
               std::size_t terms, std::uint64_t* pieces, std::uint64_t* sums) {
  const RoundKeys keys = load_keys(key);
  LaneStart start = walk.start;
  for (std::size_t term = 0; term < terms; ++term) {
    make_pieces<S>(keys, start, walk.mask, pieces);
    const std::uint64_t* weight = weights + term * S::kProducts * S::kDigits;
    for (std::size_t t = 0; t < S::kProducts; ++t) {
      add_products<S>(reinterpret_cast<Vec*>(sums) + t * S::kSumRows,
                      reinterpret_cast<const Vec*>(pieces) + t * S::kDigits,
                      weight + t * S::kDigits, 1, S::kProducts * S::kDigits);
    }
    start.high += walk.high_advance;
    start.block += walk.block_advance;
  }
}

template <class S>
constexpr KaratsubaKernel kernel_of() {
  return {S::kLevels,
          S::kDigits,
          S::kPieceBits,
          S::kProducts,
          S::kChunkBits,
          S::kChunkBits / 64,
          S::kProducts * S::kDigits,
          S::kProducts * S::kSumRows,
          2 * S::kChunkBits / 64 + 1,
          S::kTermsBetweenCarries,
          evaluate<S>,
          generate<S>,
          accumulate<S>,
          add_terms<S>};
}

// By chunk bits: 128, 384, 512, 768, 1024, 1536, 2048, 2432, 2816, 3200 and 4096. Toy, Small,
// Medium and Large encrypt with weights of 936, 1476, 2016 and 2556 bits.
constexpr KaratsubaKernel kKernels[] = {
    kernel_of<Shape<2, 1, 32>>(),  kernel_of<Shape<2, 2, 96>>(),  kernel_of<Shape<2, 3, 128>>(),
    kernel_of<Shape<2, 4, 192>>(), kernel_of<Shape<2, 5, 256>>(), kernel_of<Shape<3, 4, 192>>(),
    kernel_of<Shape<3, 5, 256>>(), kernel_of<Shape<3, 6, 304>>(), kernel_of<Shape<3, 7, 352>>(),
    kernel_of<Shape<3, 8, 400>>(), kernel_of<Shape<3, 10, 512>>()};

}  // namespace

const KaratsubaKernel* karatsuba_kernel(std::size_t bits) {
  for (const KaratsubaKernel& kernel : kKernels) {
    if (kernel.chunk_bits >= bits) return &kernel;
  }
  return nullptr;
}

}  // namespace fhe::cpu

// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/spectral_kernel.hpp"

#include "accel/cpu/three_primes/vector.hpp"

namespace fhe::cpu {

namespace {

using three_primes::add;
using three_primes::add_high;
using three_primes::add_low;
using three_primes::all;
using three_primes::each;
using three_primes::load;
using three_primes::reduce;
using three_primes::store;
using three_primes::sub;
using three_primes::Vector;
using three_primes::zero;

constexpr int kRoom = 8;  // of the narrow primes
constexpr std::size_t kRow = three_primes::kLanes;

// Reduces sums of products by 2^52, as Montgomery does. The sum is low + 2^52 high: of at most
// kSpectralTerms halves below 2^52 each, so both are below 2^56. With m = low / p mod 2^52,
//   (low + 2^52 high) / 2^52 = high + floor(low / 2^52) - floor(m p / 2^52)  modulo p,
// which exceeds -p; p is added, and what is then below 2^57 is folded to [0, 2p).
class Reduction {
 public:
  [[gnu::always_inline]] explicit Reduction(const three_primes::Field& field)
      : modulus_(field.p), folding_(field), p_inverse_(all(field.p_inverse)) {}

  // sum + (low + 2^52 high) / 2^52, in [0, 2p) as `sum` is.
  [[gnu::always_inline]] Vector add_to(Vector sum, Vector low, Vector high) const {
    const Vector m = add_low(zero(), low, p_inverse_);
    const Vector upper = add(high, _mm512_srli_epi64(low, 52));
    const Vector quotient = folding_(sub(upper, add_high(modulus_.minus_p, m, modulus_.p)));
    return reduce(add(sum, quotient), modulus_.p2);
  }

 private:
  three_primes::Modulus<kRoom> modulus_;
  three_primes::Folding<kRoom> folding_;
  Vector p_inverse_;
};
static_assert(kSpectralTerms <= 16);

// Sums of one point in kGroups groups, of kSets sets from `set` on. Twice kGroups * kSets sums are
// under way at a time: enough to hide the latency of a product, and not more than there are
// registers.
template <std::size_t kGroups, std::size_t kSets>
[[gnu::always_inline]] inline void add_tile(const Reduction& reduction, const PointProducts& p,
                                            std::size_t n, std::size_t set) {
  Vector low[kGroups][kSets];
  Vector high[kGroups][kSets];
  each<kGroups>([&](auto g) __attribute__((always_inline)) {
    each<kSets>([&](auto c) __attribute__((always_inline)) { low[g][c] = high[g][c] = zero(); });
  });
  const std::size_t step = weight_words(p.sets);
  const std::uint64_t* weights = p.weights + n * kSpectralTerms * step + set;
  const std::uint64_t* x = p.x + n * kRow;
  for (std::size_t i = 0; i < p.terms; ++i, x += p.x_term, weights += step) {
    Vector weight[kSets];
    each<kSets>([&](auto c) __attribute__((always_inline)) { weight[c] = all(weights[c]); });
    each<kGroups>([&](auto g) __attribute__((always_inline)) {
      const Vector factor = load(x + g * p.x_group);
      each<kSets>([&](auto c) __attribute__((always_inline)) {
        low[g][c] = add_low(low[g][c], factor, weight[c]);
        high[g][c] = add_high(high[g][c], factor, weight[c]);
      });
    });
  }
  each<kGroups>([&](auto g) __attribute__((always_inline)) {
    std::uint64_t* sums = p.sums + g * p.sums_group + (n * p.sets + set) * kRow;
    each<kSets>([&](auto c) __attribute__((always_inline)) {
      store(sums + c * kRow, reduction.add_to(load(sums + c * kRow), low[g][c], high[g][c]));
    });
  });
}

// Sets in a tile.
constexpr std::size_t most_sets(std::size_t groups) {
  return groups == 1 ? 4 : 2;
}

// Fetches what the next point needs while this one is computed.
void prefetch_point(const PointProducts& p, std::size_t n) {
  const std::size_t words = p.terms * weight_words(p.sets);
  const std::uint64_t* weights = p.weights + n * kSpectralTerms * weight_words(p.sets);
  for (std::size_t i = 0; i < words; i += kRow) {
    _mm_prefetch(reinterpret_cast<const char*>(weights + i), _MM_HINT_T0);
  }
}

template <std::size_t kGroups>
[[gnu::noinline]] void add_points(const three_primes::Field& field, const PointProducts& p) {
  constexpr std::size_t kSets = most_sets(kGroups);
  const Reduction reduction(field);
  for (std::size_t n = 0; n < p.points; ++n) {
    prefetch_point(p, n + 1);
    std::size_t set = 0;
    for (; set + kSets <= p.sets; set += kSets) add_tile<kGroups, kSets>(reduction, p, n, set);
    for (; set < p.sets; ++set) add_tile<kGroups, 1>(reduction, p, n, set);
  }
}

constexpr void (*kAddPoints[kSpectralGroups])(const three_primes::Field&, const PointProducts&) = {
    add_points<1>, add_points<2>, add_points<3>};

// Eight rows of eight words: rows become columns.
[[gnu::always_inline]] inline void transpose(Vector (&a)[8]) {
  Vector b[8];
  each<4>([&](auto k) __attribute__((always_inline)) {
    b[2 * k] = _mm512_unpacklo_epi64(a[2 * k], a[2 * k + 1]);
    b[2 * k + 1] = _mm512_unpackhi_epi64(a[2 * k], a[2 * k + 1]);
  });
  // b[2k + h]: columns h, h + 2, h + 4, h + 6 of rows 2k and 2k + 1
  const Vector even = _mm512_set_epi64(13, 12, 5, 4, 9, 8, 1, 0);
  const Vector odd = _mm512_set_epi64(15, 14, 7, 6, 11, 10, 3, 2);
  Vector c[8];
  each<2>([&](auto half) __attribute__((always_inline)) {
    each<2>([&](auto h) __attribute__((always_inline)) {
      const Vector upper = b[4 * half + h];
      const Vector lower = b[4 * half + 2 + h];
      c[4 * half + h] = _mm512_permutex2var_epi64(upper, even, lower);     // columns h and h + 4
      c[4 * half + 2 + h] = _mm512_permutex2var_epi64(upper, odd, lower);  // h + 2 and h + 6
    });
  });
  each<4>([&](auto k) __attribute__((always_inline)) {
    a[k] = _mm512_shuffle_i64x2(c[k], c[4 + k], 0x44);
    a[k + 4] = _mm512_shuffle_i64x2(c[k], c[4 + k], 0xEE);
  });
}

}  // namespace

void fold_rows(const three_primes::Field& field, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* residues) {
  const three_primes::Folding<kRoom> folding(field);
  for (std::size_t i = 0; i < rows * kRow; i += kRow) {
    store(residues + i, folding(_mm512_load_si512(words + i)));  // whole words, not residues yet
  }
}

void add_point_products(const three_primes::Field& field, const PointProducts& products) {
  kAddPoints[products.groups - 1](field, products);
}

void separate_lanes(const std::uint64_t* values, std::size_t rows, std::uint64_t* lanes,
                    std::size_t stride) {
  for (std::size_t row = 0; row < rows; row += kRow) {
    Vector a[8];
    each<8>([&](auto k) __attribute__((always_inline)) { a[k] = load(values + (row + k) * kRow); });
    transpose(a);
    each<8>([&](auto lane)
                __attribute__((always_inline)) { store(lanes + lane * stride + row, a[lane]); });
  }
}

}  // namespace fhe::cpu

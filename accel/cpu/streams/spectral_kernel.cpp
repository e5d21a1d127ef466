// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/spectral_kernel.hpp"

#include "accel/cpu/simd/each.hpp"
#include "accel/cpu/simd/ifma.hpp"
#include "accel/cpu/three_primes/residues_ifma.hpp"

namespace fhe::cpu {

namespace {

using three_primes::load_residues;
using three_primes::reduce;
using three_primes::store_residues;

constexpr int kRoom = 8;  // of the narrow primes
static_assert(kWidth == kLanes, "a row is a vector");

// Reduces sums of products by 2^52, as Montgomery does. The sum is low + 2^52 high: of at most
// kSpectralTerms halves below 2^52 each, so both are below 2^56. With m = low / p mod 2^52,
//   (low + 2^52 high) / 2^52 = high + floor(low / 2^52) - floor(m p / 2^52)  modulo p,
// which exceeds -p; p is added, and what is then below 2^57 is folded to [0, 2p).
class Reduction {
 public:
  [[gnu::always_inline]] explicit Reduction(const three_primes::Field& field)
      : modulus_(field), folding_(field), p_inverse_(all(field.p_inverse)) {}

  // sum + (low + 2^52 high) / 2^52, in [0, 2p) as `sum` is.
  [[gnu::always_inline]] Vec add_to(Vec sum, Vec low, Vec high) const {
    const Vec m = add_low(zero(), low, p_inverse_);
    const Vec upper = add(high, shift_right<52>(low));
    const Vec quotient = folding_(sub(upper, add_high(modulus_.minus_p, m, modulus_.p)));
    return reduce(add(sum, quotient), modulus_.p2);
  }

 private:
  three_primes::Modulus<kRoom> modulus_;
  three_primes::Folding<kRoom> folding_;
  Vec p_inverse_;
};
static_assert(kSpectralTerms <= 16);

// Sums of one point in kGroups groups, of kSets sets from `set` on. Twice kGroups * kSets sums are
// under way at a time: enough to hide the latency of a product, and not more than there are
// registers.
template <std::size_t kGroups, std::size_t kSets>
[[gnu::always_inline]] inline void add_tile(const Reduction& reduction, const PointProducts& p,
                                            std::size_t n, std::size_t set) {
  Vec low[kGroups][kSets];
  Vec high[kGroups][kSets];
  each<kGroups>([&](auto g) __attribute__((always_inline)) {
    each<kSets>([&](auto c) __attribute__((always_inline)) { low[g][c] = high[g][c] = zero(); });
  });
  const std::size_t step = weight_words(p.sets);
  const std::uint64_t* weights = p.weights + n * kSpectralTerms * step + set;
  const std::uint64_t* x = p.x + n * kLanes;
  for (std::size_t i = 0; i < p.terms; ++i, x += p.x_term, weights += step) {
    Vec weight[kSets];
    each<kSets>([&](auto c) __attribute__((always_inline)) { weight[c] = all(weights[c]); });
    each<kGroups>([&](auto g) __attribute__((always_inline)) {
      const Vec factor = load_residues(x + g * p.x_group);
      each<kSets>([&](auto c) __attribute__((always_inline)) {
        low[g][c] = add_low(low[g][c], factor, weight[c]);
        high[g][c] = add_high(high[g][c], factor, weight[c]);
      });
    });
  }
  each<kGroups>([&](auto g) __attribute__((always_inline)) {
    std::uint64_t* sums = p.sums + g * p.sums_group + (n * p.sets + set) * kLanes;
    each<kSets>([&](auto c) __attribute__((always_inline)) {
      store_residues(sums + c * kLanes,
                     reduction.add_to(load_residues(sums + c * kLanes), low[g][c], high[g][c]));
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
  for (std::size_t i = 0; i < words; i += kLanes) {
    prefetch(weights + i);
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

}  // namespace

void fold_rows(const three_primes::Field& field, const std::uint64_t* words, std::size_t rows,
               std::uint64_t* residues) {
  const three_primes::Folding<kRoom> folding(field);
  for (std::size_t i = 0; i < rows * kLanes; i += kLanes) {
    store_residues(residues + i, folding(load(words + i)));  // whole words, not residues yet
  }
}

void add_point_products(const three_primes::Field& field, const PointProducts& products) {
  kAddPoints[products.groups - 1](field, products);
}

void separate_lanes(const std::uint64_t* values, std::size_t rows, std::uint64_t* lanes,
                    std::size_t stride) {
  for (std::size_t row = 0; row < rows; row += kLanes) {
    Vec a[8];
    each<8>([&](auto k) __attribute__((always_inline)) {
      a[k] = load_residues(values + (row + k) * kLanes);
    });
    transpose(a);
    each<8>([&](auto lane) __attribute__((always_inline)) {
      store_residues(lanes + lane * stride + row, a[lane]);
    });
  }
}

}  // namespace fhe::cpu

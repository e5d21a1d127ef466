// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/small_function.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

namespace fhe {

namespace {

constexpr std::size_t kTables = 256;

// Sums of 1, x[0], x[1], x[2] and of the first product, as sets of these terms.
using Sum = std::uint8_t;
constexpr Sum kFirst = 16;  // the first product; sums below are affine
constexpr Sum kSums = 32;
constexpr std::array<SmallTable, 4> kAffineTerms{0xff, 0xaa, 0xcc, 0xf0};

// How a function is computed: first = a b, value = c d + e. A product with an empty sum is none.
struct Recipe {
  Sum a = 0;
  Sum b = 0;
  Sum c = 0;
  Sum d = 0;
  Sum e = 0;

  [[nodiscard]] std::size_t ands() const {
    return (c != 0 && d != 0 ? 1U : 0U) + (a != 0 && b != 0 ? 1U : 0U);
  }
  [[nodiscard]] int terms() const {
    return std::popcount(a) + std::popcount(b) + std::popcount(c) + std::popcount(d) +
           std::popcount(e);
  }
};

SmallTable table_of(Sum sum, SmallTable first) {
  SmallTable table = (sum & kFirst) != 0 ? first : 0;
  for (unsigned k = 0; k < kAffineTerms.size(); ++k) {
    if ((sum >> k & 1U) != 0) table ^= kAffineTerms.at(k);
  }
  return table;
}

// The best recipe of every function, found by trying all.
class Recipes {
 public:
  Recipes() {
    for (Sum e = 0; e < kFirst; ++e) offer({.e = e}, table_of(e, 0));
    for (Sum c = 1; c < kFirst; ++c) {
      for (Sum d = 1; d < c; ++d) add_sums({.c = c, .d = d}, 0, kFirst);
    }
    for (Sum a = 1; a < kFirst; ++a) {
      for (Sum b = 1; b < a; ++b) add_second_product(a, b);
    }
  }

  [[nodiscard]] const Recipe& of(SmallTable table) const { return *best_.at(table); }

 private:
  void add_second_product(Sum a, Sum b) {
    const SmallTable first = table_of(a, 0) & table_of(b, 0);
    for (Sum c = kFirst; c < kSums; ++c) {
      for (Sum d = 1; d < kFirst; ++d) {
        add_sums({.a = a, .b = b, .c = c, .d = d}, first, kSums);
      }
    }
  }

  void add_sums(Recipe recipe, SmallTable first, Sum sums) {
    const SmallTable product = table_of(recipe.c, first) & table_of(recipe.d, first);
    for (recipe.e = 0; recipe.e < sums; ++recipe.e) {
      offer(recipe, product ^ table_of(recipe.e, first));
    }
  }

  void offer(const Recipe& recipe, SmallTable table) {
    std::optional<Recipe>& best = best_.at(table);
    const auto cost = [](const Recipe& r) { return std::pair(r.ands(), r.terms()); };
    if (!best || cost(recipe) < cost(*best)) best = recipe;
  }

  std::array<std::optional<Recipe>, kTables> best_;
};

const Recipe& recipe_of(SmallTable table) {
  static const auto* const recipes = new Recipes;  // used until the end
  return recipes->of(table);
}

WireBit by_recipe(const Recipe& recipe, std::span<const WireBit> x) {
  const auto sum_of = [&](Sum sum, const WireBit& first) {
    WireBit result = WireBit::known(x[0].algebra(), (sum & 1U) != 0);
    for (unsigned k = 0; k < kLeastInputs; ++k) {
      if ((sum >> (k + 1) & 1U) != 0) result = result ^ x[k];
    }
    return (sum & kFirst) != 0 ? result ^ first : result;
  };
  const WireBit zero = WireBit::known(x[0].algebra(), false);
  const WireBit first = sum_of(recipe.a, zero) & sum_of(recipe.b, zero);
  const WireBit product = sum_of(recipe.c, first) & sum_of(recipe.d, first);
  return product ^ sum_of(recipe.e, first);
}

// A function where its last input is 0, and what changes where it is 1.
struct Halves {
  SmallTable low;
  SmallTable difference;
  bool constant_difference;

  Halves(SmallTable table, std::size_t inputs) {
    const std::size_t rows = std::size_t{1} << (inputs - 1);
    const SmallTable all = (SmallTable{1} << rows) - 1;
    low = table & all;
    difference = low ^ table >> rows;
    constant_difference = difference == 0 || difference == all;
  }
};

// The first rows of a table, which are the table of a function of fewer inputs.
SmallTable first_rows(SmallTable table, std::size_t inputs) {
  const std::size_t rows = std::size_t{1} << inputs;
  return rows < 64 ? table & ((SmallTable{1} << rows) - 1) : table;
}

}  // namespace

std::size_t ands_of(SmallTable table, std::size_t inputs) {
  if (inputs <= kLeastInputs) return recipe_of(table).ands();
  const Halves halves(table, inputs);
  return ands_of(halves.low, inputs - 1) + ands_of(halves.difference, inputs - 1) +
         (halves.constant_difference ? 0 : 1);
}

WireBit small_function(SmallTable table, std::span<const WireBit> x) {
  if (x.size() <= kLeastInputs) return by_recipe(recipe_of(table), x);
  const Halves halves(table, x.size());
  const auto others = x.first(x.size() - 1);
  return small_function(halves.low, others) ^
         (x.back() & small_function(halves.difference, others));
}

std::size_t ands_of_padded(SmallTable table, std::size_t inputs) {
  const std::size_t least = std::max(inputs, kLeastInputs);
  return ands_of(first_rows(table, least), least);
}

WireBit padded_function(SmallTable table, std::vector<WireBit> x, NetlistBuilder& builder) {
  x.resize(std::max(x.size(), kLeastInputs), WireBit::known(builder, false));
  return small_function(first_rows(table, x.size()), x);
}

}  // namespace fhe

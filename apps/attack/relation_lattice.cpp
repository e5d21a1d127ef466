// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/relation_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

namespace fhe::attack {

namespace {

// Leading bits of the values that a step adds, so few that double precision has room for them and
// for the condition of a reduced basis.
constexpr long kStepBits = 25;
// Bits that steps add before the integers follow, for each dimension, and how large the
// transformation may become: so that what follows in doubles stays close.
constexpr long kWindowBits = 12;
constexpr long kSpareBits = 16;
constexpr std::uint64_t kFullEntry = 1 << 20;

Integer shifted(const Integer& x, long right) {
  Integer result;
  if (right >= 0) {
    mpz_fdiv_q_2exp(result.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(right));
  } else {
    mpz_mul_2exp(result.get_mpz_t(), x.get_mpz_t(), static_cast<mp_bitcnt_t>(-right));
  }
  return result;
}

// x / 2^exponent.
double scaled(const Integer& x, long exponent) {
  long own = 0;
  const double mantissa = mpz_get_d_2exp(&own, x.get_mpz_t());
  return std::ldexp(mantissa, static_cast<int>(std::clamp(own - exponent, -1000L, 1000L)));
}

void add_product(Integer& sum, long factor, const Integer& x) {
  if (factor > 0) {
    mpz_addmul_ui(sum.get_mpz_t(), x.get_mpz_t(), static_cast<unsigned long>(factor));
  } else if (factor < 0) {
    mpz_submul_ui(sum.get_mpz_t(), x.get_mpz_t(), -static_cast<unsigned long>(factor));
  }
}

using Integers = std::vector<Integer>;

// Row `row` of T times the vectors at(0), at(1), ...
template <class At>
Integers transformed(const TriangularLll& lll, std::size_t row, std::size_t length, const At& at) {
  Integers sums(length);
  for (std::size_t j = 0; j < lll.dimension(); ++j) {
    const long factor = lll.transformation(row, j);
    if (factor == 0) continue;
    const Integers& from = at(j);
    for (std::size_t i = 0; i < length; ++i) add_product(sums[i], factor, from[i]);
  }
  return sums;
}

long longest_coefficient(const std::vector<Relation>& rows) {
  std::size_t bits = 1;
  for (const Relation& row : rows) {
    for (const Integer& x : row.u) bits = std::max(bits, bit_length(x));
  }
  return static_cast<long>(bits);
}

// The rows with v of their full length, from the leading bits of which a window of steps works.
class Window {
 public:
  Window(const std::vector<Relation>& rows, long base)
      : base_(base), scale_(longest_coefficient(rows)), lll_(rows.size(), rows[0].u.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows[i].u.size(); ++j) {
        lll_.coefficient(i, j) = scaled(rows[i].u[j], scale_);
      }
      Integers leading;
      for (const Integer& v : rows[i].v) leading.push_back(shifted(v, base));
      values_.push_back(std::move(leading));
    }
  }

  // Reduces the rows (u | v / 2^shift).
  void step(long shift, const Monitor& monitor) {
    const auto at = [&](std::size_t j) -> const Integers& { return values_[j]; };
    std::vector<std::vector<double>> columns(lll_.dimension());
    for (std::size_t i = 0; i < lll_.dimension(); ++i) {
      for (const Integer& v : transformed(lll_, i, values_[i].size(), at)) {
        columns[i].push_back(scaled(v, scale_ + shift - base_));
      }
    }
    lll_.reduce(columns, monitor);
  }

  [[nodiscard]] bool is_full() const { return lll_.largest_entry() > kFullEntry; }

  // What the steps did, done to the rows.
  [[nodiscard]] std::vector<Relation> applied_to(const std::vector<Relation>& rows) const {
    std::vector<Relation> results;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      results.push_back({transformed(lll_, i, rows[0].u.size(),
                                     [&](std::size_t j) -> const Integers& { return rows[j].u; }),
                         transformed(lll_, i, rows[0].v.size(),
                                     [&](std::size_t j) -> const Integers& { return rows[j].v; })});
    }
    return results;
  }

 private:
  long base_;
  long scale_;
  TriangularLll lll_;
  std::vector<Integers> values_;
};

bool is_exact(const Relation& row) {
  return std::ranges::all_of(row.v, [](const Integer& v) { return v == 0; });
}

}  // namespace

RelationLattice::RelationLattice(const std::vector<Numbers>& lists) : lists_(lists.size()) {
  const std::size_t n = lists.front().x.size();
  std::size_t bits = 1;
  for (std::size_t k = 0; k < lists_; ++k) {
    for (const Integer& x : lists[k].x) bits = std::max(bits, bit_length(x));
    if (lists[k].modulus == 0) continue;
    bits = std::max(bits, bit_length(lists[k].modulus));
    Relation row{Integers(n), Integers(lists_)};
    row.v[k] = lists[k].modulus;
    rows_.push_back(std::move(row));
  }
  for (std::size_t j = 0; j < n; ++j) {
    Relation row{Integers(n), {}};
    row.u[j] = 1;
    for (const Numbers& list : lists) row.v.push_back(list.x[j]);
    rows_.push_back(std::move(row));
  }
  shift_ = static_cast<long>(bits);
}

void RelationLattice::reduce(long shift, const Monitor& monitor) {
  const long first = shift_;
  while (shift_ > shift) {
    const long window_bits = kWindowBits * static_cast<long>(dimension());
    const long base = std::max(shift, shift_ - window_bits);
    Window window(rows_, base);
    while (shift_ > base && !window.is_full()) {
      monitor.throw_if_stopped();
      shift_ = std::max(base, shift_ - kStepBits);
      window.step(shift_, monitor);
    }
    rows_ = window.applied_to(rows_);
    if (monitor.progress) {
      monitor.progress("lattice reduction",
                       static_cast<double>(first - shift_) / static_cast<double>(first - shift));
    }
  }
}

std::vector<std::vector<Integer>> RelationLattice::exact_relations(std::size_t count,
                                                                   std::size_t bits,
                                                                   const Monitor& monitor) {
  // Beside v = 1 at the last shift a vector of so many bits is short, even to LLL.
  const long last = -static_cast<long>(bits + dimension() / 8 + kSpareBits);
  reduce(0, monitor);
  const auto found = [&] {
    return static_cast<std::size_t>(std::ranges::count_if(rows_, is_exact));
  };
  while (found() < count && shift_ > last) reduce(shift_ - kStepBits, monitor);
  std::vector<std::vector<Integer>> relations;
  for (const Relation& row : rows_) {
    if (is_exact(row) && relations.size() < count) relations.push_back(row.u);
  }
  return relations;
}

}  // namespace fhe::attack

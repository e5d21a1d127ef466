// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/powers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/gh/residue.hpp"

namespace fhe::gh {

namespace {

constexpr std::size_t kFullTableBytes = std::size_t{16} << 20;
constexpr std::size_t kMostBabyBytes = std::size_t{512} << 20;

// Of a table with so many babies.
std::size_t table_products(std::size_t n, std::size_t babies) {
  const std::size_t groups = n / babies;
  return babies - 2 + (groups > 1 ? groups - 1 : 0);
}

// base^0, ..., base^(count-1) for count >= 2 a power of two: from base^m and the powers below it
// come those below base^(2m). count - 2 products.
std::vector<Integer> powers_by_doubling(const Ring& ring, const Integer& base, std::size_t count,
                                        Progress& progress) {
  std::vector<Integer> powers(count);
  powers[0] = 1;
  powers[1] = base;
  Operand factor = ring.prepare(base);
  for (std::size_t m = 2; m < count; m *= 2) {
    powers[m] = ring.multiply(factor, factor);
    progress.advance();
    factor = ring.prepare(powers[m]);
    parallel_for(m - 1, [&](std::size_t i) {
      powers[m + 1 + i] = ring.multiply(factor, powers[i + 1]);
      progress.advance();
    });
  }
  return powers;
}

}  // namespace

Integer power(const Ring& ring, const Integer& base, std::size_t exponent) {
  Integer result = 1;
  for (auto bit = static_cast<std::size_t>(std::bit_width(exponent)); bit-- > 0;) {
    result = ring.multiply(result, result);
    if ((exponent >> bit & 1) != 0) result = ring.multiply(result, base);
  }
  return result;
}

PowerLadder::PowerLadder(std::shared_ptr<const Ring> ring, const Integer& r, std::size_t n,
                         const Monitor& monitor)
    : Powers(std::move(ring)) {
  const auto levels = static_cast<std::size_t>(std::bit_width(n - 1));
  Progress progress(monitor, "powers", levels);
  squares_.reserve(levels);
  for (std::size_t k = 0; k < levels; ++k) {
    const Integer square = k == 0 ? r : this->ring().multiply(squares_.back(), squares_.back());
    squares_.push_back(this->ring().prepare(square));
    progress.advance();
  }
}

std::size_t PowerLadder::products(std::size_t n, std::size_t h) {
  const auto levels = static_cast<std::size_t>(std::bit_width(n - 1));
  return levels * (h + 2) / 2;
}

Integer PowerLadder::evaluate(const NoisePolynomial& u) const {
  return value(u, 0);
}

Integer PowerLadder::value(const NoisePolynomial& u, std::size_t level) const {
  if (u.terms().empty()) return 0;
  if (u.terms().back().exponent == 0) {
    return u.terms().front().negative ? Integer(ring().modulus() - 1) : Integer(1);
  }
  const std::array<NoisePolynomial, 2> parts{u.even_part(), u.odd_part()};
  SecretIntegers values(2);
  parallel_for(2, [&](std::size_t i) { values[i] = value(parts[i], level + 1); });
  const Integer& even = values[0];
  const Integer& odd = values[1];
  const Operand& x = squares_[level];
  Integer result = even;
  if (odd == 1) {
    result = ring().add(even, x.value());
  } else if (odd == ring().modulus() - 1) {
    result = ring().subtract(even, x.value());
  } else if (odd != 0) {
    result = ring().add(even, ring().multiply(x, odd));
  }
  return result;
}

std::size_t PowerTable::babies(std::size_t n, std::size_t bits) {
  if (n * bytes_for_bits(bits) <= kFullTableBytes) return n;
  // The power of two next to sqrt(8 n), above it.
  const auto log_n = static_cast<std::size_t>(std::bit_width(n - 1));
  return std::min(n, std::size_t{1} << ((log_n + 4) / 2));
}

std::size_t PowerTable::products(std::size_t n, std::size_t bits) {
  return table_products(n, babies(n, bits));
}

std::size_t PowerTable::babies_for_many(std::size_t n, std::size_t bits) {
  const std::size_t usual = babies(n, bits);
  const std::size_t many = std::min(n, 4 * usual);
  return many * bytes_for_bits(bits) <= kMostBabyBytes ? many : usual;
}

PowerTable::PowerTable(const std::shared_ptr<const Ring>& ring, const Integer& r, std::size_t n,
                       const Monitor& monitor)
    : PowerTable(ring, r, n, babies(n, bit_length(ring->modulus())), monitor) {}

PowerTable::PowerTable(std::shared_ptr<const Ring> ring, const Integer& r, std::size_t n,
                       std::size_t babies, const Monitor& monitor)
    : Powers(std::move(ring)) {
  const std::size_t groups = n / babies;
  Progress progress(monitor, "powers", table_products(n, babies));
  babies_ = powers_by_doubling(this->ring(), r, babies, progress);
  if (groups == 1) return;
  const Integer step = this->ring().multiply(babies_.back(), r);
  progress.advance();
  std::vector<Integer> giants = powers_by_doubling(this->ring(), step, groups, progress);
  giants_.assign(groups - 1, Operand(Integer()));
  parallel_for(groups - 1, [&](std::size_t g) {
    giants_[g] = this->ring().prepare(giants[g + 1]);
    giants[g + 1] = Integer();
  });
}

Integer PowerTable::evaluate(const NoisePolynomial& u) const {
  SecretInteger own;  // the group that needs no giant
  std::vector<OperandPair> others;
  const auto terms = u.terms();
  for (auto term = terms.begin(); term != terms.end();) {
    const std::size_t group = term->exponent / babies_.size();
    SecretInteger sum;
    for (; term != terms.end() && term->exponent / babies_.size() == group; ++term) {
      const Integer& baby = babies_[term->exponent % babies_.size()];
      if (term->negative) {
        sum.value() -= baby;
      } else {
        sum.value() += baby;
      }
    }
    Integer reduced = reduced_sum(sum.value(), ring().modulus());
    if (group == 0) {
      own.value() = std::move(reduced);
    } else {
      others.emplace_back(giants_[group - 1], std::move(reduced));
    }
  }
  if (others.empty()) return std::move(own.value());
  Integer result = ring().dot(others);
  result += own.value();
  if (result >= ring().modulus()) result -= ring().modulus();
  return result;
}

PowerCache::PowerCache(std::shared_ptr<const Ring> ring, Integer r, std::size_t n, std::size_t h)
    : ring_(std::move(ring)), r_(std::move(r)), n_(n), h_(h) {}

// Whether the caller is to make the table; then nobody else is until it is there.
bool PowerCache::claim_table(std::size_t count) {
  const std::scoped_lock lock(guard_);
  if (table_ != nullptr || in_the_making_) return false;
  evaluations_ += count;
  const std::size_t spent = evaluations_ * PowerLadder::products(n_, h_);
  in_the_making_ = spent >= PowerTable::products(n_, bit_length(ring_->modulus()));
  return in_the_making_;
}

std::shared_ptr<const Powers> PowerCache::powers_for(std::size_t count, const Monitor& monitor) {
  if (claim_table(count)) {
    try {
      make_table(monitor);
    } catch (...) {
      const std::scoped_lock lock(guard_);
      in_the_making_ = false;
      throw;
    }
  }
  {
    const std::scoped_lock lock(guard_);
    if (table_ != nullptr) return table_;
  }
  return std::make_shared<const PowerLadder>(ring_, r_, n_, monitor);
}

void PowerCache::make_table(const Monitor& monitor) {
  {
    const std::scoped_lock lock(guard_);
    if (table_ != nullptr) return;
  }
  auto table = std::make_shared<const PowerTable>(ring_, r_, n_, monitor);
  const std::scoped_lock lock(guard_);
  in_the_making_ = false;
  if (table_ == nullptr) table_ = std::move(table);
}

}  // namespace fhe::gh

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/residue_tree.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/parallel.hpp"

namespace fhe {

namespace {

// Up to this length of the product, moduli are taken in one step: about where a level of the tree
// takes as long as that step for one modulus more.
constexpr std::size_t kGroupLimbs = 64;

__extension__ using Wide = unsigned __int128;

// The sum of products of two limbs, below 2^64 of them.
class Column {
 public:
  void add_product(Limb x, Limb y) {
    const auto product = static_cast<Wide>(x) * y;
    low_ += product;
    high_ += low_ < product ? 1 : 0;
  }
  // The lowest limb, which is taken off: the rest is the carry into the next column.
  Limb take_limb() {
    const auto limb = static_cast<Limb>(low_);
    low_ = low_ >> kLimbBits | static_cast<Wide>(high_) << kLimbBits;
    high_ = 0;
    return limb;
  }

 private:
  Wide low_ = 0;
  Limb high_ = 0;
};

// Limb `index` of x, 0 above its end.
Limb limb_at(std::span<const Limb> x, std::size_t index) {
  return index < x.size() ? x[index] : 0;
}

// `count` limbs of x from `first` on, with zeros above its end.
SecretLimbs limbs_from(const Integer& x, std::size_t first, std::size_t count) {
  SecretLimbs result(count);
  const auto limbs = limbs_of(x);
  for (std::size_t i = 0; i < count; ++i) result[i] = limb_at(limbs, first + i);
  return result;
}

// `count` limbs of x from `first` on, as a number.
SecretInteger part_of(const Integer& x, std::size_t first, std::size_t count) {
  return limbs_from(x, first, count).to_integer();
}

void assign(Integer& target, SecretInteger value) {
  std::swap(target, value.value());
}

// The fraction f (1 / m), as long as `result`, for a fraction f of a limb more than m `cofactor`
// has. Columns of the product below the lowest one that counts, less one, are left out:
// each limb of the cofactor so loses less than a unit.
void cofactor_fraction(const SecretLimbs& f, std::span<const Limb> cofactor,
                       std::span<Limb> result) {
  const std::size_t lowest = f.size() - result.size();
  const std::size_t start = lowest == 0 ? 0 : lowest - 1;
  Column column;
  for (std::size_t i = start; i < f.size(); ++i) {
    const std::size_t terms = std::min(i + 1, cofactor.size());
    for (std::size_t k = 0; k < terms; ++k) column.add_product(f[i - k], cofactor[k]);
    const Limb limb = column.take_limb();
    if (i >= lowest) result[i - lowest] = limb;
  }
}

std::size_t count_of(mp_size_t limbs) {
  return static_cast<std::size_t>(limbs);
}

// What round_product() works in, for one modulus of up to so many limbs after the other.
struct RoundingMemory {
  explicit RoundingMemory(std::size_t limbs)
      : scaled(2 * limbs + 1),
        multiplying(count_of(
            mpn_sec_mul_itch(static_cast<mp_size_t>(limbs + 1), static_cast<mp_size_t>(limbs)))),
        adding(count_of(mpn_sec_add_1_itch(static_cast<mp_size_t>(limbs)))),
        below(limbs) {}

  SecretLimbs scaled;
  SecretLimbs multiplying;
  SecretLimbs adding;
  SecretLimbs below;
};

// The integer next to `fraction` m, in [0, m): m itself counts as 0. The fraction has a limb more
// than m.
void round_product(std::span<const Limb> fraction, const Integer& m, RoundingMemory& memory,
                   std::span<Limb> out) {
  const auto divisor = limbs_of(m);
  const auto size = static_cast<mp_size_t>(divisor.size());
  mpn_sec_mul(memory.scaled.data(), fraction.data(), size + 1, divisor.data(), size,
              memory.multiplying.data());
  Limb* const whole = memory.scaled.data() + fraction.size();
  mpn_sec_add_1(whole, whole, size, memory.scaled[fraction.size() - 1] >> (kLimbBits - 1),
                memory.adding.data());
  const Limb is_below = mpn_sub_n(memory.below.data(), whole, divisor.data(), size);
  mpn_cnd_sub_n(1 - is_below, whole, whole, divisor.data(), size);
  std::copy_n(whole, divisor.size(), out.begin());
}

// The lengths of the groups depend on those of the moduli alone.
std::size_t count_in_group(std::span<const Integer> moduli) {
  std::size_t limbs = 0;
  std::size_t count = 0;
  for (const Integer& modulus : moduli) {
    limbs += limbs_of(modulus).size();
    if (count > 0 && limbs > kGroupLimbs) break;
    ++count;
  }
  return count;
}

std::size_t most_limbs(std::span<const Integer> moduli) {
  std::size_t limbs = 0;
  for (const Integer& modulus : moduli) limbs = std::max(limbs, limbs_of(modulus).size());
  return limbs;
}

}  // namespace

ResidueTree::ResidueTree(SecretIntegers moduli, std::size_t dividend_bits, BackendPtr backend,
                         const Monitor& monitor)
    : backend_(std::move(backend)),
      moduli_(std::move(moduli)),
      residue_limbs_(most_limbs(moduli_.span())),
      cofactors_(moduli_.size()),
      units_(moduli_.size()),
      powers_(0) {
  for (std::size_t first = 0; first < size(); first += groups_.back().count) {
    groups_.push_back({first, count_in_group(span().subspan(first))});
  }
  make_levels(monitor);
  make_powers(dividend_bits);
  make_units(monitor);
}

void ResidueTree::make_levels(const Monitor& monitor) {
  SecretIntegers products(groups_.size());
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    SecretInteger product(moduli_[group.first]);
    for (std::size_t j = 1; j < group.count; ++j) {
      product = SecretInteger(product.value() * moduli_[group.first + j]);
    }
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      assign(cofactors_[j], SecretInteger(product.value() / moduli_[j]));
    }
    assign(products[g], std::move(product));
  });
  levels_.push_back(std::move(products));
  while (levels_.back().size() > 1) {
    monitor.throw_if_stopped();
    const SecretIntegers& below = levels_.back();
    SecretIntegers above((below.size() + 1) / 2);
    parallel_for(above.size(), [&](std::size_t i) {
      const bool is_pair = 2 * i + 1 < below.size();
      assign(above[i], is_pair ? SecretInteger(backend_->multiply(below[2 * i], below[2 * i + 1]))
                               : SecretInteger(below[2 * i]));
    });
    levels_.push_back(std::move(above));
  }
}

// B^(n (i+1)) from B^(n i) = b. The quotient of b B^n by M is b reciprocal / B^(2n+2), which is too
// small by less than B^-(n+2). The fraction of a quotient is a multiple of 1/M > B^-n, so both have
// the same whole number. M divides no b B^n unless it is a power of two, whose reciprocal is exact.
void ResidueTree::make_powers(std::size_t dividend_bits) {
  const std::size_t n = limbs_of_product();
  const std::size_t slices = std::max<std::size_t>((limbs_for_bits(dividend_bits) + n - 1) / n, 2);
  reciprocal_ = SecretInteger(power_of_two((3 * n + 2) * kLimbBits) / product());
  powers_ = SecretIntegers(slices - 1);
  SecretInteger power(1);
  for (std::size_t i = 0; i + 1 < slices; ++i) {
    SecretInteger estimate(backend_->multiply(power.value(), reciprocal_.value()));
    SecretInteger quotient(estimate.value() >> (2 * n + 2) * kLimbBits);
    SecretInteger multiple(backend_->multiply(quotient.value(), product()));
    SecretInteger shifted(power.value() << n * kLimbBits);
    shifted.value() -= multiple.value();
    power = std::move(shifted);
    powers_[i] = power.value();
  }
}

// M / m_j mod m_j is the residue of the sum of all M / m_j.
void ResidueTree::make_units(const Monitor& monitor) {
  SecretIntegers sums(groups_.size());
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    for (std::size_t j = group.first; j < group.first + group.count; ++j) sums[g] += cofactors_[j];
  });
  const SecretInteger sum = up_the_tree(std::move(sums), monitor);
  const SecretVector<Limb> others = residues(sum.value(), monitor);
  parallel_for(size(), [&](std::size_t j) {
    SecretInteger other(from_limbs(std::span(others).subspan(j * residue_limbs_, residue_limbs_)));
    SecretInteger inverse;
    mpz_invert(inverse.value().get_mpz_t(), other.value().get_mpz_t(), moduli_[j].get_mpz_t());
    assign(units_[j], SecretInteger(inverse.value() * cofactors_[j]));
  });
}

// A number of at most 2 n + 1 limbs that is x modulo M.
SecretInteger ResidueTree::folded(const Integer& x) const {
  const std::size_t n = limbs_of_product();
  const std::size_t slices = (limbs_of(x).size() + n - 1) / n;
  SecretInteger sum = part_of(x, 0, n);
  for (std::size_t i = 1; i < slices; ++i) {
    const SecretInteger slice = part_of(x, n * i, n);
    const SecretInteger term(backend_->multiply(slice.value(), powers_[i - 1]));
    sum.value() += term.value();
  }
  return sum;
}

// x / M mod 1 in n + 1 limbs, from a number y = x mod M below B^(2n+1): y reciprocal / B^(3n+2) is
// too small by less than B^-(n+1).
SecretLimbs ResidueTree::top_fraction(const Integer& x) const {
  const std::size_t n = limbs_of_product();
  const SecretInteger y = folded(x);
  const SecretInteger scaled(backend_->multiply(y.value(), reciprocal_.value()));
  return limbs_from(scaled.value(), 2 * n + 1, n + 1);
}

// Barrett's method: with n limbs of M, y = x mod M below B^(2n+1) and mu = floor(B^(2n+2) / M), the
// quotient is floor(y / B^(n-1)) mu / B^(n+3), or at most 2 more.
SecretInteger ResidueTree::remainder(const Integer& x) const {
  const std::size_t n = limbs_of_product();
  SecretInteger rest = limbs_of(x).size() <= 2 * n ? SecretInteger(Integer(x)) : folded(x);
  const SecretInteger mu(reciprocal_.value() >> n * kLimbBits);
  const SecretInteger leading(rest.value() >> (n - 1) * kLimbBits);
  const SecretInteger scaled(backend_->multiply(leading.value(), mu.value()));
  const SecretInteger quotient(scaled.value() >> (n + 3) * kLimbBits);
  const SecretInteger multiple(backend_->multiply(quotient.value(), product()));
  rest.value() -= multiple.value();
  while (rest.value() >= product()) rest.value() -= product();
  return rest;
}

SecretLimbs ResidueTree::child_fraction(const SecretLimbs& fraction, const Integer& sibling,
                                        std::size_t child_limbs) const {
  const SecretInteger parent = fraction.to_integer();
  const SecretInteger scaled(backend_->multiply(parent.value(), sibling));
  return limbs_from(scaled.value(), fraction.size() - (child_limbs + 1), child_limbs + 1);
}

void ResidueTree::group_residues(const Group& group, const SecretLimbs& fraction,
                                 std::span<Limb> out) const {
  RoundingMemory memory(residue_limbs_);
  SecretLimbs fractions(residue_limbs_ + 1);
  for (std::size_t j = group.first; j < group.first + group.count; ++j) {
    const std::span own(fractions.data(), limbs_of(moduli_[j]).size() + 1);
    cofactor_fraction(fraction, limbs_of(cofactors_[j]), own);
    round_product(own, moduli_[j], memory, out.subspan(j * residue_limbs_, residue_limbs_));
  }
}

SecretVector<Limb> ResidueTree::residues(const Integer& x, const Monitor& monitor) const {
  std::vector<SecretLimbs> fractions;
  fractions.push_back(top_fraction(x));
  for (std::size_t level = levels_.size() - 1; level-- > 0;) {
    monitor.throw_if_stopped();
    const SecretIntegers& products = levels_[level];
    std::vector<SecretLimbs> below;
    for (std::size_t i = 0; i < products.size(); ++i) below.emplace_back(0);
    parallel_for(products.size(), [&](std::size_t i) {
      const std::size_t sibling = i ^ 1;
      SecretLimbs& parent = fractions[i / 2];
      below[i] = sibling < products.size()
                     ? child_fraction(parent, products[sibling], limbs_of(products[i]).size())
                     : std::move(parent);
    });
    fractions = std::move(below);
  }
  SecretVector<Limb> all(size() * residue_limbs_);
  parallel_for(groups_.size(),
               [&](std::size_t g) { group_residues(groups_[g], fractions[g], all); });
  return all;
}

SecretInteger ResidueTree::up_the_tree(SecretIntegers of_groups, const Monitor& monitor) const {
  SecretIntegers values = std::move(of_groups);
  for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
    monitor.throw_if_stopped();
    const SecretIntegers& products = levels_[level];
    SecretIntegers above(levels_[level + 1].size());
    parallel_for(above.size(), [&](std::size_t i) {
      if (2 * i + 1 == values.size()) return above[i].swap(values[2 * i]);
      SecretInteger left(backend_->multiply(values[2 * i], products[2 * i + 1]));
      const SecretInteger right(backend_->multiply(values[2 * i + 1], products[2 * i]));
      left.value() += right.value();
      assign(above[i], std::move(left));
    });
    values = std::move(above);
  }
  return SecretInteger(std::move(values[0]));
}

// The value at the root is below M times the number of groups.
SecretInteger ResidueTree::combine(std::span<const Integer> residues,
                                   const Monitor& monitor) const {
  SecretIntegers values(groups_.size());
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    SecretInteger sum;
    for (std::size_t j = group.first; j < group.first + group.count; ++j) {
      mpz_addmul(sum.value().get_mpz_t(), residues[j].get_mpz_t(), units_[j].get_mpz_t());
    }
    mpz_fdiv_r(sum.value().get_mpz_t(), sum.value().get_mpz_t(), levels_[0][g].get_mpz_t());
    assign(values[g], std::move(sum));
  });
  SecretInteger x = up_the_tree(std::move(values), monitor);
  mpz_fdiv_r(x.value().get_mpz_t(), x.value().get_mpz_t(), product().get_mpz_t());
  return x;
}

}  // namespace fhe

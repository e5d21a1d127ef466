// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/modular_ring.hpp"

#include <algorithm>
#include <utility>

#include "accel/cpu/reciprocal.hpp"

namespace fhe::cpu {

namespace {

// The spectrum of an operand under the long plan.
class PreparedSpectrum final : public Operand::Prepared {
 public:
  PreparedSpectrum(const TransformPlan* plan, Spectrum spectrum)
      : plan_(plan), spectrum_(std::move(spectrum)) {}

  // Null when it was made under another plan: by another ring.
  [[nodiscard]] const Spectrum* under(const TransformPlan* plan) const {
    return plan == plan_ ? &spectrum_ : nullptr;
  }

 private:
  const TransformPlan* plan_;
  Spectrum spectrum_;
};

const Spectrum* prepared_spectrum(const Operand& operand, const TransformPlan& plan) {
  const auto* const prepared = dynamic_cast<const PreparedSpectrum*>(operand.prepared().get());
  return prepared == nullptr ? nullptr : prepared->under(&plan);
}

// Two operands, and what is prepared of them; when it is one alone, then `second`.
struct Factors {
  Factors(const OperandPair& pair, const TransformPlan& plan)
      : first(limbs_of(pair.first.value())),
        second(limbs_of(pair.second.value())),
        first_spectrum(prepared_spectrum(pair.first, plan)),
        second_spectrum(prepared_spectrum(pair.second, plan)) {
    if (second_spectrum == nullptr) {
      std::swap(first, second);
      std::swap(first_spectrum, second_spectrum);
    }
  }

  std::span<const Limb> first;
  std::span<const Limb> second;
  const Spectrum* first_spectrum;
  const Spectrum* second_spectrum;
};

// Memory for an integer.
std::span<Limb> limbs_in(PooledWords& words) {
  return {words.data(), words.size()};
}

mp_size_t size_of(std::span<const Limb> x) {
  return static_cast<mp_size_t>(x.size());
}

bool is_below(std::span<const Limb> x, std::span<const Limb> y) {
  const std::size_t common = std::min(x.size(), y.size());
  if (std::ranges::any_of(x.subspan(common), [](Limb limb) { return limb != 0; })) return false;
  if (std::ranges::any_of(y.subspan(common), [](Limb limb) { return limb != 0; })) return true;
  return mpn_cmp(x.data(), y.data(), static_cast<mp_size_t>(common)) < 0;
}

// x -= y. Requires 0 < y <= x.
void subtract_limbs(std::span<Limb> x, std::span<const Limb> y) {
  const std::size_t common = std::min(x.size(), y.size());
  mpn_sub(x.data(), x.data(), size_of(x), y.data(), static_cast<mp_size_t>(common));
}

// The first `count` limbs of x become x modulo 2^(64 count) - 1, where zero may stand as all ones.
// Returns them. Requires count <= x.size() <= 2 count.
std::span<Limb> fold(std::span<Limb> x, std::size_t count) {
  const auto low = x.first(count);
  const auto high = x.subspan(count);
  if (high.empty()) return low;
  const Limb carry = mpn_add(low.data(), low.data(), size_of(low), high.data(), size_of(high));
  mpn_add_1(low.data(), low.data(), size_of(low), carry);
  return low;
}

// x -= y modulo 2^(64 x.size()) - 1, in [0, 2^(64 x.size()) - 1). Requires equal sizes.
void subtract_cyclic(std::span<Limb> x, std::span<const Limb> y) {
  const Limb borrow = mpn_sub_n(x.data(), x.data(), y.data(), size_of(x));
  mpn_sub_1(x.data(), x.data(), size_of(x), borrow);
  if (std::ranges::all_of(x, [](Limb limb) { return limb == ~Limb{0}; })) {
    std::ranges::fill(x, Limb{0});
  }
}

// Limbs of (x / B^u) mu for x < 2^n N, and of x; see the header.
std::size_t long_limbs(std::size_t bits, std::size_t quotient_at) {
  return std::max(limbs_for_bits(2 * bits), quotient_at + limbs_for_bits(bits));
}

// Sums of more products than that are reduced by the general way.
constexpr std::size_t kSpareBits = 5;

// u and v of the header.
std::size_t cut_of(std::size_t bits) {
  return bits / kLimbBits;
}
std::size_t quotient_of(std::size_t bits) {
  return limbs_for_bits(2 * bits) - cut_of(bits);
}

// B^(u+v) / N.
Integer long_reciprocal(const Integer& modulus, const Multiplier& multiplier) {
  return reciprocal(modulus, limbs_for_bits(2 * bit_length(modulus)) * kLimbBits, multiplier);
}

// 2^(2n) / N, of the above.
Integer barrett_reciprocal(const Integer& reciprocal, std::size_t bits) {
  return reciprocal >> (limbs_for_bits(2 * bits) * kLimbBits - 2 * bits);
}

}  // namespace

ModularRing::ModularRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus)
    : ModularRing(std::move(backend), multiplier, modulus, long_reciprocal(modulus, multiplier)) {}

ModularRing::ModularRing(BackendPtr backend, const Multiplier& multiplier, const Integer& modulus,
                         const Integer& reciprocal)
    : Ring(std::move(backend), modulus, barrett_reciprocal(reciprocal, bit_length(modulus))),
      bits_(bit_length(modulus)),
      cut_limbs_(cut_of(bits_)),
      quotient_at_(quotient_of(bits_)),
      limit_(modulus << bits_),
      long_plan_(multiplier.plan(long_limbs(bits_, quotient_at_))),
      short_plan_(multiplier.plan(limbs_for_bits(bits_ + 2))),
      reciprocal_(long_plan_->forward(limbs_of(reciprocal))),
      modulus_(short_plan_->forward(limbs_of(modulus))) {}

void ModularRing::count_product() const {
  const std::size_t limbs = limbs_for_bits(bits_);
  backend().counters().count_multiplication(limbs, limbs);
}

Integer ModularRing::reduce(const Integer& x) const {
  const std::size_t bits = bit_length(x);
  // A short quotient is cheaper by two short products than by transforms of full length.
  if (x < 0 || bits < bits_ + bits_ / 4 || bits > 2 * bits_ + kSpareBits) return Ring::reduce(x);
  const auto given = limbs_of(x);
  PooledWords copy(std::max(limbs_for_bits(2 * bits_), given.size()));
  std::ranges::fill(std::ranges::copy(given, copy.data()).out, copy.data() + copy.size(), Limb{0});
  trim(limbs_in(copy));
  return reduce_product(limbs_in(copy));
}

void ModularRing::trim(std::span<Limb> x) const {
  while (!is_below(x, limbs_of(limit_))) subtract_limbs(x, limbs_of(limit_));
}

Integer ModularRing::reduce_product(std::span<Limb> x) const {
  backend().counters().count_reduction();
  const auto modulus = limbs_of(this->modulus());
  x = x.first(limbs_for_bits(2 * bits_));

  PooledWords estimate(long_plan_->limbs());
  long_plan_->product(x.subspan(cut_limbs_), reciprocal_, limbs_in(estimate));
  count_product();
  const auto quotient = limbs_in(estimate).subspan(quotient_at_, modulus.size());

  PooledWords multiple(short_plan_->limbs());
  short_plan_->product(quotient, modulus_, limbs_in(multiple));
  count_product();

  const auto remainder = fold(x, std::min(x.size(), multiple.size()));
  subtract_cyclic(remainder, limbs_in(multiple));
  while (!is_below(remainder, modulus)) subtract_limbs(remainder, modulus);
  return from_limbs(remainder);
}

Operand ModularRing::prepare(const Integer& x) const {
  return {x, std::make_shared<const PreparedSpectrum>(long_plan_.get(),
                                                      long_plan_->forward(limbs_of(x)))};
}

Integer ModularRing::multiply(const Operand& a, const Operand& b) const {
  count_product();
  const Factors factors({a, b}, *long_plan_);
  PooledWords product(long_plan_->limbs());
  if (factors.second_spectrum == nullptr) {
    long_plan_->product(factors.first, factors.second, limbs_in(product));
  } else if (factors.first_spectrum == nullptr) {
    long_plan_->product(factors.first, *factors.second_spectrum, limbs_in(product));
  } else {
    Spectrum spectrum;
    long_plan_->multiply(spectrum, *factors.first_spectrum, *factors.second_spectrum);
    long_plan_->inverse(spectrum, limbs_in(product));
  }
  return reduce_product(limbs_in(product));
}

std::size_t ModularRing::accumulation_limit() const {
  // t products of 2n bits stay below 2^(64 L) - 1 for t < 2^(64 L - 2n), and one always does.
  const std::size_t spare_bits = long_plan_->limbs() * kLimbBits - 2 * bits_;
  const std::size_t fitting = (std::size_t{1} << std::min<std::size_t>(spare_bits, 32)) - 1;
  return std::max<std::size_t>(1, std::min(long_plan_->max_terms(), fitting));
}

void ModularRing::accumulate(Spectrum& sum, bool is_first, const OperandPair& term) const {
  count_product();
  const Factors factors(term, *long_plan_);
  Spectrum fresh;
  if (factors.second_spectrum == nullptr) fresh = long_plan_->forward(factors.second);
  const Spectrum& second = factors.second_spectrum == nullptr ? fresh : *factors.second_spectrum;
  const auto add = [&](const auto& first) {
    if (is_first) {
      long_plan_->multiply(sum, first, second);
    } else {
      long_plan_->add_product(sum, first, second);
    }
  };
  if (factors.first_spectrum == nullptr) {
    add(factors.first);
  } else {
    add(*factors.first_spectrum);
  }
}

Integer ModularRing::dot(std::span<const OperandPair> terms) const {
  if (terms.empty()) return 0;
  PooledWords sum(long_plan_->limbs() + 1);
  std::ranges::fill(limbs_in(sum), Limb{0});
  PooledWords part(long_plan_->limbs());
  Spectrum spectrum;
  const std::size_t limit = accumulation_limit();
  for (std::size_t first = 0; first < terms.size(); first += limit) {
    const auto together = terms.subspan(first, std::min(limit, terms.size() - first));
    for (const OperandPair& term : together) accumulate(spectrum, &term == together.data(), term);
    long_plan_->inverse(spectrum, limbs_in(part));
    add_into(limbs_in(sum), limbs_in(part));
    trim(limbs_in(sum));
  }
  return reduce_product(limbs_in(sum));
}

}  // namespace fhe::cpu

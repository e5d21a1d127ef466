// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "accel/cpu/limb_spans.hpp"
#include "accel/cpu/rings.hpp"

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

}  // namespace

TransformRing::TransformRing(BackendPtr backend, const Integer& modulus, PlanPtr plan)
    : Ring(std::move(backend), modulus), bits_(bit_length(modulus)), plan_(std::move(plan)) {}

TransformRing::TransformRing(BackendPtr backend, const Integer& modulus, Integer reciprocal,
                             PlanPtr plan)
    : Ring(std::move(backend), modulus, std::move(reciprocal)),
      bits_(bit_length(modulus)),
      plan_(std::move(plan)) {}

void TransformRing::count_product() const {
  const std::size_t limbs = limbs_for_bits(bits_);
  backend().counters().count_multiplication(limbs, limbs);
}

Operand TransformRing::prepare(const Integer& x) const {
  return {x, std::make_shared<const PreparedSpectrum>(plan_.get(), plan_->forward(limbs_of(x)))};
}

Integer TransformRing::multiply(const Operand& a, const Operand& b) const {
  count_product();
  const Factors factors({a, b}, *plan_);
  PooledWords product(plan_->limbs());
  if (factors.second_spectrum == nullptr) {
    plan_->product(factors.first, factors.second, limbs_in(product));
  } else if (factors.first_spectrum == nullptr) {
    plan_->product(factors.first, *factors.second_spectrum, limbs_in(product));
  } else {
    Spectrum spectrum;
    plan_->multiply(spectrum, *factors.first_spectrum, *factors.second_spectrum);
    plan_->inverse(spectrum, limbs_in(product));
  }
  return reduce_sum(limbs_in(product));
}

std::size_t TransformRing::accumulation_limit() const {
  // t products of numbers below 2^n - 1 stay below 2^(64 L) - 1 for t <= 2^(64 L - 2n).
  const std::size_t spare_bits = plan_->limbs() * kLimbBits - 2 * bits_;
  const std::size_t fitting = std::size_t{1} << std::min<std::size_t>(spare_bits, 32);
  return std::min(plan_->max_terms(), fitting);
}

void TransformRing::accumulate(Spectrum& sum, bool is_first, const OperandPair& term) const {
  count_product();
  const Factors factors(term, *plan_);
  Spectrum fresh;
  if (factors.second_spectrum == nullptr) fresh = plan_->forward(factors.second);
  const Spectrum& second = factors.second_spectrum == nullptr ? fresh : *factors.second_spectrum;
  const auto add = [&](const auto& first) {
    if (is_first) {
      plan_->multiply(sum, first, second);
    } else {
      plan_->add_product(sum, first, second);
    }
  };
  if (factors.first_spectrum == nullptr) {
    add(factors.first);
  } else {
    add(*factors.first_spectrum);
  }
}

Integer TransformRing::dot(std::span<const OperandPair> terms) const {
  if (terms.empty()) return 0;
  PooledWords sum(plan_->limbs() + 1);
  std::ranges::fill(limbs_in(sum), Limb{0});
  PooledWords part(plan_->limbs());
  Spectrum spectrum;
  const std::size_t limit = accumulation_limit();
  for (std::size_t first = 0; first < terms.size(); first += limit) {
    const auto together = terms.subspan(first, std::min(limit, terms.size() - first));
    for (const OperandPair& term : together) accumulate(spectrum, &term == together.data(), term);
    plan_->inverse(spectrum, limbs_in(part));
    add_into(limbs_in(sum), limbs_in(part));
  }
  return reduce_sum(limbs_in(sum));
}

}  // namespace fhe::cpu

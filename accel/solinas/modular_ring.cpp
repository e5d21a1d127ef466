#include "accel/solinas/modular_ring.hpp"

#include <algorithm>
#include <utility>

namespace fhe::solinas {

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

const Spectrum* prepared_spectrum(const Operand& operand, const TransformPlan* plan) {
  const auto* const prepared = dynamic_cast<const PreparedSpectrum*>(operand.prepared().get());
  return prepared == nullptr ? nullptr : prepared->under(plan);
}

// The spectrum of an operand, transformed now unless it is prepared.
class OperandSpectrum {
 public:
  OperandSpectrum(const Operand& operand, const TransformPlan& plan)
      : prepared_(prepared_spectrum(operand, &plan)) {
    if (prepared_ == nullptr) own_ = plan.forward(limbs_of(operand.value()));
  }
  [[nodiscard]] const Spectrum& get() const { return prepared_ != nullptr ? *prepared_ : own_; }

 private:
  const Spectrum* prepared_;
  Spectrum own_;
};

}  // namespace

ModularRing::ModularRing(BackendPtr backend, const Engine& engine, const Integer& modulus)
    : Ring(std::move(backend), modulus),
      bits_(bit_length(modulus)),
      long_plan_(engine.plan(limbs_for_bits(2 * bits_))),
      short_plan_(engine.plan(limbs_for_bits(bits_ + 3))),
      short_modulus_(power_of_two(short_plan_->limbs() * kLimbBits) - 1),
      reciprocal_(long_plan_->forward(limbs_of(barrett().reciprocal()))),
      modulus_(short_plan_->forward(limbs_of(modulus))) {}

void ModularRing::count_product() const {
  const std::size_t limbs = limbs_for_bits(bits_);
  backend().counters().count_multiplication(limbs, limbs);
}

Integer ModularRing::reduce(const Integer& x) const {
  const std::size_t bits = bit_length(x);
  // A short quotient is cheaper by two short products than by transforms of full length.
  if (x < 0 || bits < bits_ + bits_ / 4 || bits > 2 * bits_ + kLimbBits) return Ring::reduce(x);
  Integer high = x >> bits_;
  if (high < modulus()) return reduce_product(x);
  // A sum of products: its multiples of 2^n N go first; there are few, so this is one pass.
  high %= modulus();
  return reduce_product((high << bits_) + low_bits(x, bits_));
}

Integer ModularRing::reduce_product(const Integer& x) const {
  backend().counters().count_reduction();
  if (x < modulus()) return x;
  const Integer high = x >> bits_;
  Spectrum spectrum = long_plan_->forward(limbs_of(high));
  long_plan_->multiply(spectrum, spectrum, reciprocal_);
  const Integer quotient = inverse_integer(*long_plan_, spectrum) >> bits_;
  count_product();

  // Modulo 2^(64 L) - 1 the parts of x above 64 L bits are added to those below.
  const std::size_t short_bits = short_plan_->limbs() * kLimbBits;
  Integer remainder = low_bits(x, short_bits) + (x >> short_bits) - wrapped_multiple(quotient);
  count_product();
  while (remainder < 0) remainder += short_modulus_;
  while (remainder >= short_modulus_) remainder -= short_modulus_;
  while (remainder >= modulus()) remainder -= modulus();
  return remainder;
}

Integer ModularRing::wrapped_multiple(const Integer& quotient) const {
  Spectrum spectrum = short_plan_->forward(limbs_of(quotient));
  short_plan_->multiply(spectrum, spectrum, modulus_);
  return inverse_integer(*short_plan_, spectrum);
}

Operand ModularRing::prepare(const Integer& x) const {
  return {x, std::make_shared<const PreparedSpectrum>(long_plan_.get(),
                                                      long_plan_->forward(limbs_of(x)))};
}

Integer ModularRing::multiply(const Operand& a, const Operand& b) const {
  count_product();
  const bool any_prepared = prepared_spectrum(a, long_plan_.get()) != nullptr ||
                            prepared_spectrum(b, long_plan_.get()) != nullptr;
  if (!any_prepared) return reduce_product(product_integer(*long_plan_, a.value(), b.value()));
  const OperandSpectrum left(a, *long_plan_);
  const OperandSpectrum right(b, *long_plan_);
  Spectrum spectrum(left.get().size());
  long_plan_->multiply(spectrum, left.get(), right.get());
  return reduce_product(inverse_integer(*long_plan_, spectrum));
}

std::size_t ModularRing::accumulation_limit() const {
  // t products of 2n bits stay below 2^(64 L) - 1 for t < 2^(64 L - 2n), and one always does.
  const std::size_t spare_bits = long_plan_->limbs() * kLimbBits - 2 * bits_;
  const std::size_t fitting = (std::size_t{1} << std::min<std::size_t>(spare_bits, 32)) - 1;
  return std::max<std::size_t>(1, std::min(long_plan_->max_terms(), fitting));
}

Integer ModularRing::dot(std::span<const OperandPair> terms) const {
  Integer sum;
  std::size_t accumulated = 0;
  Spectrum spectrum;
  const auto flush = [&] {
    if (accumulated > 0) sum += inverse_integer(*long_plan_, spectrum);
    accumulated = 0;
  };
  const std::size_t limit = accumulation_limit();
  for (const auto& [a, b] : terms) {
    count_product();
    const OperandSpectrum left(a, *long_plan_);
    const OperandSpectrum right(b, *long_plan_);
    if (accumulated == 0) {
      spectrum = Spectrum(left.get().size());
      long_plan_->multiply(spectrum, left.get(), right.get());
    } else {
      long_plan_->add_product(spectrum, left.get(), right.get());
    }
    if (++accumulated == limit) flush();
  }
  flush();
  return reduce(sum);
}

}  // namespace fhe::solinas

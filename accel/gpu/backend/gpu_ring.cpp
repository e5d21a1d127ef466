// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/gpu_ring.hpp"

#include <utility>

namespace fhe::gpu {

// What elements on the device need to outlive the ring.
class GpuRing::Core {
 public:
  Core(std::shared_ptr<const Arithmetic> arithmetic, const Integer& n)
      : arithmetic_(std::move(arithmetic)), modulus_(*arithmetic_, n) {}

  [[nodiscard]] const Modulus& modulus() const { return modulus_; }

 private:
  std::shared_ptr<const Arithmetic> arithmetic_;
  Modulus modulus_;
};

class GpuRing::OnDevice final : public Operand::Elsewhere {
 public:
  OnDevice(std::shared_ptr<const Core> core, ElementPtr element)
      : core_(std::move(core)), element_(std::move(element)) {}

  // Null for another ring than its own.
  [[nodiscard]] ElementPtr of(const std::shared_ptr<const Core>& core) const {
    return core == core_ ? element_ : nullptr;
  }

 private:
  [[nodiscard]] Integer fetch() const override { return core_->modulus().get(*element_); }

  std::shared_ptr<const Core> core_;
  ElementPtr element_;
};

GpuRing::GpuRing(BackendPtr backend, std::shared_ptr<const Arithmetic> arithmetic,
                 const Integer& modulus)
    : Ring(std::move(backend), modulus),
      core_(std::make_shared<const Core>(std::move(arithmetic), modulus)) {}

ElementPtr GpuRing::element(const Operand& x) const {
  if (const auto* const here = dynamic_cast<const OnDevice*>(x.prepared().get())) {
    if (ElementPtr element = here->of(core_)) return element;
  }
  return core_->modulus().put(x.value());
}

Operand GpuRing::operand(ElementPtr element) const {
  return Operand(std::make_shared<const OnDevice>(core_, std::move(element)));
}

Products GpuRing::products(std::span<const OperandPair> terms) const {
  Products products;
  products.reserve(terms.size());
  for (const auto& [a, b] : terms) {
    ElementPtr first = element(a);
    products.emplace_back(first, a.is_same(b) ? first : element(b));
  }
  return products;
}

void GpuRing::count_products(std::size_t products, std::size_t reductions) const {
  const std::size_t limbs = core_->modulus().words();
  backend().counters().count_multiplication(limbs, limbs, products);
  for (std::size_t i = 0; i < reductions; ++i) backend().counters().count_reduction();
}

Operand GpuRing::prepare(const Integer& x) const {
  const ElementPtr element = core_->modulus().put(x);
  return Operand(x).with(std::make_shared<const OnDevice>(
      core_, core_->modulus().with_spectra(std::span(&element, 1)).front()));
}

Integer GpuRing::multiply(const Operand& a, const Operand& b) const {
  const OperandPair term{a, b};
  return dot(std::span(&term, 1));
}

Integer GpuRing::dot(std::span<const OperandPair> terms) const {
  if (terms.empty() || terms.size() > Modulus::kMostProducts) return Ring::dot(terms);
  const Products sum = products(terms);
  count_products(terms.size(), 1);
  return core_->modulus().get(*core_->modulus().sums_of_products(std::span(&sum, 1)).front());
}

std::vector<Operand> GpuRing::compute_all(std::span<const RingOperation> operations,
                                          Progress& progress) const {
  std::vector<Products> products;
  std::vector<std::pair<ElementPtr, ElementPtr>> sums;
  for (const auto& [kind, a, b, is_factor] : operations) {
    const OperandPair pair{a, b};
    Products one = this->products(std::span(&pair, 1));
    if (kind == RingOperation::Kind::multiply) {
      products.push_back(std::move(one));
    } else {
      sums.push_back(std::move(one.front()));
    }
  }
  progress.monitor().throw_if_stopped();
  const std::vector<ElementPtr> of_products = core_->modulus().sums_of_products(products);
  const std::vector<ElementPtr> of_sums = core_->modulus().sums(sums);
  count_products(products.size(), products.size());

  std::vector<Operand> results;
  auto product = of_products.begin();
  auto sum = of_sums.begin();
  for (const RingOperation& operation : operations) {
    ElementPtr result = operation.kind == RingOperation::Kind::multiply ? *product++ : *sum++;
    if (operation.is_factor) {
      result = core_->modulus().with_spectra(std::span(&result, 1)).front();
    }
    results.push_back(operand(std::move(result)));
  }
  progress.advance(operations.size());
  return results;
}

std::vector<Operand> GpuRing::dot_all(std::span<const std::vector<OperandPair>> sums,
                                      Progress& progress) const {
  std::vector<Products> list;
  std::size_t count = 0;
  for (const std::vector<OperandPair>& sum : sums) {
    if (sum.size() > Modulus::kMostProducts) return Ring::dot_all(sums, progress);
    list.push_back(products(sum));
    count += sum.size();
  }
  progress.monitor().throw_if_stopped();
  std::vector<Operand> results;
  for (ElementPtr& sum : core_->modulus().sums_of_products(list)) {
    results.push_back(operand(std::move(sum)));
  }
  count_products(count, sums.size());
  progress.advance(sums.size());
  return results;
}

std::vector<Operand> GpuRing::prepare_all(std::span<const Operand> elements) const {
  std::vector<Operand> results;
  for (const Operand& x : elements) {
    const ElementPtr place = element(x);
    results.push_back(operand(core_->modulus().with_spectra(std::span(&place, 1)).front()));
  }
  return results;
}

}  // namespace fhe::gpu

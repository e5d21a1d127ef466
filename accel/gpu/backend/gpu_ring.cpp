// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "accel/gpu/backend/gpu_backend.hpp"
#include "libfhe/error.hpp"

namespace fhe::gpu {

namespace {

std::vector<std::pair<ElementPtr, ElementPtr>> pairs_of(std::span<const ElementPtr> a,
                                                        std::span<const ElementPtr> b) {
  std::vector<std::pair<ElementPtr, ElementPtr>> pairs;
  pairs.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) pairs.emplace_back(a[i], b[i]);
  return pairs;
}

}  // namespace

// What elements on the device need to outlive the ring.
class GpuRing::Core {
 public:
  Core(WorkshopPtr workshop, const Integer& n)
      : workshop_(std::move(workshop)), modulus_(workshop_->arithmetic, n) {}

  [[nodiscard]] const StreamPasses& passes() const { return workshop_->passes; }
  [[nodiscard]] const Modulus& modulus() const { return modulus_; }

 private:
  WorkshopPtr workshop_;
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

GpuRing::GpuRing(BackendPtr backend, WorkshopPtr workshop, const Integer& modulus)
    : Ring(std::move(backend), modulus),
      core_(std::make_shared<const Core>(std::move(workshop), modulus)) {}

ElementPtr GpuRing::element(const Operand& x) const {
  if (const auto* const here = dynamic_cast<const OnDevice*>(x.prepared().get())) {
    if (ElementPtr element = here->of(core_)) return element;
  }
  return core_->modulus().put(x.value());
}

std::vector<Operand> GpuRing::operands(std::vector<ElementPtr> elements) const {
  std::vector<Operand> results;
  results.reserve(elements.size());
  for (ElementPtr& element : elements) {
    results.emplace_back(std::make_shared<const OnDevice>(core_, std::move(element)));
  }
  return results;
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
  backend().counters().count_reduction(reductions);
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

  std::vector<ElementPtr> results;
  std::vector<ElementPtr> factors;
  auto product = of_products.begin();
  auto sum = of_sums.begin();
  for (const RingOperation& operation : operations) {
    results.push_back(operation.kind == RingOperation::Kind::multiply ? *product++ : *sum++);
    if (operation.is_factor) factors.push_back(results.back());
  }
  const std::vector<ElementPtr> prepared = core_->modulus().with_spectra(factors);
  auto factor = prepared.begin();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].is_factor) results[i] = *factor++;
  }
  progress.advance(operations.size());
  return operands(std::move(results));
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
  std::vector<ElementPtr> results = core_->modulus().sums_of_products(list);
  count_products(count, sums.size());
  progress.advance(sums.size());
  return operands(std::move(results));
}

std::vector<Operand> GpuRing::prepare_all(std::span<const Operand> elements) const {
  std::vector<ElementPtr> places;
  for (const Operand& x : elements) places.push_back(element(x));
  return operands(core_->modulus().with_spectra(places));
}

// Where the memory of the device is full, they stay where they are.
std::vector<Operand> GpuRing::keep_all(std::span<const Operand> elements) const {
  try {
    std::vector<ElementPtr> places;
    for (const Operand& x : elements) places.push_back(element(x));
    return operands(std::move(places));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return Ring::keep_all(elements);
  }
}

std::vector<Operand> GpuRing::selected_elements(std::span<const Operand> elements,
                                                const BlockSelection& selection,
                                                const Monitor& monitor) const {
  const std::size_t words = core_->modulus().words();
  std::vector<ElementPtr> places;  // which live until the kernels have been started
  std::vector<Number> numbers;
  for (const Operand& x : elements) {
    places.push_back(element(x));
    numbers.push_back(places.back()->number);
  }
  const auto is_whole = [&](const Number& number) { return number.count == words; };
  if (!std::ranges::all_of(numbers, is_whole)) {
    return Ring::selected_elements(elements, selection, monitor);
  }
  monitor.throw_if_stopped();
  std::vector<ElementPtr> sums = reduced(core_->passes().selected(numbers, words, selection));
  count_products(0, sums.size());
  return operands(std::move(sums));
}

// Sums of some elements, reduced, with the weights from `first` on.
template <class Weights>
std::vector<ElementPtr> GpuRing::weighted(const Elements& elements, std::span<const Weights> batch,
                                          std::size_t first, const Monitor& monitor) const {
  const std::size_t at_once =
      StreamPasses::sums_at_once(StreamPasses::sum_words(elements.words_each, batch));
  std::vector<ElementPtr> sums;
  for (std::size_t s = 0; s < batch.size(); s += at_once) {
    monitor.throw_if_stopped();
    const auto some = batch.subspan(s, std::min(at_once, batch.size() - s));
    std::ranges::move(reduced(core_->passes().weighted(elements, some, first)),
                      std::back_inserter(sums));
  }
  return sums;
}

template <class Weights>
std::vector<Integer> GpuRing::all_weighted_sums(const CorrectedStream& x,
                                                std::span<const Weights> batch,
                                                const Monitor& monitor) const {
  const std::size_t words_each = std::max(x.elements.limbs(), longest_words(x.corrections));
  if (StreamPasses::sum_words(words_each, batch) > core_->modulus().argument_words()) {
    return Ring::weighted_sums(x, batch, monitor);
  }
  std::vector<ElementPtr> sums;
  core_->passes().for_pieces(
      x.elements, 1, monitor, "weighted sums", [&](const Elements& piece, std::size_t first) {
        std::vector<ElementPtr> parts = weighted(piece, batch, first, monitor);
        sums = first == 0 ? std::move(parts) : core_->modulus().sums(pairs_of(sums, parts));
      });
  if (!x.corrections.empty()) {
    const ElementsPtr corrections = core_->passes().elements(x.corrections);
    sums = core_->modulus().differences(pairs_of(sums, weighted(*corrections, batch, 0, monitor)));
  }
  count_pass(x, sums.size());
  std::vector<Integer> results;
  results.reserve(sums.size());
  for (const ElementPtr& sum : sums) results.push_back(core_->modulus().get(*sum));
  return results;
}

std::vector<Integer> GpuRing::weighted_sums(const CorrectedStream& x,
                                            std::span<const DenseWeights> batch,
                                            const Monitor& monitor) const {
  return all_weighted_sums(x, batch, monitor);
}

std::vector<Integer> GpuRing::weighted_sums(const CorrectedStream& x,
                                            std::span<const SparseWeights> batch,
                                            const Monitor& monitor) const {
  return all_weighted_sums(x, batch, monitor);
}

std::vector<Operand> GpuRing::selected_elements(const CorrectedStream& x,
                                                const BlockSelection& selection,
                                                const Monitor& monitor) const {
  const std::size_t words_each = std::max(x.elements.limbs(), longest_words(x.corrections));
  if (StreamPasses::selected_words(words_each) > core_->modulus().argument_words()) {
    return Ring::selected_elements(x, selection, monitor);
  }
  const std::size_t block_size = std::min(selection.block_size, x.elements.count());
  std::vector<ElementPtr> sums;
  core_->passes().for_pieces(x.elements, block_size, monitor, "selected sums",
                             [&](const Elements& piece, std::size_t first) {
                               std::ranges::move(
                                   reduced(core_->passes().selected(piece, selection, first)),
                                   std::back_inserter(sums));
                             });
  if (!x.corrections.empty()) {
    const ElementsPtr corrections = core_->passes().elements(x.corrections);
    sums = core_->modulus().differences(
        pairs_of(sums, reduced(core_->passes().selected(*corrections, selection))));
  }
  count_pass(x, sums.size());
  return operands(std::move(sums));
}

void GpuRing::count_pass(const CorrectedStream& x, std::size_t sums) const {
  backend().counters().count_stream_bytes(x.elements.count() * x.elements.limbs() * sizeof(Limb));
  count_products(0, sums);
}

std::vector<ElementPtr> GpuRing::reduced(StreamPasses::Sums sums) const {
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < sums.count; ++i) numbers.push_back(sums.number(i));
  if (sums.words >= core_->modulus().words()) return core_->modulus().reduced(numbers);
  return Modulus::reduced_already(numbers, std::move(sums.buffer));
}

}  // namespace fhe::gpu

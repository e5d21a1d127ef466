// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <list>
#include <optional>
#include <utility>

#include "accel/plugin/host_calls.hpp"
#include "accel/plugin/plugin_backend.hpp"
#include "accel/plugin/plugin_calls.hpp"
#include "accel/plugin/weights_for_plugin.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe::plugin {

namespace {

constexpr const StreamForPlugin* kNoStream = nullptr;

std::uint32_t kind_of(RingOperationKind kind) {
  return kind == RingOperationKind::multiply ? FHE_RING_MULTIPLY : FHE_RING_ADD;
}

}  // namespace

// The plug-in's ring, closed with its last user.
class PluginRing::OpenRing {
 public:
  OpenRing(OpenBackendPtr backend, Integer modulus)
      : backend_(std::move(backend)), modulus_(std::move(modulus)) {
    const fhe_number n = number(modulus_);
    calls().make(ring_, [&](fhe_backend_error* error) {
      return calls().functions().ring_open(backend_->get(), &n, &ring_, error);
    });
  }
  ~OpenRing() {
    calls().close([&] { calls().functions().ring_close(ring_); });
  }
  OpenRing(const OpenRing&) = delete;
  OpenRing& operator=(const OpenRing&) = delete;

  [[nodiscard]] const PluginCalls& calls() const { return backend_->calls(); }
  [[nodiscard]] const Integer& modulus() const { return modulus_; }
  [[nodiscard]] const fhe_ring* get() const { return ring_; }

 private:
  OpenBackendPtr backend_;
  Integer modulus_;
  fhe_ring* ring_ = nullptr;
};

// An operand of the plug-in, closed with its last user.
class PluginRing::OpenOperand {
 public:
  explicit OpenOperand(std::shared_ptr<const OpenRing> ring) : ring_(std::move(ring)) {}
  ~OpenOperand() {
    if (operand_ == nullptr) return;
    ring_->calls().close([&] { ring_->calls().functions().operand_close(operand_); });
  }
  OpenOperand(const OpenOperand&) = delete;
  OpenOperand& operator=(const OpenOperand&) = delete;

  // Takes over what the plug-in has made. There is room for it before, so that nothing is lost.
  void take(fhe_operand* operand) noexcept { operand_ = operand; }

  [[nodiscard]] const OpenRing& ring() const { return *ring_; }
  [[nodiscard]] const fhe_operand* get() const { return operand_; }
  // The plug-in's object, or null for another ring than its own.
  [[nodiscard]] const fhe_operand* of(const OpenRing& ring) const {
    return &ring == ring_.get() ? operand_ : nullptr;
  }

 private:
  std::shared_ptr<const OpenRing> ring_;
  fhe_operand* operand_ = nullptr;
};

// What the plug-in has prepared for an element of a ring.
class PluginRing::PreparedByPlugin final : public Operand::Prepared {
 public:
  explicit PreparedByPlugin(std::shared_ptr<const OpenRing> ring) : operand_(std::move(ring)) {}

  [[nodiscard]] OpenOperand& operand() { return operand_; }
  [[nodiscard]] const OpenOperand& operand() const { return operand_; }

 private:
  OpenOperand operand_;
};

// An element that only the plug-in has.
class PluginRing::ElementOfPlugin final : public Operand::Elsewhere {
 public:
  explicit ElementOfPlugin(std::shared_ptr<const OpenRing> ring) : operand_(std::move(ring)) {}

  [[nodiscard]] OpenOperand& operand() { return operand_; }
  [[nodiscard]] const OpenOperand& operand() const { return operand_; }

 private:
  [[nodiscard]] Integer fetch() const override {
    const OpenRing& ring = operand_.ring();
    Results value(1, mpz_size(ring.modulus().get_mpz_t()));
    ring.calls().run([&](fhe_backend_error* error) {
      return ring.calls().functions().operand_value(ring.get(), operand_.get(), value.views(),
                                                    error);
    });
    return std::move(value.below(ring.modulus(), ring.calls()).front());
  }

  OpenOperand operand_;
};

// A corrected stream for the plug-in. It must outlive the object.
class PluginRing::PublicElements {
 public:
  explicit PublicElements(const CorrectedStream& x) : stream_(x.elements) {
    corrections_.reserve(x.corrections.size());
    std::ranges::transform(x.corrections, std::back_inserter(corrections_), number);
  }

  // Whether the plug-in may have them; libfhe's default throws for invalid ones.
  [[nodiscard]] static bool are_in(const CorrectedStream& x) {
    const std::size_t count = x.elements.count();
    return count > 0 && (x.corrections.empty() || x.corrections.size() == count) &&
           std::ranges::all_of(x.corrections, [](const Integer& c) { return sgn(c) >= 0; });
  }

  [[nodiscard]] const StreamForPlugin& stream() const { return stream_; }
  [[nodiscard]] const fhe_number* corrections() const {
    return corrections_.empty() ? nullptr : corrections_.data();
  }

 private:
  StreamForPlugin stream_;
  std::vector<fhe_number> corrections_;
};

// A recryption for the plug-in. What it refers to must outlive the object.
class PluginRing::RecryptionForPlugin {
 public:
  RecryptionForPlugin(const PluginRing& ring, const RingProgram& task, const Integer& c)
      : residue_factors_(ring.factors(task.residues.factors)), kept_(ring.factors(task.kept)) {
    if (task.other_factors != nullptr) other_factors_.emplace(*task.other_factors);
    std::ranges::transform(task.first_factors, std::back_inserter(first_factors_), number);
    for (const CorrectedStream& x : task.elements) {
      const PublicElements& elements = elements_.emplace_back(x);
      streams_.push_back({elements.stream().view(), elements.corrections()});
    }
    for (const auto& [first, count, window, step, plus] : task.groups)
      groups_.push_back({first, count, window, step, plus});
    for (const auto& [x, inverse_of] : task.constants)
      constants_.push_back({number(x), sgn(x) < 0 ? 1U : 0U});
    for (const auto& [operation, left, right] : task.steps)
      steps_.push_back({kind_of(operation), left, right});
    view_ = {.size = sizeof view_,
             .c = number(c),
             .first_factors = first_factors_.data(),
             .first_count = first_factors_.size(),
             .other_factors = other_factors_ ? other_factors_->view() : nullptr,
             .window = {task.windows.modulus_bits, task.windows.window_bits},
             .residue_factors = residue_factors_.data(),
             .residue_factor_count = residue_factors_.size(),
             .residue_count = task.residues.count,
             .residue_step = task.residues.step,
             .streams = streams_.data(),
             .stream_count = streams_.size(),
             .kept = kept_.data(),
             .kept_count = kept_.size(),
             .groups = groups_.data(),
             .group_count = groups_.size(),
             .singles = task.singles.data(),
             .single_count = task.singles.size(),
             .constants = constants_.data(),
             .constant_count = constants_.size(),
             .steps = steps_.data(),
             .step_count = steps_.size(),
             .output = task.output};
  }

  // Whether the plug-in may have it.
  [[nodiscard]] static bool takes(const RingProgram& task) {
    return std::ranges::all_of(task.elements, PublicElements::are_in);
  }

  [[nodiscard]] const fhe_recryption* view() const { return &view_; }
  // What reading a stream threw, if anything.
  void rethrow_failure() const {
    if (other_factors_) other_factors_->rethrow_failure();
    for (const PublicElements& elements : elements_) elements.stream().rethrow_failure();
  }

 private:
  std::vector<fhe_factor> residue_factors_;
  std::vector<fhe_factor> kept_;
  std::optional<StreamForPlugin> other_factors_;
  std::list<PublicElements> elements_;
  std::vector<fhe_corrected_stream> streams_;
  std::vector<fhe_number> first_factors_;
  std::vector<fhe_window_group> groups_;
  std::vector<fhe_signed_number> constants_;
  std::vector<fhe_ring_step> steps_;
  fhe_recryption view_{};
};

PluginRing::PluginRing(BackendPtr backend, OpenBackendPtr open, const Integer& modulus)
    : Ring(std::move(backend), modulus),
      open_(std::move(open)),
      ring_(std::make_shared<const OpenRing>(open_, modulus)) {}

template <class Call>
Integer PluginRing::element(const Call& call) const {
  Results result(1, mpz_size(modulus().get_mpz_t()));
  open_->calls().run([&](fhe_backend_error* error) { return call(result.views(), error); });
  return std::move(result.below(modulus(), open_->calls()).front());
}

template <class Call>
std::vector<Operand> PluginRing::elements(std::size_t count, const Call& call,
                                          const Monitor& monitor) const {
  std::vector<std::shared_ptr<ElementOfPlugin>> elements(count);
  for (auto& element : elements) element = std::make_shared<ElementOfPlugin>(ring_);
  std::vector<fhe_operand*> made(count);
  open_->calls().run([&](fhe_backend_error* error) { return call(made.data(), error); }, monitor);
  for (std::size_t i = 0; i < count; ++i) elements[i]->operand().take(made[i]);
  if (std::ranges::find(made, nullptr) != made.end()) throw open_->calls().made_nothing();
  std::vector<Operand> results;
  results.reserve(count);
  for (const auto& element : elements) results.emplace_back(element);
  return results;
}

template <class Call>
std::vector<Operand> PluginRing::watched_elements(std::size_t count, Progress& progress,
                                                  const Call& call) const {
  // The host reports the progress of all that the operations belong to.
  const Monitor quiet{.stop = progress.monitor().stop, .progress = {}};
  std::vector<Operand> made = stoppable(quiet, kNoStream, [&] {
    const MonitorForPlugin watch(quiet);
    return elements(
        count,
        [&](fhe_operand** operands, fhe_backend_error* error) {
          return call(operands, watch.view(), error);
        },
        quiet);
  });
  progress.advance(count);
  return made;
}

fhe_factor PluginRing::factor(const Operand& x) const {
  if (const auto* const element = dynamic_cast<const ElementOfPlugin*>(x.prepared().get())) {
    if (const fhe_operand* const here = element->operand().of(*ring_)) return {{}, here};
  }
  const auto* const prepared = dynamic_cast<const PreparedByPlugin*>(x.prepared().get());
  return {number(x.value()), prepared == nullptr ? nullptr : prepared->operand().of(*ring_)};
}

std::vector<fhe_factor> PluginRing::factors(std::span<const Operand> list) const {
  std::vector<fhe_factor> factors;
  factors.reserve(list.size());
  for (const Operand& x : list) factors.push_back(factor(x));
  return factors;
}

void PluginRing::count_products(std::size_t products, std::size_t reductions) const {
  open_->count(backend().counters(), [&](OperationCounters& counters) {
    const std::size_t limbs = mpz_size(modulus().get_mpz_t());
    counters.count_multiplication(limbs, limbs, products);
    counters.count_reduction(reductions);
  });
}

void PluginRing::count_pass(const CorrectedStream& x, std::size_t sums) const {
  open_->count(backend().counters(), [&](OperationCounters& counters) {
    counters.count_stream_bytes(x.elements.count() * x.elements.limbs() * sizeof(Limb));
    counters.count_reduction(sums);
  });
}

Integer PluginRing::reduce(const Integer& x) const {
  const fhe_number value = number(x);
  Integer residue = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_reduce(ring_->get(), &value, result, error);
  });
  open_->count(backend().counters(),
               [](OperationCounters& counters) { counters.count_reduction(); });
  if (sgn(x) < 0 && sgn(residue) != 0) residue = modulus() - residue;
  return residue;
}

Operand PluginRing::prepare(const Integer& x) const {
  if (functions().ring_prepare == nullptr) return {x};
  const fhe_number value = number(x);
  const auto prepared = std::make_shared<PreparedByPlugin>(ring_);
  fhe_operand* operand = nullptr;
  open_->calls().make(operand, [&](fhe_backend_error* error) {
    return functions().ring_prepare(ring_->get(), &value, &operand, error);
  });
  prepared->operand().take(operand);
  return {x, prepared};
}

Integer PluginRing::multiply(const Operand& a, const Operand& b) const {
  const fhe_factor first = factor(a);
  const fhe_factor second = factor(b);
  Integer product = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_multiply(ring_->get(), &first, &second, result, error);
  });
  count_products(1, 1);
  return product;
}

Integer PluginRing::dot(std::span<const OperandPair> terms) const {
  if (functions().ring_dot == nullptr || terms.empty()) return Ring::dot(terms);
  std::vector<fhe_factor> first;
  std::vector<fhe_factor> second;
  first.reserve(terms.size());
  second.reserve(terms.size());
  for (const auto& [a, b] : terms) {
    first.push_back(factor(a));
    second.push_back(factor(b));
  }
  Integer sum = element([&](fhe_result* result, fhe_backend_error* error) {
    return functions().ring_dot(ring_->get(), first.data(), second.data(), terms.size(), result,
                                error);
  });
  count_products(terms.size(), 1);
  return sum;
}

template <class Call>
std::vector<Integer> PluginRing::sums(const CorrectedStream& x, std::size_t count,
                                      const Monitor& monitor, const Call& call) const {
  const PublicElements elements(x);
  Results sums(count, mpz_size(modulus().get_mpz_t()));
  stoppable(monitor, &elements.stream(), [&] {
    const MonitorForPlugin watch(monitor);
    open_->calls().run(
        [&](fhe_backend_error* error) { return call(elements, sums.views(), watch.view(), error); },
        monitor);
  });
  count_pass(x, count);
  return sums.below(modulus(), open_->calls());
}

std::vector<Integer> PluginRing::weighted_sums(const CorrectedStream& x,
                                               std::span<const DenseWeights> batch,
                                               const Monitor& monitor) const {
  if (functions().ring_weighted_sums == nullptr || !PublicElements::are_in(x) ||
      !can_be_summed(x.elements.count(), batch)) {
    return Ring::weighted_sums(x, batch, monitor);
  }
  const DenseForPlugin weights(batch);
  return sums(x, batch.size(), monitor,
              [&](const PublicElements& from, fhe_result* results, const fhe_monitor* watch,
                  fhe_backend_error* error) {
                return functions().ring_weighted_sums(ring_->get(), from.stream().view(),
                                                      from.corrections(), weights.view(),
                                                      batch.size(), results, watch, error);
              });
}

std::vector<Integer> PluginRing::weighted_sums(const CorrectedStream& x,
                                               std::span<const SparseWeights> batch,
                                               const Monitor& monitor) const {
  if (functions().ring_sparse_sums != nullptr && can_be_summed_in_runs(x.elements.count(), batch)) {
    return sums_in_runs(
        batch, [&](std::span<const SparseWeights> run) { return weighted_sums(x, run, monitor); });
  }
  if (functions().ring_sparse_sums == nullptr || !PublicElements::are_in(x) ||
      !can_be_summed(x.elements.count(), batch)) {
    return Ring::weighted_sums(x, batch, monitor);
  }
  const SparseForPlugin weights(batch);
  return sums(x, batch.size(), monitor,
              [&](const PublicElements& from, fhe_result* results, const fhe_monitor* watch,
                  fhe_backend_error* error) {
                return functions().ring_sparse_sums(ring_->get(), from.stream().view(),
                                                    from.corrections(), weights.view(),
                                                    batch.size(), results, watch, error);
              });
}

std::vector<Operand> PluginRing::compute_all(std::span<const RingOperation> operations,
                                             Progress& progress) const {
  if (!keeps_results() || operations.empty()) return Ring::compute_all(operations, progress);
  std::vector<fhe_ring_operation> list;
  list.reserve(operations.size());
  std::size_t products = 0;
  for (const auto& [kind, a, b, is_factor] : operations) {
    products += kind == RingOperation::Kind::multiply ? 1 : 0;
    list.push_back(
        {.kind = kind_of(kind), .is_factor = is_factor ? 1U : 0U, .a = factor(a), .b = factor(b)});
  }
  std::vector<Operand> results =
      watched_elements(list.size(), progress,
                       [&](fhe_operand** made, const fhe_monitor* watch, fhe_backend_error* error) {
                         return functions().ring_compute_all(ring_->get(), list.data(), list.size(),
                                                             made, watch, error);
                       });
  count_products(products, products);
  return results;
}

std::vector<Operand> PluginRing::dot_all(std::span<const std::vector<OperandPair>> sums,
                                         Progress& progress) const {
  if (!keeps_results() || sums.empty()) return Ring::dot_all(sums, progress);
  std::vector<fhe_factor> first;
  std::vector<fhe_factor> second;
  std::vector<std::size_t> terms;
  terms.reserve(sums.size());
  for (const std::vector<OperandPair>& sum : sums) {
    terms.push_back(sum.size());
    for (const auto& [a, b] : sum) {
      first.push_back(factor(a));
      second.push_back(factor(b));
    }
  }
  std::vector<Operand> results = watched_elements(
      sums.size(), progress,
      [&](fhe_operand** made, const fhe_monitor* watch, fhe_backend_error* error) {
        return functions().ring_dot_all(ring_->get(), first.data(), second.data(), terms.data(),
                                        terms.size(), made, watch, error);
      });
  count_products(first.size(), sums.size());
  return results;
}

std::vector<Operand> PluginRing::prepare_all(std::span<const Operand> list) const {
  if (!keeps_results() || list.empty()) return Ring::prepare_all(list);
  const std::vector<fhe_factor> of_list = factors(list);
  return elements(list.size(), [&](fhe_operand** made, fhe_backend_error* error) {
    return functions().ring_prepare_all(ring_->get(), of_list.data(), of_list.size(), made, error);
  });
}

// The host keeps the elements that it has, in case the plug-in loses its own.
std::vector<Operand> PluginRing::keep_all(std::span<const Operand> list) const {
  if (functions().ring_keep_all == nullptr || list.empty()) return Ring::keep_all(list);
  const std::vector<fhe_factor> of_list = factors(list);
  std::vector<Operand> kept =
      elements(list.size(), [&](fhe_operand** made, fhe_backend_error* error) {
        return functions().ring_keep_all(ring_->get(), of_list.data(), of_list.size(), made, error);
      });
  for (std::size_t i = 0; i < kept.size(); ++i) kept[i] = list[i].with(kept[i].prepared());
  return kept;
}

std::vector<Operand> PluginRing::selected_elements(std::span<const Operand> list,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const {
  if (functions().ring_selected_factors == nullptr || list.empty() ||
      !is_selection(selection, list.size())) {
    return Ring::selected_elements(list, selection, monitor);
  }
  const std::vector<fhe_factor> of_list = factors(list);
  const fhe_selection chosen{selection.block_size, selection.width, selection.masks.data()};
  return stoppable(monitor, kNoStream, [&] {
    const MonitorForPlugin watch(monitor);
    return elements(
        selection.blocks() * selection.width,
        [&](fhe_operand** made, fhe_backend_error* error) {
          return functions().ring_selected_factors(ring_->get(), of_list.data(), of_list.size(),
                                                   &chosen, made, watch.view(), error);
        },
        monitor);
  });
}

std::vector<Operand> PluginRing::selected_elements(const CorrectedStream& x,
                                                   const BlockSelection& selection,
                                                   const Monitor& monitor) const {
  if (!keeps_results() || !PublicElements::are_in(x) ||
      !is_selection(selection, x.elements.count())) {
    return Ring::selected_elements(x, selection, monitor);
  }
  const PublicElements from(x);
  const fhe_selection chosen{selection.block_size, selection.width, selection.masks.data()};
  std::vector<Operand> sums = stoppable(monitor, &from.stream(), [&] {
    const MonitorForPlugin watch(monitor);
    return elements(
        selection.blocks() * selection.width,
        [&](fhe_operand** made, fhe_backend_error* error) {
          return functions().ring_selected_sums(ring_->get(), from.stream().view(),
                                                from.corrections(), &chosen, made, watch.view(),
                                                error);
        },
        monitor);
  });
  count_pass(x, sums.size());
  return sums;
}

std::optional<Integer> PluginRing::run_at_once(const RingProgram& program, const Integer& c,
                                               const Monitor& monitor) const {
  const RecryptionForPlugin recryption(*this, program, c);
  Results result(1, mpz_size(modulus().get_mpz_t()));
  int done = 0;
  stoppable(monitor, &recryption, [&] {
    const MonitorForPlugin watch(monitor);
    open_->calls().run(
        [&](fhe_backend_error* error) {
          return functions().ring_recrypt(ring_->get(), recryption.view(), &done, result.views(),
                                          watch.view(), error);
        },
        monitor);
  });
  if (done == 0) return std::nullopt;
  return std::move(result.below(modulus(), open_->calls()).front());
}

std::vector<Integer> PluginRing::run(const RingProgram& program, std::span<const Integer> cs,
                                     const Monitor& monitor) const {
  program.check(cs);
  if (functions().ring_recrypt == nullptr || !RecryptionForPlugin::takes(program)) {
    return Ring::run(program, cs, monitor);
  }
  std::vector<Integer> results;
  for (const Integer& c : cs) {
    std::optional<Integer> result = run_at_once(program, c, monitor);
    if (!result) return Ring::run(program, cs, monitor);
    results.push_back(std::move(*result));
  }
  return results;
}

}  // namespace fhe::plugin

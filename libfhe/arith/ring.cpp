// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/ring.hpp"

#include <algorithm>
#include <iterator>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/program_run.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/arith/stream_kernels.hpp"
#include "libfhe/error.hpp"

namespace fhe {

namespace {

const Integer& checked_modulus(const Integer& modulus) {
  if (modulus < 2) throw Error(ErrorCode::invalid_argument, "a ring needs a modulus of at least 2");
  return modulus;
}

using Reducer = std::variant<BarrettReducer, ComplementReducer>;

Reducer reducer_for(const Integer& modulus) {
  if (ComplementReducer::suits(modulus)) return ComplementReducer(modulus);
  return BarrettReducer(modulus);
}

void check_corrections(const CorrectedStream& x) {
  if (!x.corrections.empty() && x.corrections.size() != x.elements.count()) {
    throw Error(ErrorCode::invalid_argument, "a stream needs one correction per element or none");
  }
}

// What subtract_corrections does, for corrections that are long beside the weights: such sums are
// what a backend does well. Nothing, and false, for others.
template <class Weights>
bool subtract_long_corrections(const Backend& backend, std::span<const Integer> corrections,
                               std::span<const Weights> batch, std::span<Integer> sums,
                               const Monitor& monitor) {
  constexpr std::size_t kLong = 4;  // weights
  std::size_t bits = 0;
  std::vector<const Integer*> elements;
  elements.reserve(corrections.size());
  for (const Integer& correction : corrections) {
    if (correction < 0) return false;
    bits = std::max(bits, bit_length(correction));
    elements.push_back(&correction);
  }
  std::size_t weight_bits = 0;
  for (const Weights& weights : batch) {
    weight_bits = std::max(weight_bits, max_weight_bits(weights));
  }
  if (bits < kLong * weight_bits || bits == 0) return false;
  const std::vector<Integer> parts =
      backend.weighted_sums(ViewStream(std::move(elements), bits), batch, monitor);
  for (std::size_t b = 0; b < sums.size(); ++b) sums[b] -= parts[b];
  return true;
}

// sums[b] -= sum_i corrections_i * w_i with the weights of set b, in spans of terms: a single sum
// is work for all threads too.
template <class Weights>
void subtract_corrections(const Backend& backend, std::span<const Integer> corrections,
                          std::span<const Weights> batch, std::span<Integer> sums,
                          const Monitor& monitor) {
  if (subtract_long_corrections(backend, corrections, batch, sums, monitor)) return;
  constexpr std::size_t kSpan = 16;
  const std::size_t spans = (corrections.size() + kSpan - 1) / kSpan;
  std::vector<Integer> parts(sums.size() * spans);
  parallel_for(parts.size(), [&](std::size_t which) {
    const Weights& weights = batch[which / spans];
    const std::size_t first = which % spans * kSpan;
    const std::size_t end = std::min(first + kSpan, corrections.size());
    for (std::size_t i = first; i < end; ++i) {
      parts[which] += backend.multiply(corrections[i], weight_at(weights, i));
    }
  });
  for (std::size_t which = 0; which < parts.size(); ++which) sums[which / spans] -= parts[which];
}

// sum_i (elements_i - corrections_i) * w_i mod N, from the sums over the elements alone.
template <class Weights>
std::vector<Integer> corrected_sums(const Ring& ring, const CorrectedStream& x,
                                    std::span<const Weights> batch, const Monitor& monitor) {
  check_corrections(x);
  std::vector<Integer> sums = ring.backend().weighted_sums(x.elements, batch, monitor);
  subtract_corrections(ring.backend(), x.corrections, batch, std::span(sums), monitor);
  parallel_for(sums.size(), [&](std::size_t b) { sums[b] = ring.reduce(sums[b]); });
  return sums;
}

}  // namespace

// Not by std::call_once: ThreadSanitizer's waits for ever after a call that threw.
const Integer& Operand::Elsewhere::value() const {
  const std::lock_guard lock(guard_);
  // While the lock is held, this thread must not take up a body that asks for the same element.
  if (!value_) without_other_work([this] { value_ = fetch(); });
  return *value_;
}

Ring::Ring(BackendPtr backend, const Integer& modulus)
    : backend_(std::move(backend)),
      modulus_(checked_modulus(modulus)),
      reducer_(reducer_for(modulus_)) {}

Ring::Ring(BackendPtr backend, const Integer& modulus, Integer reciprocal)
    : backend_(std::move(backend)),
      modulus_(checked_modulus(modulus)),
      reducer_(BarrettReducer(modulus_, std::move(reciprocal))) {}

Integer Ring::reduce(const Integer& x) const {
  backend_->counters().count_reduction();
  return std::visit([&](const auto& reducer) { return reducer.reduce(x, *backend_); }, reducer_);
}

Operand Ring::prepare(const Integer& x) const {
  return Operand(x);
}

Integer Ring::multiply(const Operand& a, const Operand& b) const {
  return reduce(backend_->multiply(a.value(), b.value()));
}

Integer Ring::dot(std::span<const OperandPair> terms) const {
  Integer sum;
  for (const auto& [a, b] : terms) sum += backend_->multiply(a.value(), b.value());
  return reduce(sum);
}

std::vector<Integer> Ring::weighted_sums(const CorrectedStream& x,
                                         std::span<const DenseWeights> batch,
                                         const Monitor& monitor) const {
  return corrected_sums(*this, x, batch, monitor);
}

std::vector<Integer> Ring::weighted_sums(const CorrectedStream& x,
                                         std::span<const SparseWeights> batch,
                                         const Monitor& monitor) const {
  return corrected_sums(*this, x, batch, monitor);
}

std::vector<Integer> Ring::selected_sums(const CorrectedStream& x, const BlockSelection& selection,
                                         const Monitor& monitor) const {
  check_corrections(x);
  std::vector<Integer> sums = backend().selected_sums(x.elements, selection, monitor);
  parallel_for(sums.size(), [&](std::size_t which) {
    const std::size_t block = which / selection.width;
    const std::size_t bit = which % selection.width;
    const std::size_t end = std::min((block + 1) * selection.block_size, x.corrections.size());
    for (std::size_t i = block * selection.block_size; i < end; ++i) {
      if ((selection.masks[i] >> bit & 1) != 0) sums[which] -= x.corrections[i];
    }
    sums[which] = reduce(sums[which]);
  });
  return sums;
}

std::vector<Operand> Ring::compute_all(std::span<const RingOperation> operations,
                                       Progress& progress) const {
  std::vector<Operand> results(operations.size(), Operand(Integer()));
  parallel_for(operations.size(), [&](std::size_t i) {
    const auto& [kind, a, b, is_factor] = operations[i];
    Integer result =
        kind == RingOperation::Kind::multiply ? multiply(a, b) : add(a.value(), b.value());
    results[i] = is_factor ? prepare(result) : Operand(std::move(result));
    progress.advance();
  });
  return results;
}

std::vector<Operand> Ring::dot_all(std::span<const std::vector<OperandPair>> sums,
                                   Progress& progress) const {
  std::vector<Operand> results(sums.size(), Operand(Integer()));
  parallel_for(sums.size(), [&](std::size_t i) {
    results[i] = Operand(dot(sums[i]));
    progress.advance();
  });
  return results;
}

std::vector<Operand> Ring::prepare_all(std::span<const Operand> elements) const {
  std::vector<Operand> prepared(elements.begin(), elements.end());
  parallel_for(prepared.size(), [&](std::size_t i) {
    prepared[i] = elements[i].with(prepare(elements[i].value()).prepared());
  });
  return prepared;
}

std::vector<Operand> Ring::keep_all(std::span<const Operand> elements) const {
  return {elements.begin(), elements.end()};
}

// The quotient of a sum of elements has one limb: one pass over it, where `reduce` takes products.
std::vector<Operand> Ring::selected_elements(std::span<const Operand> elements,
                                             const BlockSelection& selection,
                                             const Monitor& monitor) const {
  std::vector<const Integer*> values;
  values.reserve(elements.size());
  for (const Operand& x : elements) values.push_back(&x.value());
  const ViewStream stream(std::move(values), bit_length(modulus_));
  std::vector<Integer> sums = backend_->selected_sums(stream, selection, monitor);
  std::vector<Operand> results(sums.size(), Operand(Integer()));
  parallel_for(sums.size(), [&](std::size_t i) {
    Integer residue;
    mpz_tdiv_r(residue.get_mpz_t(), sums[i].get_mpz_t(), modulus_.get_mpz_t());
    sums[i] = Integer();  // held once, not twice
    results[i] = Operand(std::move(residue));
  });
  return results;
}

std::vector<Operand> Ring::selected_elements(const CorrectedStream& x,
                                             const BlockSelection& selection,
                                             const Monitor& monitor) const {
  std::vector<Integer> sums = selected_sums(x, selection, monitor);
  return {std::make_move_iterator(sums.begin()), std::make_move_iterator(sums.end())};
}

std::vector<Integer> Ring::run(const RingProgram& program, std::span<const Integer> cs,
                               const Monitor& monitor) const {
  program.check(cs);
  return run_step_by_step(*this, program, cs, monitor);
}

Integer Ring::add(const Integer& a, const Integer& b) const {
  Integer sum = a + b;
  if (sum >= modulus_) sum -= modulus_;
  return sum;
}

Integer Ring::subtract(const Integer& a, const Integer& b) const {
  Integer difference = a - b;
  if (difference < 0) difference += modulus_;
  return difference;
}

}  // namespace fhe

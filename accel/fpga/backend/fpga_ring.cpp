// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "accel/fpga/backend/device_operand.hpp"
#include "accel/fpga/backend/device_selection.hpp"
#include "accel/fpga/backend/device_sums.hpp"
#include "accel/fpga/backend/device_wipe.hpp"
#include "accel/fpga/backend/fpga_backend.hpp"
#include "accel/fpga/contract/words.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe::fpga {

namespace {

template <class Weights>
Integer sum_of_corrections(std::span<const Integer> corrections, const Weights& weights) {
  Integer sum;
  for (std::size_t i = 0; i < corrections.size(); ++i)
    sum += corrections[i] * weight_at(weights, i);
  return sum;
}

// Bits of the sum of up to `count` elements.
std::uint64_t bits_of_sums(std::size_t element_bits, std::size_t count) {
  return std::uint64_t{element_bits} + static_cast<unsigned>(std::bit_width(count));
}

// The sum of the corrections that bit `bit` of the masks of a block selects; 0 where there are
// none.
Integer selected_corrections(std::span<const Integer> corrections, const BlockSelection& selection,
                             std::size_t block, std::size_t bit) {
  const std::size_t first = block * selection.block_size;
  const std::size_t count = std::min(selection.block_size, selection.masks.size() - first);
  Integer sum;
  if (corrections.empty()) return sum;
  for (std::size_t i = first; i < first + count; ++i)
    if ((selection.masks[i] >> bit & 1) != 0) sum += corrections[i];
  return sum;
}

// x mod modulus, in [0, modulus), on the host.
Integer residue(const Integer& x, const Integer& modulus) {
  Integer result;
  mpz_fdiv_r(result.get_mpz_t(), x.get_mpz_t(), modulus.get_mpz_t());
  return result;
}

}  // namespace

// Operations whose results stay on the device. Commands run in their order, and no result is needed
// before the last one has ended, so that all wait together.
class FpgaRing::Stage {
 public:
  // Results that do not last may take the memory that is left for work.
  explicit Stage(const FpgaRing& ring, bool lasts = true)
      : ring_(ring),
        lasts_(lasts),
        session_(*ring.session_),
        reduction_(ring.reduction_for(2 * std::uint64_t{ring.bits_})) {}

  void multiply(const Operand& a, const Operand& b) {
    const DeviceOperand first(session_.device, a, ring_.bits_);
    const DeviceOperand second(session_.device, b, ring_.bits_);
    const DeviceInteger product = scratch(0, 2 * std::uint64_t{ring_.bits_});
    submit(session_.four_steps.faster(session_.device,
                                      fpga::multiply(product, first.place(), second.place())));
    reduce(product, reduction_);
    counters().count_multiplication(limbs_for_bits(ring_.bits_), limbs_for_bits(ring_.bits_));
  }

  void add(const Operand& a, const Operand& b) {
    const DeviceOperand first(session_.device, a, ring_.bits_);
    const DeviceOperand second(session_.device, b, ring_.bits_);
    const DeviceInteger sum = scratch(0, with_carry());
    submit(fpga::add(sum, first.place(), second.place()));
    submit(subtract_if_not_less(new_result(), sum, modulus()));
  }

  void dot(std::span<const OperandPair> terms) {
    const DeviceInteger result = new_result();
    if (terms.empty()) {
      submit(clear(result));
    } else {
      tickets_.push_back(submit_dot(session_, terms, reduction_, result.address, counters()));
    }
  }

  // The sum of these, which has at most `bits` bits, minus `correction` < N.
  void sum(std::span<const DeviceInteger> terms, std::uint64_t bits, const Integer& correction) {
    DeviceInteger sum = scratch(0, bits);
    DeviceInteger next = scratch(1, bits);
    submit(clear(sum));
    for (const DeviceInteger& term : terms) {
      submit(fpga::add(next, sum, term));
      std::swap(sum, next);
    }
    reduce(sum, ring_.reduction_for(bits));
    if (correction != 0) subtract_from_last(correction);
  }

  // The sums of a block of this selection, minus the corrections < N of each.
  void select(const DeviceSelection& selection, std::size_t block,
              std::span<const Integer> corrections) {
    const DeviceInteger sums = scratch(2, selection.bits_of_block());
    for (const Command& command : selection.commands(block, sums.address)) submit(command);
    for (std::size_t which = 0; which < corrections.size(); ++which) {
      const DeviceInteger sum = selection.sum(sums.address, which);
      reduce(sum, ring_.reduction_for(sum.bits));
      if (corrections[which] != 0) subtract_from_last(corrections[which]);
    }
  }

  // x mod N of a number of the host, which has at most `bits` bits.
  void reduce_from_host(const Integer& x, std::uint32_t bits) {
    const DeviceBuffer argument = session_.device.store(x, bits);
    reduce({argument.address(), bits}, ring_.reduction_for(bits));
  }

  // All results, in their order. To be called once.
  [[nodiscard]] std::vector<Operand> results() {
    for (const Ticket& ticket : tickets_) session_.wait(ticket, counters());
    std::vector<Operand> results;
    results.reserve(buffers_.size());
    for (DeviceBuffer& buffer : buffers_) {
      results.emplace_back(
          std::make_shared<const ElementOnDevice>(ring_.session_, std::move(buffer), ring_.bits_));
    }
    return results;
  }

 private:
  [[nodiscard]] OperationCounters& counters() const { return ring_.backend().counters(); }
  void submit(const Command& command) { tickets_.push_back(session_.device.submit(command)); }

  void reduce(DeviceInteger x, const Reduction& reduction) {
    const DeviceInteger result = new_result();
    tickets_.push_back(
        session_.contexts.submit(session_.device, reduction, [&](std::uint16_t context) {
          return session_.four_steps.faster(session_.device, fpga::reduce(context, result, x),
                                            reduction.context().shape);
        }));
    counters().count_reduction();
  }

  // x < N from the result that was submitted last.
  void subtract_from_last(const Integer& x) {
    const DeviceInteger result{buffers_.back().address(), with_carry()};
    const auto bits = static_cast<std::uint32_t>(bit_length(x));
    const DeviceBuffer subtrahend = session_.device.store(x, bits);
    const DeviceInteger enlarged = scratch(0, with_carry());
    const DeviceInteger difference = scratch(1, with_carry());
    submit(fpga::add(enlarged, {result.address, ring_.bits_}, modulus()));
    submit(fpga::subtract(difference, enlarged, {subtrahend.address(), bits}));
    submit(subtract_if_not_less(result, difference, modulus()));
  }

  // Bits of an element and of a carry.
  [[nodiscard]] std::uint32_t with_carry() const { return ring_.bits_ + 1; }
  DeviceInteger new_result() {
    buffers_.push_back(lasts_ ? allocate_element(session_.device, ring_.bits_)
                              : session_.device.allocate(residue_bytes(ring_.bits_)));
    return {buffers_.back().address(), with_carry()};
  }
  [[nodiscard]] DeviceInteger modulus() const {
    return {reduction_.context().modulus, ring_.bits_};
  }

  // Room for what operations leave behind, one after the other. No command writes over what it
  // reads, so that all can be repeated.
  DeviceInteger scratch(std::size_t which, std::uint64_t bits) {
    DeviceBuffer& buffer = scratch_[which];
    if (buffer.size() < padded_bytes(bits)) buffer = session_.device.allocate(padded_bytes(bits));
    return {buffer.address(), static_cast<std::uint32_t>(bits)};
  }

  const FpgaRing& ring_;
  bool lasts_;
  DeviceSession& session_;
  const Reduction& reduction_;  // of products
  std::array<DeviceBuffer, 3> scratch_;
  std::vector<DeviceBuffer> buffers_;  // of the results
  std::vector<Ticket> tickets_;
};

namespace {

// What `compute` makes of each element by itself, one after the other: on several threads they
// would take what is left of the memory from each other.
template <class Element, class Compute>
std::vector<Operand> one_by_one(std::span<const Element> elements, const Compute& compute) {
  std::vector<Operand> results;
  results.reserve(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    results.push_back(std::move(compute(elements.subspan(i, 1)).front()));
  }
  return results;
}

}  // namespace

FpgaRing::FpgaRing(BackendPtr backend, std::shared_ptr<DeviceSession> session,
                   const Integer& modulus)
    : Ring(std::move(backend), modulus),
      session_(std::move(session)),
      bits_(static_cast<std::uint32_t>(bit_length(modulus))) {}

const Reduction& FpgaRing::reduction_for(std::uint64_t argument_bits) const {
  // Few different ones: those of sums are as long as their weights, all others serve products.
  const std::uint64_t excess = argument_bits > bits_ ? argument_bits - bits_ : 1;
  const std::uint64_t rounded = words_for_bits(excess) * kWordBits;
  const std::uint32_t of_products = bits_ + kDotMargin;
  const std::uint32_t gamma =
      2 * rounded < bits_ ? static_cast<std::uint32_t>(rounded) : of_products;
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<const Reduction>& reduction = reductions_[gamma];
  if (!reduction) reduction = std::make_unique<const Reduction>(session_->device, modulus(), gamma);
  return *reduction;
}

Integer FpgaRing::reduce(const Integer& x) const {
  if (x < 0) return residue(-reduce(-x), modulus());
  if (x < modulus()) return x;
  const auto argument_bits = static_cast<std::uint32_t>(bit_length(x));
  const Reduction& reduction = reduction_for(argument_bits);
  if (argument_bits > reduction.argument_bits()) return Ring::reduce(x);
  Device& device = session_->device;
  const DeviceBuffer argument = device.store(x, argument_bits);
  const DeviceWipe wipe(device, argument);  // of a sum that weights were in, perhaps
  return device_residue(*session_, {argument.address(), argument_bits}, reduction,
                        backend().counters());
}

Operand FpgaRing::prepare(const Integer& x) const {
  try {
    return put_on_device(session_, x, bits_);
  } catch (const OutOfDeviceMemory&) {
    return x;
  }
}

Integer FpgaRing::multiply(const Operand& a, const Operand& b) const {
  Stage stage(*this, false);
  stage.multiply(a, b);
  return stage.results().front().value();
}

Integer FpgaRing::dot(std::span<const OperandPair> terms) const {
  const Reduction& reduction = reduction_for(2 * std::uint64_t{bits_});
  Integer sum;
  for (std::size_t first = 0; first < terms.size(); first += kMaxDotTerms) {
    const std::size_t count = std::min(kMaxDotTerms, terms.size() - first);
    sum = add(sum,
              device_dot(*session_, terms.subspan(first, count), reduction, backend().counters()));
  }
  return sum;
}

std::vector<Operand> FpgaRing::compute_all(std::span<const RingOperation> operations,
                                           Progress& progress) const {
  try {
    Stage stage(*this);
    for (const auto& [kind, a, b, is_factor] : operations) {
      progress.monitor().throw_if_stopped();
      kind == RingOperation::Kind::multiply ? stage.multiply(a, b) : stage.add(a, b);
    }
    std::vector<Operand> results = stage.results();
    progress.advance(operations.size());
    return results;
  } catch (const OutOfDeviceMemory&) {
    return one_by_one(operations,
                      [&](const auto& one) { return Ring::compute_all(one, progress); });
  }
}

std::vector<Operand> FpgaRing::dot_all(std::span<const std::vector<OperandPair>> sums,
                                       Progress& progress) const {
  const auto fits = [](const std::vector<OperandPair>& sum) { return sum.size() <= kMaxDotTerms; };
  if (!std::ranges::all_of(sums, fits)) return Ring::dot_all(sums, progress);
  try {
    Stage stage(*this);
    for (const std::vector<OperandPair>& sum : sums) {
      progress.monitor().throw_if_stopped();
      stage.dot(sum);
    }
    std::vector<Operand> results = stage.results();
    progress.advance(sums.size());
    return results;
  } catch (const OutOfDeviceMemory&) {
    return one_by_one(sums, [&](const auto& one) { return Ring::dot_all(one, progress); });
  }
}

std::vector<Operand> FpgaRing::prepare_all(std::span<const Operand> elements) const {
  std::vector<Operand> results(elements.begin(), elements.end());
  try {
    for (Operand& x : results) {
      if (!is_on_device(x, session_->device, bits_)) x = put_on_device(session_, x, bits_);
    }
  } catch (const OutOfDeviceMemory&) {  // the others stay where they are
    return results;
  }
  return results;
}

std::vector<Operand> FpgaRing::selected_places(std::span<const DeviceInteger> places,
                                               std::span<const Integer> corrections,
                                               const BlockSelection& selection,
                                               const Monitor& monitor) const {
  const std::size_t count = places.size();
  const std::size_t block_size = std::min(selection.block_size, count);
  Stage stage(*this);
  for (std::size_t first = 0; first < count; first += block_size) {
    const std::size_t last = std::min(first + block_size, count);
    for (std::uint32_t bit = 0; bit < selection.width; ++bit) {
      monitor.throw_if_stopped();
      std::vector<DeviceInteger> chosen;
      for (std::size_t i = first; i < last; ++i)
        if ((selection.masks[i] >> bit & 1) != 0) chosen.push_back(places[i]);
      const Integer correction =
          selected_corrections(corrections, selection, first / block_size, bit);
      stage.sum(chosen, bits_of_sums(places.front().bits, count), residue(correction, modulus()));
    }
  }
  return stage.results();
}

std::vector<Operand> FpgaRing::selected_by_device(const CorrectedStream& x,
                                                  const BlockSelection& selection,
                                                  const Monitor& monitor) const {
  const DeviceSelection chosen(session_->device, x.elements, selection);
  backend().counters().count_stream_bytes(chosen.elements().bytes());
  Stage stage(*this);
  for (std::size_t block = 0; block < chosen.blocks(); ++block) {
    monitor.throw_if_stopped();
    std::vector<Integer> corrections;
    for (std::size_t bit = 0; bit < selection.width; ++bit) {
      const Integer sum = selected_corrections(x.corrections, selection, block, bit);
      corrections.push_back(residue(sum, modulus()));
    }
    stage.select(chosen, block, corrections);
  }
  return stage.results();
}

std::vector<Operand> FpgaRing::selected_on_host(const CorrectedStream& x,
                                                const BlockSelection& selection,
                                                std::uint64_t sum_bits,
                                                const Monitor& monitor) const {
  std::vector<Integer> sums = backend().selected_sums(x.elements, selection, monitor);
  Stage stage(*this);
  for (std::size_t which = 0; which < sums.size(); ++which) {
    Integer& sum = sums[which];
    sum -= selected_corrections(x.corrections, selection, which / selection.width,
                                which % selection.width);
    if (sum < 0) sum = residue(sum, modulus());
    stage.reduce_from_host(sum, static_cast<std::uint32_t>(sum_bits));
  }
  return stage.results();
}

std::vector<Operand> FpgaRing::selected_elements(std::span<const Operand> elements,
                                                 const BlockSelection& selection,
                                                 const Monitor& monitor) const {
  const auto is_here = [&](const Operand& x) { return is_on_device(x, session_->device, bits_); };
  if (elements.empty() || !is_selection(selection, elements.size()) ||
      !std::ranges::all_of(elements, is_here)) {
    return Ring::selected_elements(elements, selection, monitor);
  }
  std::vector<DeviceInteger> places;
  places.reserve(elements.size());
  for (const Operand& x : elements) {
    places.push_back(DeviceOperand(session_->device, x, bits_).place());
  }
  try {
    return selected_places(places, {}, selection, monitor);
  } catch (const OutOfDeviceMemory&) {
    return Ring::selected_elements(elements, selection, monitor);
  }
}

std::vector<Operand> FpgaRing::selected_elements(const CorrectedStream& x,
                                                 const BlockSelection& selection,
                                                 const Monitor& monitor) const {
  const std::size_t count = x.elements.count();
  const bool is_acceptable = count > 0 && is_selection(selection, count) &&
                             (x.corrections.empty() || x.corrections.size() == count);
  const std::uint64_t sum_bits = bits_of_sums(x.elements.bits(), count);
  if (!is_acceptable || sum_bits > reduction_for(sum_bits).argument_bits()) {
    return Ring::selected_elements(x, selection, monitor);
  }
  try {
    if (DeviceSelection::takes(session_->device, x.elements, selection))
      return selected_by_device(x, selection, monitor);
    const DeviceElementsPtr elements = session_->elements.find_or_load(
        session_->device, x.elements, backend().counters(), monitor);
    if (!elements) return selected_on_host(x, selection, sum_bits, monitor);
    std::vector<DeviceInteger> places;
    places.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back({elements->address(i), elements->bits()});
    }
    return selected_places(places, x.corrections, selection, monitor);
  } catch (const OutOfDeviceMemory&) {
    return Ring::selected_elements(x, selection, monitor);
  }
}

template <class Weights>
std::vector<Integer> FpgaRing::corrected_sums(const CorrectedStream& x,
                                              std::span<const Weights> batch,
                                              const Monitor& monitor) const {
  const std::size_t count = x.elements.count();
  const bool acceptable =
      count != 0 && (x.corrections.empty() || x.corrections.size() == count) &&
      std::ranges::all_of(batch, [&](const Weights& w) { return are_weights(w, count); });
  if (!acceptable) return Ring::weighted_sums(x, batch, monitor);

  std::uint64_t longest = 1;
  for (const Weights& weights : batch)
    longest = std::max<std::uint64_t>(longest, weight_bits(weights));
  const std::uint64_t sum_bits =
      std::uint64_t{x.elements.bits()} + longest + static_cast<unsigned>(std::bit_width(count));
  const Reduction& reduction = reduction_for(sum_bits);
  const bool reduces = sum_bits <= reduction.argument_bits();
  std::vector<Integer> sums = device_sums(
      *session_, x.elements, batch, reduces ? &reduction : nullptr, backend().counters(), monitor);
  for (std::size_t b = 0; b < sums.size(); ++b)
    sums[b] = residue(sums[b] - sum_of_corrections(x.corrections, batch[b]), modulus());
  return sums;
}

std::optional<Integer> FpgaRing::run_at_once(const RingProgram& program, const Integer& c) const {
  const std::scoped_lock lock(running_);
  try {
    if (!recryption_ || !recryption_->is_of(program)) {
      recryption_.reset();
      recryption_ = std::make_unique<const DeviceRecryption>(*session_, modulus(), program);
    }
  } catch (const OutOfDeviceMemory&) {
    return std::nullopt;
  }
  return recryption_->run(*session_, c, backend().counters());
}

std::vector<Integer> FpgaRing::run(const RingProgram& program, std::span<const Integer> cs,
                                   const Monitor& monitor) const {
  program.check(cs);
  if (!DeviceRecryption::takes(session_->device, modulus(), program)) {
    return Ring::run(program, cs, monitor);
  }
  std::vector<Integer> results;
  for (const Integer& c : cs) {
    monitor.throw_if_stopped();
    std::optional<Integer> result = run_at_once(program, c);
    results.push_back(result ? std::move(*result)
                             : std::move(Ring::run(program, {&c, 1}, monitor).front()));
  }
  return results;
}

std::vector<Integer> FpgaRing::weighted_sums(const CorrectedStream& x,
                                             std::span<const DenseWeights> batch,
                                             const Monitor& monitor) const {
  return corrected_sums(x, batch, monitor);
}

std::vector<Integer> FpgaRing::weighted_sums(const CorrectedStream& x,
                                             std::span<const SparseWeights> batch,
                                             const Monitor& monitor) const {
  return corrected_sums(x, batch, monitor);
}

}  // namespace fhe::fpga

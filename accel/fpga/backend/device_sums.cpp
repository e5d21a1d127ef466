// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_sums.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <utility>

#include "accel/fpga/backend/device_operand.hpp"
#include "accel/fpga/backend/device_wipe.hpp"
#include "accel/fpga/backend/generated_elements.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kMaxTerms = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint32_t kIndexLimit = 1U << parameter::sparse_index_bits;

// Weights of some successive elements in device memory.
struct DeviceWeights {
  DeviceBuffer buffer;
  DeviceWipe wipe;
  std::uint64_t stride;  // bytes
  std::uint32_t bits;    // of dense ones
  std::uint8_t ones;     // of sparse ones
  bool is_sparse;

  [[nodiscard]] std::uint64_t address(std::size_t index) const {
    return buffer.address() + index * stride;
  }
};

// Whether weights go through the sparse datapath.
bool are_indices(const Device& /*device*/, const DenseWeights& /*weights*/) {
  return false;
}
bool are_indices(const Device& device, const SparseWeights& weights) {
  return device.info().has(feature::lhw) && weights.ones_per_weight <= parameter::sparse_weight &&
         weight_bits(weights) <= kIndexLimit;
}

template <class Weights>
DeviceWeights store_as_numbers(Device& device, const Weights& weights, std::size_t first,
                               std::size_t count) {
  const std::uint32_t bits = weight_bits(weights);
  DeviceBuffer buffer = device.allocate(count * padded_bytes(bits));
  DeviceWipe wipe(device, buffer);
  DeviceWeights stored{.buffer = std::move(buffer),
                       .wipe = std::move(wipe),
                       .stride = padded_bytes(bits),
                       .bits = bits,
                       .ones = 0,
                       .is_sparse = false};
  device.put(stored.buffer.address(), listed_bytes(count, bits, [&](std::size_t i) {
               return weight_at(weights, first + i);
             }));
  return stored;
}

DeviceWeights store_as_indices(Device& device, const SparseWeights& weights, std::size_t first,
                               std::size_t count) {
  const std::size_t ones = weights.ones_per_weight;
  DeviceBuffer buffer = device.allocate(count * kWordBytes);
  DeviceWipe wipe(device, buffer);
  DeviceWeights stored{.buffer = std::move(buffer),
                       .wipe = std::move(wipe),
                       .stride = kWordBytes,
                       .bits = 0,
                       .ones = static_cast<std::uint8_t>(ones),
                       .is_sparse = true};
  constexpr std::size_t kIndicesPerWord = kWordBytes / sizeof(std::uint16_t);
  std::vector<std::uint16_t> words(count * kIndicesPerWord);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < ones; ++j) {
      words[i * kIndicesPerWord + j] =
          static_cast<std::uint16_t>(weights.positions[(first + i) * ones + j]);
    }
  }
  device.put(stored.buffer.address(), std::as_bytes(std::span(words)));
  return stored;
}

DeviceWeights store_weights(Device& device, const DenseWeights& weights, std::size_t first,
                            std::size_t count) {
  return store_as_numbers(device, weights, first, count);
}

DeviceWeights store_weights(Device& device, const SparseWeights& weights, std::size_t first,
                            std::size_t count) {
  return are_indices(device, weights) ? store_as_indices(device, weights, first, count)
                                      : store_as_numbers(device, weights, first, count);
}

// The addresses of the factors of some terms.
using TermList = std::vector<std::uint64_t>;

// Submits the sum that `sum` describes, except for its list and its context.
Ticket submit_sum(DeviceSession& session, const TermList& list, ProductSum sum,
                  const Reduction* reduction, OperationCounters& counters) {
  const DeviceBuffer list_buffer = session.device.allocate(list.size() * sizeof(std::uint64_t));
  session.device.put(list_buffer.address(), std::as_bytes(std::span(list)));
  sum.list = list_buffer.address();
  sum.terms = static_cast<std::uint16_t>(list.size() / 2);
  sum.reduce = reduction != nullptr;
  counters.count_multiplication(limbs_for_bits(sum.element_bits),
                                limbs_for_bits(sum.sparse ? kIndexLimit : sum.weight_bits),
                                sum.terms);
  if (!sum.reduce) return session.device.submit(product_sum(sum));
  counters.count_reduction();
  return session.contexts.submit(session.device, *reduction, [&sum](std::uint16_t context) {
    sum.context = context;
    return product_sum(sum);
  });
}

// The sum that `sum` describes, except for its list, its context and where it goes.
Integer run_sum(DeviceSession& session, const TermList& list, ProductSum sum,
                const Reduction* reduction, OperationCounters& counters) {
  const std::uint32_t product_bits =
      sum.element_bits + (sum.sparse ? kIndexLimit : sum.weight_bits);
  sum.destination.bits =
      reduction != nullptr ? reduction->context().shape.phi : product_bits + parameter::sum_margin;
  const DeviceBuffer result = session.device.allocate(padded_bytes(sum.destination.bits));
  const DeviceWipe wipe(session.device, result);
  sum.destination.address = result.address();

  const DeviceWipe wipe_scratch =
      reduction != nullptr ? reduction->wipe(session.device) : DeviceWipe(session.device, 0, 0);
  session.wait(submit_sum(session, list, sum, reduction, counters), counters);
  return session.device.load(result, sum.destination.bits);
}

// The request of a sum over such elements.
ProductSum sum_over(const DeviceElements& elements) {
  return {.element_bits = elements.bits()};
}
ProductSum sum_over(const GeneratedElements& elements) {
  return {.element_bits = elements.bits(), .generated = true, .stream = elements.record()};
}

// The sum over the elements that are on the device, or generated there, term by term of a list.
template <class Elements>
Integer sum_of_list(DeviceSession& session, const Elements& elements, const DeviceWeights& stored,
                    const Reduction* reduction, OperationCounters& counters) {
  TermList list;
  for (std::size_t i = 0; i < elements.count(); ++i) {
    list.push_back(elements.address(i));
    list.push_back(stored.address(i));
  }
  ProductSum sum = sum_over(elements);
  sum.weight_bits = stored.bits;
  sum.sparse = stored.is_sparse;
  sum.sparse_weight = stored.ones;
  return run_sum(session, list, sum, reduction, counters);
}

// The sum over elements that the throughput multiplier takes as they are generated.
Integer sum_of_stream(DeviceSession& session, const GeneratedElements& elements,
                      const DeviceWeights& stored, const Reduction* reduction,
                      OperationCounters& counters) {
  const std::uint32_t bits = elements.bits() + stored.bits + parameter::sum_margin;
  const DeviceBuffer sum = session.device.allocate(padded_bytes(bits));
  const DeviceWipe wipe(session.device, sum);
  counters.count_multiplication(limbs_for_bits(elements.bits()), limbs_for_bits(stored.bits),
                                elements.count());
  session.wait(
      session.device.submit(weighted_sum({.destination = {sum.address(), bits},
                                          .stream = elements.record(),
                                          .first = elements.index_of(0),
                                          .elements = static_cast<std::uint16_t>(elements.count()),
                                          .element_bits = elements.bits(),
                                          .weights = stored.address(0),
                                          .weight_bits = stored.bits})),
      counters);
  if (reduction == nullptr) return session.device.load(sum, bits);
  const std::uint32_t argument_bits = std::min(bits, reduction->argument_bits());
  return device_residue(session, {sum.address(), argument_bits}, *reduction, counters);
}

template <class Weights>
Integer sum_of_elements(DeviceSession& session, const DeviceElements& elements,
                        const Weights& weights, const Reduction* reduction,
                        OperationCounters& counters) {
  return sum_of_list(session, elements,
                     store_weights(session.device, weights, elements.first(), elements.count()),
                     reduction, counters);
}
template <class Weights>
Integer sum_of_elements(DeviceSession& session, const GeneratedElements& elements,
                        const Weights& weights, const Reduction* reduction,
                        OperationCounters& counters) {
  const DeviceWeights stored =
      store_weights(session.device, weights, elements.first(), elements.count());
  counters.count_stream_bytes(elements.bytes());
  return stored.is_sparse ? sum_of_list(session, elements, stored, reduction, counters)
                          : sum_of_stream(session, elements, stored, reduction, counters);
}

// The factors of a sum of products on the device, and what describes the sum.
struct DotTerms {
  DotTerms(Device& device, std::span<const OperandPair> terms, const Reduction& reduction)
      : sum{.element_bits = reduction.context().shape.phi,
            .weight_bits = reduction.context().shape.phi} {
    for (const auto& [first, second] : terms) {
      add(device, first);
      add(device, second);
    }
  }

  std::list<DeviceOperand> operands;
  TermList list;
  ProductSum sum;

 private:
  void add(Device& device, const Operand& factor) {
    list.push_back(operands.emplace_back(device, factor, sum.element_bits).place().address);
  }
};

// Whether the device generates the elements itself.
template <class Weights>
bool is_generated_sum(const Device& device, const IntegerStream& stream, const Weights& weights) {
  const bool are_multiplied =
      device.info().has(feature::throughput) && weight_bits(weights) <= parameter::weighted_bits;
  return generates(device, stream) && (are_indices(device, weights) || are_multiplied);
}

// How many elements are on the device at a time when not all are.
std::size_t chunk_size(const Device& device, const IntegerStream& stream) {
  const std::uint64_t fitting = device.memory().size() / 4 / element_bytes(stream);
  return std::clamp<std::uint64_t>(fitting, 1, kMaxTerms);
}

// The sum, piece by piece. Pieces are added on the host.
template <class Weights>
Integer sum_of_pieces(DeviceSession& session, const IntegerStream& stream, const Weights& weights,
                      const Reduction* reduction, OperationCounters& counters,
                      const Monitor& monitor) {
  const bool generated = is_generated_sum(session.device, stream, weights);
  const std::size_t chunk = generated ? kMaxTerms : chunk_size(session.device, stream);
  Integer sum;
  for (std::size_t first = 0; first < stream.count(); first += chunk) {
    const std::size_t count = std::min(chunk, stream.count() - first);
    if (generated) {
      const GeneratedElements elements(session.device, stream, first, count);
      sum += sum_of_elements(session, elements, weights, reduction, counters);
    } else {
      const DeviceElements elements(session.device, stream, first, count, counters, monitor);
      sum += sum_of_elements(session, elements, weights, reduction, counters);
    }
  }
  return sum;
}

template <class Weights>
std::vector<Integer> sums(DeviceSession& session, const IntegerStream& stream,
                          std::span<const Weights> batch, const Reduction* reduction,
                          OperationCounters& counters, const Monitor& monitor) {
  const bool generated = std::ranges::all_of(batch, [&](const Weights& weights) {
    return is_generated_sum(session.device, stream, weights);
  });
  const DeviceElementsPtr kept =
      !generated && stream.count() <= kMaxTerms
          ? session.elements.find_or_load(session.device, stream, counters, monitor)
          : nullptr;
  std::vector<Integer> results;
  Progress progress(monitor, "weighted sums", batch.size());
  for (const Weights& weights : batch) {
    results.push_back(kept ? sum_of_elements(session, *kept, weights, reduction, counters)
                           : sum_of_pieces(session, stream, weights, reduction, counters, monitor));
    progress.advance();
  }
  return results;
}

}  // namespace

std::vector<Integer> device_sums(DeviceSession& session, const IntegerStream& stream,
                                 std::span<const DenseWeights> batch, const Reduction* reduction,
                                 OperationCounters& counters, const Monitor& monitor) {
  return sums(session, stream, batch, reduction, counters, monitor);
}

std::vector<Integer> device_sums(DeviceSession& session, const IntegerStream& stream,
                                 std::span<const SparseWeights> batch, const Reduction* reduction,
                                 OperationCounters& counters, const Monitor& monitor) {
  return sums(session, stream, batch, reduction, counters, monitor);
}

Integer device_residue(DeviceSession& session, const DeviceInteger& x, const Reduction& reduction,
                       OperationCounters& counters) {
  const std::uint32_t phi = reduction.context().shape.phi;
  const DeviceBuffer result = session.device.allocate(padded_bytes(phi));
  const DeviceWipe wipe(session.device, result);
  const DeviceWipe wipe_scratch = reduction.wipe(session.device);
  counters.count_reduction();
  session.wait(session.contexts.submit(session.device, reduction,
                                       [&](std::uint16_t context) {
                                         return reduce(context, {result.address(), phi}, x);
                                       }),
               counters);
  return session.device.load(result, phi);
}

Integer device_dot(DeviceSession& session, std::span<const OperandPair> terms,
                   const Reduction& reduction, OperationCounters& counters) {
  const DotTerms dot(session.device, terms, reduction);
  return run_sum(session, dot.list, dot.sum, &reduction, counters);
}

Ticket submit_dot(DeviceSession& session, std::span<const OperandPair> terms,
                  const Reduction& reduction, std::uint64_t result, OperationCounters& counters) {
  DotTerms dot(session.device, terms, reduction);
  dot.sum.destination = {.address = result, .bits = reduction.context().shape.phi};
  return submit_sum(session, dot.list, dot.sum, &reduction, counters);
}

}  // namespace fhe::fpga

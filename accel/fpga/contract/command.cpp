// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/contract/command.hpp"

#include "accel/fpga/contract/stream_record.hpp"

namespace fhe::fpga {

namespace {

// In the same place of aux for products and reductions.
constexpr Field kFourStep = field::mul::four_step;
static_assert(kFourStep == field::sqr::four_step && kFourStep == field::modred::four_step);

Command accumulating(const Command& command) {
  return command.with(flag::accumulate);
}

// PARAM of commands on elements: where the first one lies.
template <class Request>
std::uint64_t first_element(const Request& request) {
  return request.stored ? request.address : element_address(request.first);
}

template <class Request>
void decode_first_element(Request& request, const Command& command) {
  if (request.stored) {
    request.address = command.parameter;
  } else {
    request.first = element_index(command.parameter);
    request.stream = command.source0.address;
  }
}

}  // namespace

Command multiply_add(DeviceInteger destination, DeviceInteger x, DeviceInteger y) {
  return accumulating(multiply(destination, x, y));
}

Command square_add(DeviceInteger destination, DeviceInteger x) {
  return accumulating(square(destination, x));
}

Command by(Engine engine, const Command& product) {
  Command chosen = product;
  chosen.aux =
      static_cast<std::uint16_t>(field::mul::engine.put(static_cast<std::uint64_t>(engine)));
  return chosen;
}

Engine engine_of(const Command& product) {
  return static_cast<Engine>(field::mul::engine.of(product.aux));
}

Command in_four_steps(const Command& command, unsigned size, std::uint64_t scratch) {
  Command result = command;
  result.aux = static_cast<std::uint16_t>(command.aux | kFourStep.put(size + 1));
  result.parameter = scratch;
  return result;
}

std::optional<unsigned> four_steps_of(const Command& command) {
  const auto size = static_cast<unsigned>(kFourStep.of(command.aux));
  const bool adds = command.opcode != Opcode::modred && command.has(flag::accumulate);
  if (size == 0 || adds) return std::nullopt;
  return size - 1;
}

Command with_transforms(const Command& reduction, Transforms transforms, std::uint64_t address) {
  namespace part = field::modred;
  Command result = reduction;
  result.aux =
      static_cast<std::uint16_t>(reduction.aux | part::keeps.put(transforms != Transforms::none) |
                                 part::kept.put(transforms == Transforms::taken));
  result.source1.address = address;
  return result;
}

Transforms transforms_of(const Command& reduction) {
  namespace part = field::modred;
  if (!part::keeps.is_set_in(reduction.aux)) return Transforms::none;
  return part::kept.is_set_in(reduction.aux) ? Transforms::taken : Transforms::left;
}

Command sparse_multiply_add(DeviceInteger destination, DeviceInteger x, std::uint64_t indices,
                            std::uint16_t weight) {
  return accumulating(sparse_multiply(destination, x, indices, weight));
}

Command multiply_polynomials(DeviceInteger destination, DeviceInteger x, DeviceInteger y,
                             std::uint64_t record, unsigned log2_size, std::uint32_t count) {
  return {.opcode = Opcode::karat,
          .aux = static_cast<std::uint16_t>(field::karat::log2_size.put(log2_size)),
          .source0 = x,
          .source1 = y,
          .destination = destination,
          .aux2 = count,
          .parameter = record};
}

unsigned log2_size_of(const Command& polynomials) {
  return static_cast<unsigned>(field::karat::log2_size.of(polynomials.aux));
}

Command run(std::uint64_t program, std::uint16_t commands) {
  return {.opcode = Opcode::run, .aux2 = field::run::commands.put(commands), .parameter = program};
}

Command product_sum(const ProductSum& sum) {
  namespace part = field::product_sum;
  const std::uint32_t aux = part::sparse.put(sum.sparse) | part::affine.put(sum.affine) |
                            part::reduce.put(sum.reduce) | part::generated.put(sum.generated) |
                            part::weight.put(sum.sparse_weight) |
                            part::engine.put(static_cast<std::uint64_t>(sum.engine));
  return {.opcode = Opcode::product_sum,
          .context = sum.context,
          .aux = static_cast<std::uint16_t>(aux),
          .source0 = {sum.stream, sum.element_bits},
          .source1 = {sum.addend, sum.weight_bits},
          .destination = sum.destination,
          .aux2 = part::terms.put(sum.terms),
          .parameter = sum.list};
}

ProductSum decode_product_sum(const Command& command) {
  namespace part = field::product_sum;
  return {.destination = command.destination,
          .list = command.parameter,
          .terms = static_cast<std::uint16_t>(part::terms.of(command.aux2)),
          .element_bits = command.source0.bits,
          .weight_bits = command.source1.bits,
          .sparse = part::sparse.is_set_in(command.aux),
          .sparse_weight = static_cast<std::uint8_t>(part::weight.of(command.aux)),
          .engine = static_cast<Engine>(part::engine.of(command.aux)),
          .generated = part::generated.is_set_in(command.aux),
          .stream = command.source0.address,
          .affine = part::affine.is_set_in(command.aux),
          .addend = command.source1.address,
          .reduce = part::reduce.is_set_in(command.aux),
          .context = command.context};
}

Command select(const Selection& selection) {
  namespace part = field::selection;
  const std::uint64_t words = std::uint64_t{selection.sums} * selection.sum_words;
  return {.opcode = Opcode::selection,
          .aux = static_cast<std::uint16_t>(part::sums.put(selection.sums) |
                                            part::stored.put(selection.stored)),
          .source0 = {selection.stream, selection.element_bits},
          .source1 = {selection.masks, selection.elements * parameter::selection_sums},
          .destination = {selection.destination, static_cast<std::uint32_t>(words * kWordBits)},
          .aux2 = part::elements.put(selection.elements) | part::sum_words.put(selection.sum_words),
          .parameter = first_element(selection)};
}

Selection decode_selection(const Command& command) {
  namespace part = field::selection;
  Selection selection{.destination = command.destination.address,
                      .stored = part::stored.is_set_in(command.aux),
                      .elements = static_cast<std::uint16_t>(part::elements.of(command.aux2)),
                      .element_bits = command.source0.bits,
                      .masks = command.source1.address,
                      .sums = static_cast<std::uint8_t>(part::sums.of(command.aux)),
                      .sum_words = static_cast<std::uint16_t>(part::sum_words.of(command.aux2))};
  decode_first_element(selection, command);
  return selection;
}

Command multiply_windows(const Windows& windows) {
  namespace part = field::windows;
  const std::uint32_t result_bits =
      windows.masks ? parameter::selection_sums : parameter::window_entry_bits;
  return {.opcode = Opcode::windows,
          .aux = static_cast<std::uint16_t>(
              part::masks.put(windows.masks) | part::stored.put(windows.stored) |
              part::width.put(windows.width) | part::skip.put(windows.skip)),
          .source0 = {windows.stream, windows.element_bits},
          .source1 = windows.number,
          .destination = {windows.destination, windows.elements * result_bits},
          .aux2 = part::elements.put(windows.elements),
          .parameter = first_element(windows)};
}

Windows decode_windows(const Command& command) {
  namespace part = field::windows;
  Windows windows{.destination = command.destination.address,
                  .masks = part::masks.is_set_in(command.aux),
                  .width = static_cast<std::uint8_t>(part::width.of(command.aux)),
                  .stored = part::stored.is_set_in(command.aux),
                  .skip = static_cast<std::uint8_t>(part::skip.of(command.aux)),
                  .elements = static_cast<std::uint16_t>(part::elements.of(command.aux2)),
                  .element_bits = command.source0.bits,
                  .number = command.source1};
  decode_first_element(windows, command);
  return windows;
}

Command weighted_sum(const WeightedSum& sum) {
  return {.opcode = Opcode::weighted,
          .source0 = {sum.stream, sum.element_bits},
          .source1 = {sum.weights, sum.weight_bits},
          .destination = sum.destination,
          .aux2 = field::weighted::elements.put(sum.elements),
          .parameter = element_address(sum.first)};
}

WeightedSum decode_weighted_sum(const Command& command) {
  return {.destination = command.destination,
          .stream = command.source0.address,
          .first = element_index(command.parameter),
          .elements = static_cast<std::uint16_t>(field::weighted::elements.of(command.aux2)),
          .element_bits = command.source0.bits,
          .weights = command.source1.address,
          .weight_bits = command.source1.bits};
}

Command nested_sum(const NestedSum& sum) {
  return {.opcode = Opcode::nested_sum,
          .context = sum.context,
          .aux = static_cast<std::uint16_t>(field::nested_sum::affine.put(sum.affine)),
          .source0 = {0, sum.element_bits},
          .source1 = {sum.addend, sum.weight_bits},
          .destination = sum.destination,
          .aux2 = field::nested_sum::rows.put(sum.rows),
          .parameter = sum.list};
}

NestedSum decode_nested_sum(const Command& command) {
  return {.destination = command.destination,
          .list = command.parameter,
          .rows = static_cast<std::uint16_t>(field::nested_sum::rows.of(command.aux2)),
          .element_bits = command.source0.bits,
          .weight_bits = command.source1.bits,
          .affine = field::nested_sum::affine.is_set_in(command.aux),
          .addend = command.source1.address,
          .context = command.context};
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
// What makes commands: of operands (operand_commands.hpp), variants of these, and those that take
// more.
#pragma once

#include <cstdint>
#include <optional>

#include "accel/fpga/contract/descriptor.hpp"
#include "accel/fpga/contract/operand_commands.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

// DST += x y, x^2; Completion::carry is the carry out of the last word.
[[nodiscard]] Command multiply_add(DeviceInteger destination, DeviceInteger x, DeviceInteger y);
[[nodiscard]] Command square_add(DeviceInteger destination, DeviceInteger x);
[[nodiscard]] Command sparse_multiply_add(DeviceInteger destination, DeviceInteger x,
                                          std::uint64_t indices, std::uint16_t weight);
// A product by one engine, not by the fastest that the device has.
[[nodiscard]] Command by(Engine engine, const Command& product);
[[nodiscard]] Engine engine_of(const Command& product);

// A product (`multiply`, `square`), or the second one of `reduce`, by one transform of 2^(18 +
// size) points, size at most kLongestFourSteps and kLongestCyclicFourSteps, with
// four_step_scratch_bytes(size) bytes of scratch memory at `scratch`, apart from its operands. See
// PROGRAMMING.md for the lengths.
inline constexpr unsigned kLongestFourSteps = 3;
inline constexpr unsigned kLongestCyclicFourSteps = 2;
[[nodiscard]] Command in_four_steps(const Command& command, unsigned size, std::uint64_t scratch);
// The size of such a command, nothing for one without four steps, and for a product that
// accumulates.
[[nodiscard]] std::optional<unsigned> four_steps_of(const Command& command);
// What such a reduction does with the transforms of the modulus and its reciprocal. With any but
// `none` its first product is in four steps too, by twice as many points, if it fits.
enum class Transforms {
  none,   // computed, and forgotten
  left,   // computed, and left in memory
  taken,  // there, as a command with `left` and the same context has left them
};
// A reduction `in_four_steps`, with transform_bytes(size) bytes at `address` for them, and scratch
// memory for size + 1.
[[nodiscard]] Command with_transforms(const Command& reduction, Transforms transforms,
                                      std::uint64_t address);
[[nodiscard]] Transforms transforms_of(const Command& reduction);
[[nodiscard]] constexpr std::uint64_t transform_bytes(unsigned size) {
  return 3 * kWordBytes << (parameter::four_step_log2_scratch + size - 1);
}
[[nodiscard]] constexpr std::uint64_t four_step_scratch_bytes(unsigned size) {
  return kWordBytes << (parameter::four_step_log2_scratch + size);
}
// Words of both operands together that such a product takes; of a reduction those of each operand
// and of the product.
[[nodiscard]] constexpr std::uint64_t four_step_words(unsigned size) {
  return std::uint64_t{parameter::four_step_words} << size;
}

// DST = the products of polynomials modulo q, one after the other: `count` of them, operands of
// n = 2^log2_size coefficients in the beats of accel/polynomials/hardware_format.hpp, one operand
// behind the other in x and in y. Both have count n coefficient_bits bits, DST twice as many. At
// `record` are two words: a normalized q, and its constant.
[[nodiscard]] Command multiply_polynomials(DeviceInteger destination, DeviceInteger x,
                                           DeviceInteger y, std::uint64_t record,
                                           unsigned log2_size, std::uint32_t count);
[[nodiscard]] unsigned log2_size_of(const Command& polynomials);

// A program: the device executes the `commands` descriptors (encode()) that lie in its memory from
// `program` on, 64 bytes each, one after the other, as if they had been submitted, and gives one
// completion for all. Requires that a driver which runs it again, after an error on its way to the
// device, gets the same results: its first commands do not depend on what later ones change. A
// context that it sets is for its own commands only, since the driver does not know of it and sets
// contexts again after a reset.
[[nodiscard]] Command run(std::uint64_t program, std::uint16_t commands);

// The sum of an encryption over a list of pairs of addresses {A_i, B_i} in device memory.
struct ProductSum {
  DeviceInteger destination = {};
  std::uint64_t list = 0;  // 16 bytes a term, at a multiple of 64
  std::uint16_t terms = 0;
  std::uint32_t element_bits = 0;  // of every A_i
  std::uint32_t weight_bits = 0;   // of every B_i, unless they are words of indices:
  bool sparse = false;
  std::uint8_t sparse_weight = 0;   // indices in each B_i, at most 15
  Engine engine = Engine::fastest;  // what multiplies dense terms
  bool generated = false;           // sparse: A_i are the element_address of elements of a stream,
  std::uint64_t stream = 0;         // whose record is here
  bool affine = false;              // 2 S + T in place of the sum S
  std::uint64_t addend = 0;         // address of T
  bool reduce = false;              // modulo the modulus of the context
  std::uint16_t context = 0;

  bool operator==(const ProductSum&) const = default;
};
[[nodiscard]] Command product_sum(const ProductSum& sum);
// Its inverse, for commands with that opcode.
[[nodiscard]] ProductSum decode_product_sum(const Command& command);

// Sums of elements: sum j is that of those whose masks have bit j. They are first, first + 1, ...
// of a stream that the device generates, or are stored: then they lie in its memory one after the
// other, each in whole words.
struct Selection {
  std::uint64_t destination = 0;   // of the sums, one after the other
  std::uint64_t stream = 0;        // generated: address of the record of the stream
  std::uint32_t first = 0;         // generated: index of the first element
  bool stored = false;             // not generated,
  std::uint64_t address = 0;       // but from here on
  std::uint16_t elements = 0;      // at least 1
  std::uint32_t element_bits = 0;  // at least 1
  std::uint64_t masks = 0;         // address: a byte for each element
  std::uint8_t sums = 0;           // 1 to parameter::selection_sums
  std::uint16_t sum_words = 0;     // at least for element_bits + parameter::sum_margin bits

  bool operator==(const Selection&) const = default;
};
[[nodiscard]] Command select(const Selection& selection);
[[nodiscard]] Selection decode_selection(const Command& command);

// The leading bits of c y for elements y, which are generated or stored as those of a Selection: an
// entry of parameter::window_entry_bits for each, or a mask of one byte, whose lowest `width` bits
// are the leading ones, rounded. Completion::undecided says that a mask may be off by one.
struct Windows {
  std::uint64_t destination = 0;  // of the entries or masks, one after the other
  bool masks = false;
  std::uint8_t width = 0;          // of masks: 1 to parameter::selection_sums
  std::uint64_t stream = 0;        // generated: address of the record of the stream
  std::uint32_t first = 0;         // generated: index of the first element
  bool stored = false;             // not generated,
  std::uint64_t address = 0;       // but from here on
  std::uint8_t skip = 0;           // generated: elements that are left out between two of these
  std::uint16_t elements = 0;      // at least 1
  std::uint32_t element_bits = 0;  // at least 1
  DeviceInteger number = {};       // c, its highest word first, no shorter than an element

  bool operator==(const Windows&) const = default;
};
[[nodiscard]] Command multiply_windows(const Windows& windows);
[[nodiscard]] Windows decode_windows(const Command& command);

// The sum of y_i b_i over elements y_i that the device generates, by its throughput multiplier.
struct WeightedSum {
  DeviceInteger destination = {};  // at least element_bits + weight_bits + parameter::sum_margin
  std::uint64_t stream = 0;        // address of the record of the stream
  std::uint32_t first = 0;         // index of the first element
  std::uint16_t elements = 0;      // at least 1
  std::uint32_t element_bits = 0;  // at least 1
  std::uint64_t weights = 0;       // address: one after the other, each in whole words
  std::uint32_t weight_bits = 0;   // of each, at most parameter::weighted_bits

  bool operator==(const WeightedSum&) const = default;
};
[[nodiscard]] Command weighted_sum(const WeightedSum& sum);
[[nodiscard]] WeightedSum decode_weighted_sum(const Command& command);

// The sum over i of A_i1 (sum over j of B_ij A_j0 mod A_0) modulo A_0, i and j over `rows` each: by
// the super-size multiplier. The list has, for each i, {A_j0, B_ij} for all j, then {A_i1, 0}.
struct NestedSum {
  DeviceInteger destination = {};
  std::uint64_t list = 0;          // 16 bytes an entry, at a multiple of 64
  std::uint16_t rows = 0;          // at most parameter::most_rows
  std::uint32_t element_bits = 0;  // of every A_j0 and A_i1
  std::uint32_t weight_bits = 0;   // of every B_ij
  bool affine = false;             // 2 S + T in place of the sum S
  std::uint64_t addend = 0;        // address of T
  std::uint16_t context = 0;

  bool operator==(const NestedSum&) const = default;

  // Entries of the list.
  [[nodiscard]] std::uint64_t entries() const { return rows * (std::uint64_t{rows} + 1); }
};
[[nodiscard]] Command nested_sum(const NestedSum& sum);
[[nodiscard]] NestedSum decode_nested_sum(const Command& command);

}  // namespace fhe::fpga

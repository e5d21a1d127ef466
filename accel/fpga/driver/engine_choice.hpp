// SPDX-License-Identifier: Apache-2.0
// Which engine multiplies two integers, as rtl/device/engine_choice.sv says.
#pragma once

#include <cstdint>
#include <optional>

#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// `wanted` itself unless it is Engine::fastest. Lengths in words of 512 bits. Requires that the
// equipment has `wanted`.
[[nodiscard]] Engine choose_engine(const Equipment& equipment, Engine wanted, std::uint64_t x_words,
                                   std::uint64_t y_words);

// Blocks of the throughput multiplier for operands of which the shorter one has so many words: 96 *
// 2^size words each, and 256 * 2^size clocks a product of two.
[[nodiscard]] std::uint64_t throughput_size(const Equipment& equipment, std::uint64_t shorter);
[[nodiscard]] constexpr std::uint64_t throughput_block_words(std::uint64_t size) {
  return std::uint64_t{96} << size;
}

// The size of a product (`multiply`, `square`) in four steps: the smallest one that holds its
// operands. Nothing where there is none, or blocks are faster, or an engine is named.
[[nodiscard]] std::optional<unsigned> choose_four_steps(const Equipment& equipment,
                                                        const Command& product);

// The size of a product that is q A_0 of reductions of this shape (`reduce`): the smallest one that
// holds A_0 and q. Nothing where there is none, or what is needed of the product is faster by
// blocks.
[[nodiscard]] std::optional<unsigned> choose_four_steps(const Equipment& equipment,
                                                        const BarrettShape& shape);

// Whether q of such reductions of this size, for an argument of so many words, is faster in four
// steps too, where transforms are taken (Transforms).
[[nodiscard]] bool takes_transforms(const Equipment& equipment, const BarrettShape& shape,
                                    std::uint64_t argument_words, unsigned size);

// What the second operand of a product in four steps is: a number of its own, the first one, or one
// whose points were kept.
enum class SecondOperand { other, same, kept };
[[nodiscard]] SecondOperand second_operand_of(const Command& product);

// From `start` to `done`, by rtl/four_step/README.md.
[[nodiscard]] std::uint64_t four_step_clocks(unsigned size, SecondOperand second,
                                             std::uint64_t result_words);

// From the first beats of a product by the throughput multiplier to the first one of its result.
[[nodiscard]] constexpr std::uint64_t throughput_latency(std::uint64_t size) {
  return 1'172 + (std::uint64_t{512} << size) - 512 + 11 * size;
}

// Whether a sum of dense products of an encryption, by `wanted`, takes its terms one behind the
// other through the low-latency multiplier.
[[nodiscard]] bool sums_in_rows(const Equipment& equipment, Engine wanted,
                                std::uint64_t element_bits, std::uint64_t weight_bits);

// Of the low-latency multiplier; requires that the equipment has it. Words of a block of the longer
// operand and of a row of the shorter one: a number of so many takes one pass.
[[nodiscard]] std::uint64_t log2_points(const Equipment& equipment);
[[nodiscard]] std::uint64_t block_words(const Equipment& equipment);
[[nodiscard]] std::uint64_t row_words(const Equipment& equipment);

}  // namespace fhe::fpga

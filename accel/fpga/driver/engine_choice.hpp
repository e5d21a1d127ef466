// SPDX-License-Identifier: Apache-2.0
// Which engine multiplies two integers, as rtl/device/engine_choice.sv says.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// `wanted` itself unless it is Engine::fastest. Lengths in words of 512 bits. Requires that the
// equipment has `wanted`.
[[nodiscard]] Engine choose_engine(const Equipment& equipment, Engine wanted, std::uint64_t x_words,
                                   std::uint64_t y_words);

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

// Which engine multiplies two integers, as rtl/engine_choice.sv says.
#pragma once

#include <cstdint>

#include "accel/fpga/driver/equipment.hpp"

namespace fhe::fpga {

// `wanted` itself unless it is Engine::fastest. Lengths in words of 512 bits. Requires that the
// equipment has `wanted`.
[[nodiscard]] Engine choose_engine(const Equipment& equipment, Engine wanted, std::uint64_t x_words,
                                   std::uint64_t y_words);

// Words of a row of the low-latency multiplier: a number of so many takes one pass. Requires that
// the equipment has it.
[[nodiscard]] std::uint64_t row_words(const Equipment& equipment);

}  // namespace fhe::fpga

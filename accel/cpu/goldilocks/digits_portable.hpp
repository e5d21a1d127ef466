// SPDX-License-Identifier: Apache-2.0
// Integers to digits and coefficients back to integers, in portable C++ (see kernel_table.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fhe::cpu::goldilocks {

void split_portable(std::uint64_t* digits, const std::uint64_t* limbs, std::size_t count,
                    unsigned bits);

unsigned join_portable(std::uint64_t* limbs, const std::uint64_t* coefficients,
                       const std::uint64_t* previous, std::size_t count, unsigned bits,
                       unsigned carry);

}  // namespace fhe::cpu::goldilocks

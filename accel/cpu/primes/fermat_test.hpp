// SPDX-License-Identifier: Apache-2.0
// Backend::fermat_test(): a number in each lane.
#pragma once

#include <cstddef>
#include <memory>

#include "accel/cpu/kernel.hpp"
#include "libfhe/arith/fermat_test.hpp"

namespace fhe::cpu {

// Whether a kernel has vector code for it.
bool has_fermat_test(Kernel kernel);

// Requires bits >= 2 and that the kernel is available. Nothing for numbers that are too long for
// the vector code, or where there is none.
std::unique_ptr<FermatTest> fermat_test(std::size_t bits, Kernel kernel);

}  // namespace fhe::cpu

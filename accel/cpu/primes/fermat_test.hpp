// SPDX-License-Identifier: Apache-2.0
// Backend::fermat_test(): a number in each lane.
#pragma once

#include <cstddef>
#include <memory>

#include "libfhe/arith/fermat_test.hpp"

namespace fhe::cpu {

// Requires bits >= 2 and a processor with Kernel::ifma. Nothing for numbers that are too long for
// the kernel, or where there is none.
std::unique_ptr<FermatTest> fermat_test(std::size_t bits);

}  // namespace fhe::cpu

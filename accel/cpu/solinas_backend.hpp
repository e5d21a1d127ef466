// SPDX-License-Identifier: Apache-2.0
// The software engine as backends:
//
//   auto      the fastest field and kernel of this processor
//   solinas   the field of p = 2^64 - 2^32 + 1, the software twin of the hardware multipliers
//
// Both take "kernel=portable|avx2|avx512|avxifma|ifma|neon" as an option ("solinas:kernel=avx2"),
// to force the instructions that are used; a kernel that the processor lacks throws
// Error(unsupported).
#pragma once

#include "libfhe/arith/registry.hpp"

namespace fhe::cpu {

BackendFactory auto_factory();
BackendFactory solinas_factory();

}  // namespace fhe::cpu

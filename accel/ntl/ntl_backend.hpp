// SPDX-License-Identifier: Apache-2.0
// The NTL backend: big-integer products by NTL's ZZ (which calls GMP's mpn_mul), everything else
// by the defaults of libfhe/arith. It is the reference that every accelerator is compared with.
#pragma once

#include <string_view>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/registry.hpp"

namespace fhe::ntl {

// The kind of backend called "ntl". It takes no options: anything after "ntl:" throws
// Error(invalid_argument).
BackendFactory factory();

}  // namespace fhe::ntl

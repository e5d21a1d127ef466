// SPDX-License-Identifier: Apache-2.0
// The operands of the conformance suite, for all tests.
#pragma once

#include "apps/conformance/operands.hpp"

namespace fhe::test {

using conformance::all_ones;
using conformance::Operands;

}  // namespace fhe::test

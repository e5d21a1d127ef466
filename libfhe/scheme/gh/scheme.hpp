// SPDX-License-Identifier: Apache-2.0
// GH as the rest of the library sees it. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::gh {

const Scheme& scheme();

}  // namespace fhe::gh

// SPDX-License-Identifier: Apache-2.0
// CMNT as the rest of the library sees it. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::cmnt {

const Scheme& scheme();

}  // namespace fhe::cmnt

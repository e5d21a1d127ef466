// SPDX-License-Identifier: Apache-2.0
// CNT as the rest of the library sees it. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::cnt {

const Scheme& scheme();

}  // namespace fhe::cnt

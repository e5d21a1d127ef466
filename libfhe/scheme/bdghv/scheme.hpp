// SPDX-License-Identifier: Apache-2.0
// Batch DGHV as the rest of the library sees it. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::bdghv {

const Scheme& scheme();

}  // namespace fhe::bdghv

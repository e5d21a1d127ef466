// SPDX-License-Identifier: Apache-2.0
// The schemes that encrypt bits, as the rest of the library sees them. Not installed.
#pragma once

#include "libfhe/scheme/scheme.hpp"

namespace fhe::cnt {

// CNT.
const Scheme& scheme();

}  // namespace fhe::cnt

namespace fhe::cmnt {

// CMNT.
const Scheme& scheme();

}  // namespace fhe::cmnt

namespace fhe::bdghv {

// Batch DGHV.
const Scheme& scheme();

}  // namespace fhe::bdghv

namespace fhe::gh {

// GH.
const Scheme& scheme();

}  // namespace fhe::gh

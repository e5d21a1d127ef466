// SPDX-License-Identifier: Apache-2.0
// Residues modulo d that are made on the host. Not installed.
#pragma once

#include "libfhe/arith/integer.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::gh {

// The centred residue [x y]_d in (-d/2, d/2]. Requires d >= 1. Product and residue are GMP's: their
// time depends on the sizes and, slightly, on the values.
SecretInteger centered_product(const Integer& x, const Integer& y, const Integer& d);

// The centred residue [x]_d. Requires 0 <= x < d.
SecretInteger centered(const Integer& x, const Integer& d);

// x mod d in [0, d) for a sum x of few elements of (-d, d), of either sign: the quotient has one
// limb, so that this is one pass over x, where Ring::reduce would take products.
Integer reduced_sum(const Integer& x, const Integer& d);

}  // namespace fhe::gh

// SPDX-License-Identifier: Apache-2.0
// y_i mod p for all elements of a stream, eight elements at a time: a sum of products of their
// chunks with fixed weights,
//   y_i mod p = (sum_j chunk_j(y_i) * W_j) mod p,  W_j = 2^(chunk_bits * j) mod p,
// so that each element needs one division of about two chunks by p, not one of its full length.
#pragma once

#include <vector>

#include "accel/cpu/streams/karatsuba.hpp"
#include "accel/cpu/streams/lane_stream.hpp"
#include "libfhe/arith/backend.hpp"

namespace fhe::cpu {

// Requires 1 <= modulus < 2^kernel.chunk_bits. The modulus is secret: the W_j and the sums are
// wiped.
std::vector<Integer> lane_residues(const LaneStream& stream, const Integer& modulus,
                                   const KaratsubaKernel& kernel, const Backend& backend,
                                   const Monitor& monitor);

}  // namespace fhe::cpu

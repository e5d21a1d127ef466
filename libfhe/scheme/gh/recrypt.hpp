// GH recryption: decryption of a ciphertext under encryption. Not installed.
#pragma once

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/scheme/gh/squash.hpp"

namespace fhe::gh {

// An encryption of the bit of c. With e = [c w]_d, y_k the chosen element of block k times c, and
// z_k its expansion,
//
//   sum_k y_k = e + d Q,   Q = round(sum_k y_k / d),   b = e mod 2 = sum_k y_k + Q mod 2,
//
// because |e| < d 2^-(p+1) and d is odd; z_k holds y_k / d rounded to p bits, whose errors sum to
// at most s 2^-(p+1), and the parity of y_k in its integer bit. So b is the rounded sum of the z_k
// modulo 2, which the adder computes. Bit i of z_k, encrypted, is
//
//   sum over a of eta_k,a (sum of the eta_k,b, b > a, whose element (a, b) has bit i set):
//
// additions (Backend::selected_sums) and for each bit one Ring::dot of as many products as there
// are a. Requires 0 <= c < d and noise within refresh_limit.
Integer recrypt(const Parameters& parameters, const SquashedKey& key, const Ring& ring,
                const AdderProgram& adder, const Integer& c, const Monitor& monitor);

}  // namespace fhe::gh

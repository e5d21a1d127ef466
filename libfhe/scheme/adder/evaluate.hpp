// SPDX-License-Identifier: Apache-2.0
// Runs an adder program on ciphertexts. Not installed.
#pragma once

#include <cstddef>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"

namespace fhe {

// The program's result on `inputs`, elements of the ring. Independent sums are one call to it, each
// with one reduction for all products that nothing else uses; a value is prepared when several
// products use it and dropped after its last use.
Operand evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Operand> inputs,
                       const Monitor& monitor);

// The most values that evaluate_adder holds at once, in integers of the modulus's size: prepared
// ones count as kPreparedIntegers (recryption_memory.hpp).
[[nodiscard]] std::size_t adder_integers(const AdderProgram& program);

}  // namespace fhe

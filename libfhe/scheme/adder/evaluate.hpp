// Runs an adder program on ciphertexts. Not installed.
#pragma once

#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/adder/adder.hpp"

namespace fhe {

// The program's result on `inputs`, integers in [0, N). Independent steps run in parallel; a value
// is prepared for the backend when several products use it and dropped after its last use.
Integer evaluate_adder(const AdderProgram& program, const Ring& ring, std::vector<Integer> inputs,
                       const Monitor& monitor);

}  // namespace fhe

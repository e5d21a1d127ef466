// SPDX-License-Identifier: Apache-2.0
// Circuits in AIGER: and-inverter graphs, in text (.aag) or binary (.aig), in the versions 1.0 and
// 1.9 of the format.
//
//   yosys -p "read_verilog f.v; synth -flatten; async2sync; dfflegalize -cell $_DFF_P_ 01; aigmap;
//             opt_clean; write_aiger -symbols f.aig"
//
// All gates are ANDs, so an XOR is three of them, and a choice between two bits too. Both are
// recognised and cost what they cost in BLIF: nothing, and one AND.
//
// Latches are registers of one clock that the file does not mention; if it lists the clock among
// the inputs, as Yosys does, that is an input like any other, which changes nothing. A latch starts
// with its reset value, 0 where there is none or where it is unknown (the latch itself).
//
// Bad states and constraints of version 1.9 are outputs behind the others: 1 where the state is
// bad, and where the constraint holds. ABC writes the outputs of a circuit with latches as bad
// states. Justice and fairness tell of runs that never end, and are refused.
//
// If the symbol table names all inputs, they are ports and become words by the rules of
// circuit/blif.hpp: a[0] a[1] ... is the word `a`. If it names none, they are bits 0, 1, ... of one
// word, `in`. The same holds for the outputs, whose word is `out`. A bad state or constraint
// without a name is the word `bad0`, `bad1`, ... or `constraint0`, ...
#pragma once

#include <string>
#include <string_view>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The circuit of a file of fewer than 2^32 bytes. Throws Error(malformed_file) as
// "<name>:<line>: <what is wrong>": for justice and fairness properties, for literals that
// nothing drives or two things do, for cycles, for symbol tables that name some inputs or outputs
// only, for ports as in circuit/blif.hpp. Throws Error(randomness), as there. Memory and time grow
// with the size of the text: beyond 2^16 inputs, each must be in it.
[[nodiscard]] FHE_EXPORT ClockedCircuit parse_aiger(std::string_view text, const std::string& name);

}  // namespace fhe

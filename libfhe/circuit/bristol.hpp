// SPDX-License-Identifier: Apache-2.0
// Circuits in Bristol Fashion, the exchange format of multi-party computation.
//
//   <number of gates> <number of wires>
//   <number of input words> <width of each>
//   <number of output words> <width of each>
//
//   2 1 <wire> <wire> <driven wire> AND          gates in topological order, one a line
//
// The first wires are the input words, the last ones the output words; bit 0 of a word is its first
// wire. A wire may be both an input and an output. Gates are XOR, AND, INV and, of the extended
// set, EQ (a constant), EQW (a copy) and MAND (many ANDs); XNOR, OR, NAND, NOR, MUX and NOT, which
// some tools write, are read too. The older Bristol format, whose second line holds the widths of
// two inputs and one output, is recognised. Words have no names in these files: they are called
// in0, in1, ... and out0, out1, ...
#pragma once

#include <string>
#include <string_view>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The circuit of a text. Throws Error(malformed_file) as "<name>:<line>: <what is wrong>" for
// anything that is not exactly as above: wires that are used before they are driven, driven twice
// or never, counts that do not match, unknown gates. Counts are compared with each other and with
// the size of the text before memory is allocated for them: beyond 2^16 wires, each one must be in
// the text. Memory and time grow with its size; it must have fewer than 2^32 bytes.
[[nodiscard]] FHE_EXPORT Netlist parse_bristol(std::string_view text, const std::string& name);

// The text of a circuit in Bristol Fashion, with the gates XOR, AND, INV, EQ and EQW. Other gates
// are made from these (simplified(), circuit/builder.hpp).
[[nodiscard]] FHE_EXPORT std::string to_bristol(const Netlist& netlist);

}  // namespace fhe

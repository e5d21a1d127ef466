// SPDX-License-Identifier: Apache-2.0
// Circuits in BLIF, as Yosys, ABC and SIS write them.
//
//   yosys -p "read_verilog f.v; synth -flatten; abc -lut 3; opt_clean; write_blif f.blif"
//
// maps to functions of three inputs, which take one AND in most cases and never more than two. With
// registers:
//
//   yosys -p "read_verilog f.v; synth -flatten; async2sync; dfflegalize -cell $_DFF_P_ 01;
//             abc -lut 3; opt_clean; write_blif f.blif"
//
// What is read: .model, .inputs, .outputs, .clock, .names with its truth table, .conn, .latch,
// .subckt and .end, which the last model may leave out; lines continue after a backslash. Truth
// tables become XOR, AND and NOT, with few ANDs (circuit/small_function.hpp).
//
// The first model is the circuit. Others of the file take the place of their .subckt, registers
// included; those that nothing uses are left out, whatever they hold. Notes that change no function
// are skipped: .attr, .param, .cname, and those on delays, areas, loads and clocks (.area, .delay,
// .wire_load_slope, .input_arrival, ...). Behind .exdc stands a network of inputs that never come;
// a circuit may compute anything for them, and computes what the model says.
//
// Ports of several bits are listed bit by bit, as name[3] or name[-1], and become one word each.
// The indices do not tell which bit is the lowest: in Verilog it is the last one of the range, so
// a[0] of [7:0] and a[7] of [0:7]. Yosys lists the lowest first, and that is the rule here:
//
//   a[0] a[1] a[2]     rising: the first is the lowest, whoever wrote the file
//   a[2] a[1] a[0]     falling: the same if Yosys wrote it, as its first line says. Others may list
//                      the highest bit first, so their files are refused
//   a[1] a[0] a[2]     neither, or with gaps, or with and without an index: refused
//
// Bits of several ports may alternate. Yosys names a port of one bit without an index; a single
// name with an index is a word of one bit. Scalars that are named like the bits of a port (\a[0]
// and \a[1] in Verilog) cannot be told from a port, and become a word.
//
//   .latch next value re clock 1      a register that takes `next` at the rising edge (fe: falling)
//   .latch next value 0               the same at the edge of the one clock that the file leaves
//   out
//
// All registers have one clock, which is an input of one bit and serves nothing else; it is no
// input of the circuit then. A first value of 2 or 3, or none, stands for any or an unknown one:
// the register starts with 0. Latches that a signal opens (ah, al, as) are refused.
#pragma once

#include <string>
#include <string_view>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The circuit of a text of fewer than 2^32 bytes. Throws Error(malformed_file) as
// "<name>:<line>: <what is wrong>": for cells of libraries, models that are not in the file or
// contain themselves, several clocks and latches without one (with advice how to do without them),
// for nets that are driven by nothing or twice,
// for cycles, for tables that are not functions, for ports whose bits have no known order or whose
// name is not printable ASCII.
// Throws Error(randomness), because names are looked up by a hash that nobody can predict. Memory
// and time grow with the size of the text, whatever it says; models are repeated up to 4 MiB and 64
// times the text.
[[nodiscard]] FHE_EXPORT ClockedCircuit parse_blif(std::string_view text, const std::string& name);

}  // namespace fhe

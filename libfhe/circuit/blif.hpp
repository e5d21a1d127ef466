// Circuits in BLIF, as Yosys writes combinational logic.
//
//   yosys -p "read_verilog f.v; synth -flatten; abc -lut 3; opt_clean; write_blif f.blif"
//
// maps to functions of three inputs, which take one AND in most cases and never more than two.
//
// Read are .model (one), .inputs, .outputs, .names with its truth table, .conn and .end; lines
// continue after a backslash. The notes .attr, .param and .cname are skipped. Ports of several
// bits, written as name[3], become one word, bit 0 the lowest index. Truth tables turn into XOR,
// AND and NOT, with few ANDs (circuit/small_function.hpp).
#pragma once

#include <string>
#include <string_view>

#include "libfhe/circuit/netlist.hpp"

namespace fhe {

// The circuit of a text. Throws Error(malformed_file) as "<name>:<line>: <what is wrong>": for
// latches, sub-circuits and library gates (with the advice how to do without), for nets that
// nothing or two things drive, for cycles and for tables that are no function. Memory is bounded by
// the size of the text.
[[nodiscard]] Netlist parse_blif(std::string_view text, const std::string& name);

}  // namespace fhe

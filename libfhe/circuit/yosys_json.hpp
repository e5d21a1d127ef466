// SPDX-License-Identifier: Apache-2.0
// Circuits in JSON, as Yosys writes them (write_json).
//
//   yosys -p "read_verilog f.v; synth -flatten; async2sync; abc -lut 3; opt_clean;
//             write_json f.json"
//
// What is read: the module with the attribute `top`, or the only one; its ports, whose bits are
// listed from the lowest on, however Verilog declares them; its cells; and the first values of
// registers, the attribute `init` of nets. Everything else is skipped. A bit x is taken as 0, and a
// register whose first value is x or not given starts with 0.
//
// Cells are the simple gates that techmap and abc make ($_AND_, $_MUX_, $_AOI3_ ...), $lut of at
// most 6 inputs, and flip-flops: $_FF_, $_DFF_P_, and those with an enable or a synchronous reset
// ($_DFFE_PP_, $_SDFF_PP0_, $_SDFFE_PP0P_, $_SDFFCE_PP0P_ ...). All have one clock, which is an
// input of one bit and serves nothing else; it is no input of the circuit then.
#pragma once

#include <string>
#include <string_view>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// The circuit of a text of fewer than 2^32 bytes. Throws Error(malformed_file) as
// "<name>:<line>: <what is wrong>", with advice what to do in Yosys: for what is no JSON or nested
// more than 64 deep, for other cells, asynchronous resets, latches and several clocks, for nets
// that are driven by nothing or twice, for cycles, for ports of both directions or whose name is
// not printable ASCII. Memory and time grow with the size of the text, whatever it says.
[[nodiscard]] FHE_EXPORT ClockedCircuit parse_yosys_json(std::string_view text,
                                                         const std::string& name);

}  // namespace fhe

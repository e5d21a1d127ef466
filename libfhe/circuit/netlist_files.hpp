// SPDX-License-Identifier: Apache-2.0
// Circuits in files and streams: Bristol Fashion (circuit/bristol.hpp), BLIF (circuit/blif.hpp),
// JSON of Yosys (circuit/yosys_json.hpp) and AIGER (circuit/aiger.hpp).
#pragma once

#include <cstdint>
#include <filesystem>

#include "libfhe/circuit/clocked.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

// Upper limits for readers of circuits.
struct FHE_EXPORT CircuitLimits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // of the whole circuit
};

// The circuit of a file, of bytes in memory or of a stream (see Source), which is read to its end,
// with its registers if it has any. The format follows from the end of the name: ".blif" is BLIF,
// ".json" JSON of Yosys, ".aag" and ".aig" AIGER. Under any other name and under none it follows
// from the start: "aag" and "aig" begin AIGER, "{" begins JSON and "." BLIF, behind comments of
// BLIF; a digit begins Bristol Fashion. Throws Error(io), Error(malformed_file) with name and
// line, Error(invalid_argument) beyond the limits, Error(randomness), and Error(wrong_key) for a
// key, a compiled circuit or another object of the library, with what takes it. Other formats
// (Verilog, bench, PLA, equations, KISS2, gzip) are known by name or content and refused; the
// message holds the command line that makes BLIF of the file.
[[nodiscard]] FHE_EXPORT ClockedCircuit load_circuit(const Source& source,
                                                     const CircuitLimits& limits = {});

// The same for a circuit without registers: throws Error(malformed_file) also for one that has
// some.
[[nodiscard]] FHE_EXPORT Netlist load_netlist(const Source& source,
                                              const CircuitLimits& limits = {});

// Writes a circuit in Bristol Fashion, whole or not at all. Throws Error(io).
FHE_EXPORT void save_bristol(const std::filesystem::path& path, const Netlist& netlist);

}  // namespace fhe

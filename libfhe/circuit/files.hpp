// Circuits in files: Bristol Fashion (circuit/bristol.hpp) and BLIF (circuit/blif.hpp).
#pragma once

#include <cstdint>
#include <filesystem>

#include "libfhe/circuit/netlist.hpp"

namespace fhe {

// Upper limits that a reader of circuits accepts.
struct CircuitLimits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;
};

// The circuit of a file: of BLIF when its name ends in ".blif", of Bristol Fashion otherwise.
// Throws Error(io), Error(malformed_file) with file and line, and Error(invalid_argument) beyond
// the limits. Verilog (".v", ".sv") is refused with Yosys' command line for it.
[[nodiscard]] Netlist load_netlist(const std::filesystem::path& path,
                                   const CircuitLimits& limits = {});

// Writes Bristol Fashion, whole or not at all. Throws Error(io).
void save_bristol(const std::filesystem::path& path, const Netlist& netlist);

}  // namespace fhe

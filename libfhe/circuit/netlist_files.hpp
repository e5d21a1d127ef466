// SPDX-License-Identifier: Apache-2.0
// Circuits in files: Bristol Fashion (circuit/bristol.hpp) and BLIF (circuit/blif.hpp).
#pragma once

#include <cstdint>
#include <filesystem>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Upper limits for readers of circuits.
struct FHE_EXPORT CircuitLimits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 30;  // of the whole file
};

// The circuit of a file, which is BLIF when its name ends in ".blif", and Bristol Fashion
// otherwise. Throws Error(io), Error(malformed_file) with file and line, and
// Error(invalid_argument) beyond the limits. Verilog (".v", ".sv") is refused; the message holds
// the command line with which Yosys makes BLIF of it.
[[nodiscard]] FHE_EXPORT Netlist load_netlist(const std::filesystem::path& path,
                                              const CircuitLimits& limits = {});

// Writes a circuit in Bristol Fashion, whole or not at all. Throws Error(io).
FHE_EXPORT void save_bristol(const std::filesystem::path& path, const Netlist& netlist);

}  // namespace fhe

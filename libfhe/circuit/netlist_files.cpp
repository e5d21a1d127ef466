// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/netlist_files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/blif.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/yosys_json.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe {

namespace {

Error cannot_read(const std::filesystem::path& path, const std::string& reason) {
  return {ErrorCode::io, fmt::format("cannot read '{}': {}", path.string(), reason)};
}

std::string read_text(const std::filesystem::path& path, const CircuitLimits& limits) {
  std::error_code failure;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failure);
  if (failure) throw cannot_read(path, failure.message());
  if (bytes > limits.max_file_bytes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' has {} bytes, more than the limit of {}: raise max_file_bytes "
                            "(--max-file-bytes) if the circuit is what you expect",
                            path.string(), bytes, limits.max_file_bytes));
  }
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::ifstream file(path, std::ios::binary);
  if (!file || !file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    throw cannot_read(path, std::strerror(errno));
  }
  return text;
}

void refuse_verilog(const std::filesystem::path& path) {
  if (path.extension() != ".v" && path.extension() != ".sv") return;
  throw Error(
      ErrorCode::malformed_file,
      fmt::format("'{0}' is Verilog, which Yosys turns into a circuit: yosys -q -p "
                  "'read_verilog -sv {0}; synth -flatten; abc -lut 3; opt_clean; write_blif "
                  "{1}'",
                  path.string(), std::filesystem::path(path).replace_extension(".blif").string()));
}

}  // namespace

ClockedCircuit load_circuit(const std::filesystem::path& path, const CircuitLimits& limits) {
  return reporting_memory([&] {
    const std::string text = read_text(path, limits);
    refuse_verilog(path);
    const std::filesystem::path ending = path.extension();
    if (ending == ".blif") return parse_blif(text, path.string());
    if (ending == ".json") return parse_yosys_json(text, path.string());
    if (ending == ".aag" || ending == ".aig") return parse_aiger(text, path.string());
    return ClockedCircuit(parse_bristol(text, path.string()));
  });
}

Netlist load_netlist(const std::filesystem::path& path, const CircuitLimits& limits) {
  return reporting_memory([&] {
    const ClockedCircuit circuit = load_circuit(path, limits);
    if (circuit.registers() == 0) return circuit.step();
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("'{}' has {} register{}, and here only a circuit without any can run: "
                    "run it for a number of clock cycles (fhe run --cycles N; in C++ "
                    "load_circuit and run_clocked)",
                    path.string(), circuit.registers(), circuit.registers() == 1 ? "" : "s"));
  });
}

void save_bristol(const std::filesystem::path& path, const Netlist& netlist) {
  reporting_memory([&] {
    const std::string text = to_bristol(netlist);
    AtomicFile file(path, FileAccess::everyone);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  });
}

}  // namespace fhe

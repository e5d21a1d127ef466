// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/netlist_files.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/blif.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/yosys_json.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

namespace {

void require_within(std::uint64_t bytes, const Source& source, const CircuitLimits& limits) {
  if (bytes <= limits.max_file_bytes) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' has {} bytes or more, and the limit is {}: raise max_file_bytes "
                          "(--max-file-bytes) if the circuit is what you expect",
                          source.name(), bytes, limits.max_file_bytes));
}

// In pieces, since only the end of a stream tells its length.
std::string read_text(const Source& source, const CircuitLimits& limits) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<OpenSource> in = source.open();
  require_within(in->bytes().value_or(0), source, limits);
  std::string text;
  for (std::size_t end = 0;; end = text.size()) {
    text.resize(end + kPiece);
    text.resize(in->read(end, std::as_writable_bytes(std::span(text).subspan(end))));
    require_within(text.size(), source, limits);
    if (text.size() < end + kPiece) return text;
  }
}

void require_text(const Source& source) {
  std::array<std::byte, kAnnouncingBytes> start{};
  static_cast<void>(source.open()->read(0, start));
  refuse_object(start, source, "a circuit in BLIF, JSON, AIGER or Bristol Fashion");
}

// What the text begins with behind blanks and comments of BLIF; nothing at its end.
char first_character(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#')) return text.empty() ? '\0' : text.front();
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

using Parse = ClockedCircuit (*)(std::string_view text, const std::string& name);

ClockedCircuit parse_without_registers(std::string_view text, const std::string& name) {
  return ClockedCircuit(parse_bristol(text, name));
}

Parse parser_for(std::string_view text, const std::filesystem::path& ending) {
  if (ending == ".blif") return parse_blif;
  if (ending == ".json") return parse_yosys_json;
  if (ending == ".aag" || ending == ".aig") return parse_aiger;
  if (text.starts_with("aag ") || text.starts_with("aig ")) return parse_aiger;
  switch (first_character(text)) {
    case '.':
      return parse_blif;
    case '{':
      return parse_yosys_json;
    default:
      return parse_without_registers;
  }
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

ClockedCircuit load_circuit(const Source& source, const CircuitLimits& limits) {
  return reporting_memory([&] {
    // A stream can be read once.
    const bool is_stream = !source.open()->bytes();
    if (!is_stream) require_text(source);
    const std::string text = read_text(source, limits);
    if (is_stream) require_text({std::as_bytes(std::span(text)), source.name()});
    const std::filesystem::path name = source.name();
    refuse_verilog(name);
    return parser_for(text, name.extension())(text, name.string());
  });
}

Netlist load_netlist(const Source& source, const CircuitLimits& limits) {
  return reporting_memory([&] {
    const ClockedCircuit circuit = load_circuit(source, limits);
    if (circuit.registers() == 0) return circuit.step();
    throw Error(
        ErrorCode::malformed_file,
        fmt::format("'{}' has {} register{}, and here only a circuit without any can run: "
                    "run it for a number of clock cycles (fhe run --cycles N; in C++ "
                    "load_circuit and run_clocked)",
                    source.name(), circuit.registers(), circuit.registers() == 1 ? "" : "s"));
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

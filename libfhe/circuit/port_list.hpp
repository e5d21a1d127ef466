// SPDX-License-Identifier: Apache-2.0
// Ports of several bits that a file lists bit by bit, as name[3]. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/circuit/net_graph.hpp"
#include "libfhe/circuit/numbered_names.hpp"
#include "libfhe/circuit/text_lines.hpp"

namespace fhe {

// Puts the bits of the inputs or of the outputs together to ports, by the rules of
// circuit/blif.hpp. The names must outlive it.
class PortList {
 public:
  PortList(const TextLines& lines, bool by_yosys) : lines_(lines), by_yosys_(by_yosys) {}

  // Adds the next bit. Throws Error(malformed_file) for a name that is not printable ASCII.
  void add(std::string_view name, Net net, std::size_t line);

  // The ports in the order in which they were listed first. Throws Error(malformed_file) unless the
  // bits of each are all there and known to be listed from the lowest on.
  [[nodiscard]] std::vector<NetPort> ports();

 private:
  // A bit of a port: without an index the port is this bit.
  struct PortBit {
    std::uint32_t port;
    Net net;
    std::optional<std::int64_t> index;
    std::size_t line;
  };
  using Bits = std::span<const PortBit>;

  [[nodiscard]] std::pair<std::string_view, std::optional<std::int64_t>> split(
      std::string_view name, std::size_t line) const;
  [[nodiscard]] Bits port_at(std::size_t first) const;
  [[nodiscard]] static bool in_steps(Bits bits, std::int64_t step);
  void check_indices(Bits bits) const;

  const TextLines& lines_;
  bool by_yosys_;
  NumberedNames names_;
  std::vector<PortBit> bits_;
};

// Throws Error(malformed_file) unless the name of a port is of printable ASCII, without blanks.
void require_printable(std::string_view name, std::size_t line, const TextLines& lines);

}  // namespace fhe

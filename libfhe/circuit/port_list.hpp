// SPDX-License-Identifier: Apache-2.0
// Ports of several bits that a file lists bit by bit, as name[3], and names as numbers. Not
// installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "libfhe/circuit/net_graph.hpp"
#include "libfhe/circuit/text_lines.hpp"

namespace fhe {

// Names of a file as numbers, in the order in which they come.

// A hash function that nobody outside the process knows. Whoever writes a file chooses its names:
// under a hash that is known, as std::hash is, all of them could be made to collide, and each would
// be compared with all before it.
//
// It is the value at a secret point of a polynomial whose coefficients are the name's length and
// its bytes, 7 at a time, modulo 2^61 - 1. Two names collide at as many points at most as they have
// coefficients, out of 2^61.
class SecretHash {
 public:
  // The point is drawn once in a process. Throws Error(randomness).
  SecretHash();

  [[nodiscard]] std::size_t operator()(std::string_view name) const;

 private:
  std::uint64_t point_;
};

// Numbers names from 0 on. The names are kept by their places and must outlive this.
class NumberedNames {
 public:
  // The number of a name; a new one gets the next.
  [[nodiscard]] std::uint32_t number_of(std::string_view name);

  // The number that a name has already.
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;

  // The name of a number that number_of() gave.
  [[nodiscard]] std::string_view name(std::uint32_t number) const { return names_.at(number); }

  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::uint32_t, SecretHash> numbers_;
};

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

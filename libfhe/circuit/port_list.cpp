// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/port_list.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string>

#include <fmt/format.h>

#include "libfhe/random/secret_random.hpp"

namespace fhe {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr unsigned kPrimeBits = 61;
constexpr std::uint64_t kPrime = (std::uint64_t{1} << kPrimeBits) - 1;
constexpr std::size_t kBytesAtOnce = 7;  // below the prime

// x y + part modulo the prime. Requires x and y below the prime and part < 2^56.
std::uint64_t multiply_add(std::uint64_t x, std::uint64_t y, std::uint64_t part) {
  const Wide value = Wide{x} * y + part;
  const std::uint64_t folded = (static_cast<std::uint64_t>(value) & kPrime) +
                               static_cast<std::uint64_t>(value >> kPrimeBits);
  return folded >= kPrime ? folded - kPrime : folded;
}

std::uint64_t random_point() {
  std::uint64_t point = 0;
  SystemRandom().fill(std::as_writable_bytes(std::span(&point, 1)));
  return point % kPrime;
}

}  // namespace

SecretHash::SecretHash() {
  static const std::uint64_t point = random_point();
  point_ = point;
}

std::size_t SecretHash::operator()(std::string_view name) const {
  std::uint64_t hash = name.size();
  while (!name.empty()) {
    const std::size_t count = std::min(name.size(), kBytesAtOnce);
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), count);
    hash = multiply_add(hash, point_, part);
    name.remove_prefix(count);
  }
  return static_cast<std::size_t>(multiply_add(hash, point_, 0));
}

std::uint32_t NumberedNames::number_of(std::string_view name) {
  const auto [place, is_new] =
      numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return place->second;
}

std::optional<std::uint32_t> NumberedNames::find(std::string_view name) const {
  const auto place = numbers_.find(name);
  return place == numbers_.end() ? std::nullopt : std::optional(place->second);
}

void require_printable(std::string_view name, std::size_t line, const TextLines& lines) {
  if (std::ranges::all_of(name, [](char c) { return c > ' ' && c <= '~'; })) return;
  throw lines.malformed(
      line, fmt::format("port '{}' has characters beyond printable ASCII, or blanks", shown(name)));
}

void PortList::add(std::string_view name, Net net, std::size_t line) {
  require_printable(name, line, lines_);
  const auto [base, index] = split(name, line);
  bits_.push_back({names_.number_of(base), net, index, line});
}

std::vector<NetPort> PortList::ports() {
  std::ranges::stable_sort(bits_, {}, &PortBit::port);
  std::vector<NetPort> ports;
  for (std::size_t first = 0; first < bits_.size();) {
    const Bits bits = port_at(first);
    check_indices(bits);
    NetPort port{std::string(names_.name(bits.front().port)), bits.front().line, {}};
    for (const PortBit& bit : bits) port.bits.push_back(bit.net);
    ports.push_back(std::move(port));
    first += bits.size();
  }
  return ports;
}

// "name[3]" and "name[-1]" are bits of port "name".
std::pair<std::string_view, std::optional<std::int64_t>> PortList::split(std::string_view name,
                                                                         std::size_t line) const {
  const std::size_t bracket = name.rfind('[');
  if (!name.ends_with(']') || bracket == std::string_view::npos || bracket == 0) return {name, {}};
  std::string_view digits = name.substr(bracket + 1, name.size() - bracket - 2);
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits.empty() || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return {name, {}};
  constexpr std::size_t kMaxIndex = std::numeric_limits<std::int32_t>::max();
  const auto index = static_cast<std::int64_t>(
      lines_.number_in(digits, line, kMaxIndex, "the index of a port's bit"));
  return {name.substr(0, bracket), negative ? -index : index};
}

// The bits of the port that begin there, of the sorted ones.
PortList::Bits PortList::port_at(std::size_t first) const {
  const Bits rest = Bits(bits_).subspan(first);
  const auto end =
      std::ranges::find_if(rest, [&](const PortBit& bit) { return bit.port != rest.front().port; });
  return rest.first(static_cast<std::size_t>(end - rest.begin()));
}

// Whether the indices are `step` more from bit to bit.
bool PortList::in_steps(Bits bits, std::int64_t step) {
  return std::ranges::adjacent_find(bits, [&](const PortBit& x, const PortBit& y) {
           return !x.index || !y.index || *y.index - *x.index != step;
         }) == bits.end();
}

// Throws unless the bits are all there and known to be listed from the lowest on.
void PortList::check_indices(Bits bits) const {
  if (in_steps(bits, 1)) return;
  if (in_steps(bits, -1) && by_yosys_) return;
  const std::string name = shown(names_.name(bits.front().port));
  std::vector<PortBit> sorted(bits.begin(), bits.end());
  std::ranges::stable_sort(sorted, {}, &PortBit::index);
  const auto twice = std::ranges::adjacent_find(sorted, {}, &PortBit::index);
  if (twice != sorted.end()) {
    throw lines_.malformed(std::next(twice)->line,
                           fmt::format("port '{}' has the same bit a second time", name));
  }
  if (!sorted.front().index) {
    throw lines_.malformed(bits.front().line,
                           fmt::format("port '{}' is listed with and without an index", name));
  }
  if (!in_steps(sorted, 1)) {
    throw lines_.malformed(
        bits.front().line,
        fmt::format("port '{}' has {} bits between {} and {}: some are missing", name,
                    sorted.size(), *sorted.front().index, *sorted.back().index));
  }
  throw lines_.malformed(
      bits.front().line,
      fmt::format("port '{}' is listed from bit {} on, and which bit is its lowest is not known: "
                  "list the lowest first, as Yosys does",
                  name, *bits.front().index));
}

}  // namespace fhe

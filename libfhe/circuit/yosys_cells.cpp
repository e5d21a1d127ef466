// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/yosys_cells.hpp"

#include <algorithm>
#include <array>

namespace fhe {

namespace {

constexpr SmallTable kA = kInputTables[0];
constexpr SmallTable kB = kInputTables[1];
constexpr SmallTable kC = kInputTables[2];
constexpr SmallTable kD = kInputTables[3];

constexpr SmallTable choice(SmallTable s, SmallTable one, SmallTable zero) {
  return (s & one) | (~s & zero);
}

// The inputs of a gate have the tables kA, kB, ... in the order in which they are listed.
constexpr std::array kGates{
    YosysGate{"$_BUF_", "A", kA},
    YosysGate{"$_NOT_", "A", ~kA},
    YosysGate{"$_AND_", "AB", kA& kB},
    YosysGate{"$_NAND_", "AB", ~(kA& kB)},
    YosysGate{"$_OR_", "AB", kA | kB},
    YosysGate{"$_NOR_", "AB", ~(kA | kB)},
    YosysGate{"$_XOR_", "AB", kA ^ kB},
    YosysGate{"$_XNOR_", "AB", ~(kA ^ kB)},
    YosysGate{"$_ANDNOT_", "AB", kA & ~kB},
    YosysGate{"$_ORNOT_", "AB", kA | ~kB},
    YosysGate{"$_MUX_", "ABS", choice(kC, kB, kA)},
    YosysGate{"$_NMUX_", "ABS", ~choice(kC, kB, kA)},
    YosysGate{"$_AOI3_", "ABC", ~((kA & kB) | kC)},
    YosysGate{"$_OAI3_", "ABC", ~((kA | kB) & kC)},
    YosysGate{"$_AOI4_", "ABCD", ~((kA & kB) | (kC & kD))},
    YosysGate{"$_OAI4_", "ABCD", ~((kA | kB) & (kC | kD))},
};

// A family of flip-flops: a letter of the type's name for each of `letters` follows its prefix. C
// is the clock, E the enable, R the reset: P or N; V is what the reset sets: 0 or 1.
struct RegisterFamily {
  std::string_view prefix;
  std::string_view letters;
  bool enable_first = false;
};

constexpr std::array kRegisterFamilies{
    RegisterFamily{"$_DFF_", "C"}, RegisterFamily{"$_DFFE_", "CE"},
    RegisterFamily{"$_SDFF_", "CRV"}, RegisterFamily{"$_SDFFE_", "CRVE"},
    RegisterFamily{"$_SDFFCE_", "CRVE", true}};

std::optional<YosysRegister> member_of(const RegisterFamily& family, std::string_view type) {
  if (!type.starts_with(family.prefix) || !type.ends_with('_')) return std::nullopt;
  const std::size_t first = family.prefix.size();
  if (type.size() != first + family.letters.size() + 1) return std::nullopt;
  YosysRegister made;
  made.enable_first = family.enable_first;
  for (std::size_t i = 0; i < family.letters.size(); ++i) {
    const char found = type[first + i];
    const bool is_value = family.letters[i] == 'V';
    const bool high = found == (is_value ? '1' : 'P');
    if (!high && found != (is_value ? '0' : 'N')) return std::nullopt;
    switch (family.letters[i]) {
      case 'C':
        made.rising = high;
        break;
      case 'E':
        made.enable = YosysRegister::Control{high};
        break;
      case 'R':
        made.reset = YosysRegister::Control{high};
        break;
      default:
        made.reset_value = high;
        break;
    }
  }
  return made;
}

}  // namespace

std::optional<YosysGate> yosys_gate(std::string_view type) {
  const auto* const found = std::ranges::find(kGates, type, &YosysGate::type);
  return found == kGates.end() ? std::nullopt : std::optional(*found);
}

SmallTable YosysRegister::next() const {
  const SmallTable d = kA;
  const SmallTable q = kB;
  const auto kept_unless_enabled = [&](SmallTable value) {
    return enable ? choice(enable->when ? kC : ~kC, value, q) : value;
  };
  const auto reset_or = [&](SmallTable value) {
    const SmallTable constant = reset_value ? ~SmallTable{0} : 0;
    return reset ? choice(reset->when ? kD : ~kD, constant, value) : value;
  };
  return enable_first ? kept_unless_enabled(reset_or(d)) : reset_or(kept_unless_enabled(d));
}

std::optional<YosysRegister> yosys_register(std::string_view type) {
  if (type == "$_FF_") return YosysRegister{.has_clock = false};
  for (const RegisterFamily& family : kRegisterFamilies) {
    if (const auto made = member_of(family, type)) return made;
  }
  return std::nullopt;
}

bool is_asynchronous_cell(std::string_view type) {
  constexpr std::array<std::string_view, 6> kPrefixes{"$_DFF", "$_ALDFF", "$_DLATCH",
                                                      "$_SR_", "$_SDFF",  "$_DFFSR"};
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return type.starts_with(prefix); });
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/parameters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "libfhe/arith/integer.hpp"

namespace fhe::gh {

namespace {

// The largest bound that is certainly below 2^bits.
NoiseBound bound_below(std::size_t bits) {
  return NoiseBound::from_units(static_cast<std::uint32_t>(bits) * NoiseBound::kUnitsPerBit - 1);
}

// Worst case of the adder on inputs of as many bits as a block's sum of S products of two fresh
// ciphertexts typically has; good for comparing adders, not as a bound.
NoiseBound worst_case(const AdderProgram& program, NoiseBound input) {
  return program.run(
      std::vector<NoiseBound>(program.inputs(), input),
      [](NoiseBound x, NoiseBound y) { return x + y; },
      [](NoiseBound x, NoiseBound y) { return x * y; });
}

void check_shape(const Parameters& p, const ParameterSet& group) {
  if (!std::has_single_bit(p.n)) {
    throw group.invalid(fmt::format("n = {} must be a power of two", p.n));
  }
  if (p.h > p.n) {
    throw group.invalid(
        fmt::format("h = {} nonzero coefficients do not fit into n = {}", p.h, p.n));
  }
  if (p.c * (p.c - 1) / 2 < p.S) {
    throw group.invalid(
        fmt::format("c = {} ciphertexts make {} pairs, fewer than the S = {} elements of a block",
                    p.c, p.c * (p.c - 1) / 2, p.S));
  }
  if (p.s >= std::size_t{1} << p.precision) {
    throw group.invalid(fmt::format(
        "precision = {} bits are too few for a sum of s = {} rounded numbers: 2^precision must "
        "be above s",
        p.precision, p.s));
  }
}

void check_noise(const Parameters& p, const ParameterSet& group) {
  if (p.inverse_bits <= p.precision + 1) {
    throw group.invalid(
        fmt::format("inverse_bits = {} must be above precision + 1", p.inverse_bits));
  }
  const NoiseRule rule = p.noise_rule();
  const NoiseBound refreshed = p.refreshed_noise_bound(p.adder_program());
  if (rule.product(refreshed, refreshed) > rule.refresh_limit) {
    throw group.invalid(fmt::format(
        "the product of two refreshed ciphertexts has {:.1f} bits of noise, past the {:.1f} that "
        "can be refreshed: the group does not bootstrap",
        rule.product(refreshed, refreshed).bits(), rule.refresh_limit.bits()));
  }
}

}  // namespace

Parameters::Parameters(const ParameterSet& group)
    : n(group.number("n", 4, std::size_t{1} << 20)),
      t(group.number("t", 4, 4096)),
      h(group.number("h", 1, 1 << 12)),
      s(group.number("s", 2, 1023)),
      S(group.number("S", 2, std::size_t{1} << 20)),
      log_R(group.number("log_R", 1, 1 << 12)),
      c(group.number("c", 2, 1 << 11)),
      precision(group.number("precision", 1, 15)),
      inverse_bits(group.number("inverse_bits", 2, 1 << 13)),
      crest_bits(group.number("crest_bits", 0, 32)),
      refreshed_noise(group.number("refreshed_noise", 1, 1 << 13)),
      adder(group.word("adder")) {
  check_shape(*this, group);
  check_noise(*this, group);
}

std::vector<std::string_view> Parameters::field_names() {
  return {"lambda",     "n",
          "t",          "h",
          "s",          "S",
          "log_R",      "c",
          "precision",  "inverse_bits",
          "crest_bits", "refreshed_noise",
          "adder"};
}

std::size_t Parameters::max_determinant_bits() const {
  const std::size_t half_log_n = (static_cast<std::size_t>(std::bit_width(n)) + 1) / 2;
  return n * (t - 1 + half_log_n) + 1;
}

std::size_t Parameters::typical_determinant_bits() const {
  const auto dimension = static_cast<double>(n);
  const double square_bits =
      std::log2(dimension / 12) - std::numbers::egamma / std::numbers::ln2;  // and 2t
  const double bits = dimension * (static_cast<double>(t) + square_bits / 2);
  return std::max(min_determinant_bits(),
                  std::min(max_determinant_bits(), static_cast<std::size_t>(bits)));
}

security::Problems Parameters::problems() const {
  const auto dimension = static_cast<double>(n);
  const auto determinant = static_cast<double>(typical_determinant_bits());
  security::Problems problems;
  problems.ideal = {.n = dimension, .determinant = determinant, .nonzeros = static_cast<double>(h)};
  // w / d is about the inverse of one v(zeta_j).
  problems.squashed = {.length = static_cast<double>(s * S),
                       .blocks = static_cast<double>(s),
                       .relation_bits = determinant / dimension};
  problems.conditions = {.noise_bits = fresh_noise().bits(),
                         .noise_limit_bits = noise_rule().decrypt_limit.bits()};
  return problems;
}

NoiseRule Parameters::noise_rule() const {
  return {.decrypt_limit = bound_below(inverse_bits - 1),
          .refresh_limit = bound_below(inverse_bits - precision - 1),
          .product_growth = NoiseBound::from_bits(static_cast<double>(crest_bits))};
}

NoiseBound Parameters::fresh_noise() const {
  const double rms = std::sqrt(4.0 * static_cast<double>(h - 1) + 9.0);
  const double peak = std::ldexp(static_cast<double>(1 + 2 * h), -static_cast<int>(crest_bits));
  return NoiseBound::from_bits(std::max(std::log2(rms), std::log2(peak)));
}

NoiseBound Parameters::refreshed_noise_bound(const AdderProgram& program) const {
  const NoiseBound own = NoiseBound::from_bits(static_cast<double>(refreshed_noise));
  const NoiseBound input =
      NoiseBound::from_bits(2 * std::log2(2.0 * std::sqrt(static_cast<double>(h))) +
                            std::log2(static_cast<double>(S)) / 2);
  const NoiseBound reference = worst_case(adder_program(), input);
  const NoiseBound worst = worst_case(program, input);
  if (worst <= reference) return own;
  return NoiseBound::from_units(own.units() + worst.units() - reference.units() +
                                kOtherAdderBits * NoiseBound::kUnitsPerBit);
}

AdderProgram Parameters::adder_program(std::string_view name) const {
  return AdderProgram::named(name.empty() ? adder : name, s, precision + 1);
}

}  // namespace fhe::gh

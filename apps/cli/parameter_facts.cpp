#include "apps/cli/parameter_facts.hpp"

#include <cstddef>
#include <optional>

#include <fmt/format.h>

namespace fhe::cli {

namespace {

std::optional<std::size_t> security_bits(const ParameterSet& group) {
  constexpr std::string_view kField = "estimated_security";
  constexpr std::size_t kMost = 1024;
  if (!group.has(kField)) return std::nullopt;
  return group.number(kField, 0, kMost);
}

}  // namespace

std::string purpose(const ParameterSet& group) {
  return group.makes_keys() ? "scheme" : "benchmark";
}

std::string security_text(const ParameterSet& group) {
  const std::optional<std::size_t> bits = security_bits(group);
  return bits ? fmt::format("{} bits", *bits) : "unknown";
}

Json security_json(const ParameterSet& group) {
  const std::optional<std::size_t> bits = security_bits(group);
  return bits ? Json(*bits) : Json(nullptr);
}

}  // namespace fhe::cli

// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/parameter_facts.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::cli {

std::string bytes_text(double bytes) {
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  constexpr std::array<std::string_view, 4> kUnits{"B", "kB", "MB", "GB"};
  std::size_t unit = 0;
  for (; bytes >= kRoundsUp && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string purpose(const ParameterSet& group) {
  return std::string(to_string(group.purpose()));
}

std::string security_text(const std::optional<security::Estimate>& estimate) {
  if (!estimate) return "-";
  return fmt::format("{} bits, {}", estimate->bits(), security::reason_in_words(*estimate));
}

std::string quantum_text(const std::optional<security::Estimate>& estimate) {
  const auto bits = estimate ? estimate->quantum_bits() : std::nullopt;
  return bits ? std::to_string(*bits) : "-";
}

void add_security(Json& json, const std::optional<security::Estimate>& estimate) {
  const auto core_costs = [](const std::vector<security::Attack>& attacks) {
    Json costs = Json::object();
    for (const security::Attack& attack : attacks) {
      if (attack.suffices) costs[std::string(attack.name)] = attack.core;
    }
    return costs;
  };
  const auto quantum = estimate ? estimate->quantum_bits() : std::nullopt;
  json["estimated_security_bits"] = estimate ? Json(estimate->bits()) : Json(nullptr);
  json["quantum_security_bits"] = quantum ? Json(*quantum) : Json(nullptr);
  json["verdict"] = estimate ? Json(security::in_words(estimate->verdict())) : Json(nullptr);
  json["log2_core_of_attacks"] = estimate ? core_costs(estimate->attacks) : Json(nullptr);
  json["log2_core_of_bounds"] = estimate ? core_costs(estimate->bounds) : Json(nullptr);
  json["estimator_version"] = security::kEstimatorVersion;
}

std::optional<KeySizes> sizes_of_any(const ParameterSet& group) {
  if (group.purpose() != GroupPurpose::slots) return sizes_of(group);
  const she::Parameters p(group);
  const std::uint64_t text = group.to_toml().size();
  KeySizes sizes;
  sizes.slots = p.slots;
  sizes.ciphertext = bytes_for_bits(p.gamma);
  sizes.compressed_bits = p.correction_bits();
  sizes.secret_key_file = container_bytes(2, text + p.slots * bytes_for_bits(p.eta));
  if (p.has_public_keys()) {
    sizes.public_key_file =
        container_bytes(3, text + kStreamSeedBytes + bytes_for_bits(p.tau * p.correction_bits()));
  }
  return sizes;
}

std::string compressed_text(const std::optional<KeySizes>& sizes) {
  if (!sizes || !sizes->compressed_bits) return "-";
  const std::uint64_t bytes = (*sizes->compressed_bits + 7) / 8;
  return bytes_text(static_cast<double>(bytes));
}

std::string size_per_slot_text(const std::optional<KeySizes>& sizes) {
  if (!sizes) return "-";
  const std::uint64_t bytes = sizes->ciphertext / sizes->slots;
  return bytes_text(static_cast<double>(bytes));
}

std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size) {
  if (!sizes || *sizes.*size == 0) return "-";
  return bytes_text(static_cast<double>(*sizes.*size));
}

Json size_json(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size) {
  return sizes && *sizes.*size != 0 ? Json(*sizes.*size) : Json(nullptr);
}

void add_sizes(Json& json, const std::optional<KeySizes>& sizes) {
  json["slots"] = sizes ? Json(sizes->slots) : Json(nullptr);
  json["ciphertext_bytes"] = size_json(sizes, &KeySizes::ciphertext);
  json["compressed_ciphertext_bits"] =
      sizes && sizes->compressed_bits ? Json(*sizes->compressed_bits) : Json(nullptr);
  json["public_key_bytes"] = size_json(sizes, &KeySizes::public_key_file);
  json["secret_key_bytes"] = size_json(sizes, &KeySizes::secret_key_file);
  json["exact_sizes"] = sizes ? Json(sizes->exact) : Json(nullptr);
  json["recryption_memory_bytes"] = size_json(sizes, &KeySizes::recryption_memory);
}

}  // namespace fhe::cli

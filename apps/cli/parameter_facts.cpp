// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/parameter_facts.hpp"

#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "libfhe/arith/integer.hpp"
#include "libfhe/scheme/she/parameters.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::cli {

namespace {

std::optional<std::size_t> security_bits(const ParameterSet& group) {
  constexpr std::string_view kField = "estimated_security";
  constexpr std::size_t kMost = 1024;
  if (!group.has(kField)) return std::nullopt;
  return group.number(kField, 0, kMost);
}

// Bytes in the largest unit that leaves at least 1.
std::string three_digits(std::uint64_t bytes) {
  constexpr double kStep = 1000;
  constexpr double kRoundsUp = 999.5;
  constexpr std::array<std::string_view, 4> kUnits{"B", "kB", "MB", "GB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= kRoundsUp && unit + 1 < kUnits.size(); ++unit) value /= kStep;
  return fmt::format("{:.3g} {}", value, kUnits[unit]);
}

}  // namespace

std::string purpose(const ParameterSet& group) {
  return std::string(to_string(group.purpose()));
}

std::string security_text(const ParameterSet& group) {
  const std::optional<std::size_t> bits = security_bits(group);
  return bits ? fmt::format("{} bits", *bits) : "unknown";
}

Json security_json(const ParameterSet& group) {
  const std::optional<std::size_t> bits = security_bits(group);
  return bits ? Json(*bits) : Json(nullptr);
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
  return three_digits((*sizes->compressed_bits + 7) / 8);
}

std::string size_per_slot_text(const std::optional<KeySizes>& sizes) {
  return sizes ? three_digits(sizes->ciphertext / sizes->slots) : "-";
}

std::string size_text(const std::optional<KeySizes>& sizes, std::uint64_t KeySizes::*size) {
  return sizes && *sizes.*size != 0 ? three_digits(*sizes.*size) : "-";
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

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/parameters.hpp"

#include <algorithm>
#include <fstream>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/parameter_text.hpp"
#include "libfhe/scheme/scheme.hpp"

namespace fhe {

namespace {

constexpr std::size_t kMaxNameLength = 31;  // what a file header holds

// What groups said about their own security before there was an estimator: keys of that time have
// it in their text, and in the digest of their group. Nothing reads its value.
constexpr std::string_view kClaim = "estimated_security";

[[noreturn]] void fail(std::string_view origin, const std::string& what) {
  throw Error(ErrorCode::invalid_parameters, fmt::format("{}: {}", origin, what));
}

void check_name(const std::string& name, std::string_view origin) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (name.empty() || name.size() > kMaxNameLength || !std::ranges::all_of(name, allowed)) {
    fail(origin,
         fmt::format("the name of a group is 1 to {} characters a-z, 0-9 and '-'", kMaxNameLength));
  }
}

GroupPurpose purpose_named(std::string_view name, std::string_view origin) {
  for (const GroupPurpose purpose :
       {GroupPurpose::scheme, GroupPurpose::slots, GroupPurpose::benchmark}) {
    if (name == to_string(purpose)) return purpose;
  }
  fail(origin, fmt::format("the purpose is 'scheme', 'slots' or 'benchmark', not '{}'", name));
}

void check_purpose(const ParameterSet& group, const GroupRules& scheme, std::string_view origin) {
  if (scheme.allows(group.purpose())) return;
  fail(origin, fmt::format("a group of {} cannot have the purpose '{}'", scheme.name(),
                           to_string(group.purpose())));
}

// A field that nothing reads is a misspelt one, or belongs to another scheme.
void check_fields(const ParameterText& text, const GroupRules& scheme, std::string_view origin) {
  const std::vector<std::string_view> known = scheme.field_names();
  for (const auto& [name, field] : text.fields) {
    if (name == kClaim || std::ranges::find(known, name) != known.end()) continue;
    fail(origin, fmt::format("line {}: unknown field '{}'; a group of {} has: {}", field.line, name,
                             scheme.name(), fmt::join(known, ", ")));
  }
}

// A name that nothing here knows makes the group invalid, wherever it stands in it.
void check_with_scheme(const ParameterSet& group, const ParameterText& text,
                       std::string_view origin) {
  try {
    const GroupRules& scheme = group_rules(text.scheme);
    check_purpose(group, scheme, origin);
    check_fields(text, scheme, origin);
    scheme.check(group);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::unknown_name) fail(origin, error.what());
    throw;
  }
}

std::string value_text(const ParameterField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return std::get<std::string>(field.value);
}

// SHA-256 of the canonical text, with all fields or without the one of this name.
Digest digest_without(std::string_view left_out, const ParameterSet& group) {
  std::string canonical = fmt::format("scheme = {}\n", group.scheme());
  for (const auto& [name, field] : group.fields()) {
    if (name != left_out) canonical += fmt::format("{} = {}\n", name, value_text(field));
  }
  return sha256(canonical);
}

}  // namespace

std::string_view to_string(GroupPurpose purpose) {
  switch (purpose) {
    case GroupPurpose::scheme:
      return "scheme";
    case GroupPurpose::slots:
      return "slots";
    case GroupPurpose::benchmark:
      return "benchmark";
  }
  return "unknown";
}

ParameterSet ParameterSet::named(std::string_view name) {
  for (const BuiltinGroup& group : builtin_groups()) {
    if (group.name == name) return from_toml(group.toml, group.name);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("no parameter group named '{}'; there are: {}",
                                                   name, fmt::join(names(), ", ")));
}

std::vector<std::string> ParameterSet::names() {
  std::vector<std::string> names;
  for (const BuiltinGroup& group : builtin_groups()) names.emplace_back(group.name);
  return names;
}

ParameterSet ParameterSet::from_toml(std::string_view text, std::string_view origin) {
  const ParameterText parsed = read_parameter_text(text, origin);
  check_name(parsed.name, origin);
  ParameterSet group;
  group.name_ = parsed.name;
  group.scheme_ = parsed.scheme;
  group.purpose_ = purpose_named(parsed.purpose, origin);
  for (const auto& [name, field] : parsed.fields) group.fields_.emplace(name, field.content);
  check_with_scheme(group, parsed, origin);
  return group;
}

ParameterSet ParameterSet::from_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxParameterTextBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    throw Error(ErrorCode::io, fmt::format("cannot read the parameter file {}", path.string()));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  refuse_object(std::as_bytes(std::span(text)), path, "a parameter group in TOML");
  ParameterSet group = from_toml(text, path.string());
  if (group.has(kClaim)) {
    fail(path.string(),
         fmt::format("remove the field '{}': no group says of itself how secure it is; "
                     "`fhe params estimate` does",
                     kClaim));
  }
  return group;
}

ParameterSet ParameterSet::resolve(const std::string& name) {
  const auto known = names();
  const bool builtin = std::ranges::find(known, name) != known.end();
  return !builtin && std::filesystem::exists(name) ? from_file(name) : named(name);
}

bool ParameterSet::has(std::string_view field) const {
  return fields().contains(std::string(field));
}

std::size_t ParameterSet::number(std::string_view field, std::size_t low, std::size_t high) const {
  const auto found = fields().find(std::string(field));
  if (found == fields().end()) throw invalid(fmt::format("the field '{}' is missing", field));
  const auto* const value = std::get_if<std::int64_t>(&found->second.value);
  if (value == nullptr) throw invalid(fmt::format("the field '{}' must be an integer", field));
  if (*value < 0 || static_cast<std::uint64_t>(*value) < low ||
      static_cast<std::uint64_t>(*value) > high) {
    throw invalid(fmt::format("{} = {} must be between {} and {}", field, *value, low, high));
  }
  return static_cast<std::size_t>(*value);
}

std::string ParameterSet::word(std::string_view field) const {
  const auto found = fields().find(std::string(field));
  if (found == fields().end()) throw invalid(fmt::format("the field '{}' is missing", field));
  const auto* const value = std::get_if<std::string>(&found->second.value);
  if (value == nullptr) throw invalid(fmt::format("the field '{}' must be a word", field));
  return *value;
}

std::string ParameterSet::to_toml() const {
  return write_parameter_text(*this);
}

std::optional<std::string> ParameterSet::flaw() const {
  const std::vector<std::string> builtin = names();
  if (std::ranges::find(builtin, name()) != builtin.end() &&
      digest_without(kClaim, *this) != named(name_).digest()) {
    return fmt::format(
        "it claims to be {0}, but its parameters are not those of {0}: a group of other values "
        "needs a name of its own",
        name_);
  }
  try {
    static_cast<void>(from_toml(to_toml(), "its text in a key file"));
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

Digest ParameterSet::digest() const {
  return digest_without({}, *this);
}

Error ParameterSet::invalid(std::string_view what) const {
  return Error(ErrorCode::invalid_parameters, fmt::format("parameter group {}: {}", name_, what));
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// The table of schemes: the one place outside its own folder where a scheme is named.
#include "libfhe/scheme/schemes.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/scheme/she/group_rules.hpp"

namespace fhe {

namespace {

std::array<const Scheme*, 4> schemes() {
  return {&cnt::scheme(), &cmnt::scheme(), &bdghv::scheme(), &gh::scheme()};
}

// Those that encrypt bits, and those that do not.
std::vector<const GroupRules*> all_rules() {
  std::vector<const GroupRules*> rules;
  for (const Scheme* scheme : schemes()) rules.push_back(scheme);
  rules.push_back(&she::group_rules());
  return rules;
}

template <class Table>
auto named_in(const Table& table, std::string_view name) {
  std::vector<std::string> known;
  for (const auto* entry : table) {
    if (entry->name() == name) return entry;
    known.emplace_back(entry->name());
  }
  throw Error(ErrorCode::unknown_name, fmt::format("no scheme named '{}'; this program has: {}",
                                                   name, fmt::join(known, ", ")));
}

}  // namespace

std::vector<Ciphertext> KeyContext::constants(std::span<const SlotBits> rows,
                                              const Monitor& /*monitor*/) const {
  std::vector<Ciphertext> made;
  for (const SlotBits& row : rows) made.emplace_back(row.front() ? 1 : 0, NoiseBound(), id());
  return made;
}

std::vector<Ciphertext> KeyContext::recrypt_permuted(const std::vector<Ciphertext>& /*cs*/,
                                                     std::size_t /*permutation*/,
                                                     const Monitor& /*monitor*/) const {
  throw Error(ErrorCode::unsupported, "the key has no permutations of slots");
}

const Scheme& scheme_named(std::string_view name) {
  return *named_in(schemes(), name);
}

const GroupRules& group_rules(std::string_view name) {
  return *named_in(all_rules(), name);
}

const GroupRules* find_group_rules(std::string_view name) {
  const auto rules = all_rules();
  const auto found = std::ranges::find(rules, name, &GroupRules::name);
  return found == rules.end() ? nullptr : *found;
}

}  // namespace fhe

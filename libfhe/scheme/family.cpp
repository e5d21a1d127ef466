// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/family.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "libfhe/scheme/scheme.hpp"

namespace fhe {

namespace {

constexpr std::array kOfBits{
    ObjectUse{ObjectKind::public_key,
              "a public key of bits",
              {"fhe encrypt, fhe eval, fhe run, fhe recrypt, fhe expand, fhe check --key",
               "fhe::load_public_key", "fhe.load_public_key"}},
    ObjectUse{ObjectKind::secret_key,
              "a secret key of bits",
              {"fhe decrypt, fhe encrypt --secret-key, fhe check --secret, fhe passwd",
               "fhe::load_secret_key", "fhe.load_secret_key"}},
    ObjectUse{ObjectKind::ciphertexts,
              "ciphertexts of bits",
              {"fhe decrypt, fhe eval, fhe run, fhe recrypt, fhe inspect", "fhe::load_ciphertexts",
               "fhe.load"}},
    ObjectUse{ObjectKind::checkpoint,
              "a checkpoint of a run on bits",
              {"fhe run --resume", "fhe::run_circuit, fhe::run_clocked", ""}},
    ObjectUse{ObjectKind::program,
              "a compiled circuit for bits",
              {"fhe run, fhe circuit info", "fhe::load_program", "fhe.load_program"}},
    ObjectUse{ObjectKind::switching_key,
              "a switching key of bits",
              {"", "fhe::dghv::load_modulus_switch", ""}}};

constexpr std::array kOfSlots{
    ObjectUse{ObjectKind::public_key,
              "a public key of numbers in slots",
              {"fhe encrypt --key, fhe check --key", "fhe::she::load_public_key", ""}},
    ObjectUse{ObjectKind::secret_key,
              "a secret key of numbers in slots",
              {"fhe decrypt, fhe encrypt --secret-key, fhe check --secret, fhe passwd",
               "fhe::she::load_secret_key", ""}},
    ObjectUse{ObjectKind::ciphertexts,
              "ciphertexts of numbers in slots",
              {"fhe slots, fhe decrypt, fhe inspect", "fhe::she::load_slots", ""}}};

const std::array kFamilies{
    Family{GroupPurpose::scheme,
           "bits",
           {"fhe keygen, fhe circuit info --params", "fhe::KeyGenerator", "fhe.keygen"},
           kOfBits},
    Family{GroupPurpose::slots,
           "numbers in slots",
           {"fhe keygen", "fhe::she::KeyGenerator", ""},
           kOfSlots}};

// The family of the scheme; null for a scheme that nobody here knows.
const Family* family_of(std::string_view scheme) {
  const auto* const found = std::ranges::find_if(
      kFamilies, [&](const Family& family) { return is_of_family(scheme, family.purpose); });
  return found == kFamilies.end() ? nullptr : found;
}

const Family& family_of(GroupPurpose purpose) {
  return *std::ranges::find(kFamilies, purpose, &Family::purpose);
}

// Null where the family has no such objects.
const ObjectUse* use_of(const Family& family, ObjectKind kind) {
  const auto found = std::ranges::find(family.objects, kind, &ObjectUse::kind);
  return found == family.objects.end() ? nullptr : &*found;
}

const ObjectUse* use_of(const ObjectHeader& header) {
  const Family* const family = family_of(header.scheme);
  return family == nullptr ? nullptr : use_of(*family, header.kind);
}

std::string text_of(const Takers& takers) {
  std::string text;
  const auto add = [&](std::string_view where, std::string_view list) {
    if (list.empty()) return;
    if (!text.empty()) text += "; ";
    text += where;
    text += list;
  };
  add("", takers.commands);
  add("in C++ ", takers.functions);
  add("in Python ", takers.python);
  return text;
}

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

bool is_of_family(std::string_view scheme, GroupPurpose family) {
  const GroupRules* const rules = find_group_rules(scheme);
  return rules != nullptr && rules->allows(family);
}

std::string object_text(const ObjectHeader& header) {
  const ObjectUse* const use = use_of(header);
  return fmt::format("{} ({})", use == nullptr ? to_string(header.kind) : use->words,
                     header.parameters);
}

std::string object_text(ObjectKind kind, const ParameterSet& group) {
  return fmt::format("{} ({})", use_of(family_of(group.purpose()), kind)->words, group.name());
}

Error wrong_object(const ContainerReader& in, std::string_view needed) {
  const ObjectUse* const use = use_of(in.header());
  if (use == nullptr) {
    return in.malformed(fmt::format("there is no {} of the scheme '{}'",
                                    to_string(in.header().kind), in.header().scheme));
  }
  return {ErrorCode::wrong_key,
          fmt::format("'{}' holds {}; needed here: {}. Use it with: {}", in.name(),
                      object_text(in.header()), needed, text_of(use->takers))};
}

void refuse_object(std::span<const std::byte> start, const Source& source,
                   std::string_view needed) {
  if (announced_kind(start)) throw wrong_object(ContainerReader(source), needed);
}

void require_object(const ContainerReader& in, ObjectKind kind, GroupPurpose family) {
  const ObjectUse* const needed = use_of(family_of(family), kind);
  if (use_of(in.header()) != needed) throw wrong_object(in, needed->words);
}

void require_family(const ParameterSet& group, GroupPurpose family) {
  if (group.purpose() == family) return;
  if (group.purpose() == GroupPurpose::benchmark) {
    throw group.invalid(
        fmt::format("this group only gives sizes to benchmarks; choose one of purpose '{}' to make "
                    "keys",
                    to_string(family)));
  }
  const Family& own = family_of(group.purpose());
  throw group.invalid(fmt::format(
      "its keys encrypt {}; needed here: a group whose keys encrypt {}. Use it with: {}",
      own.contents, family_of(family).contents, text_of(own.takers)));
}

}  // namespace fhe

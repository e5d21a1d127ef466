// SPDX-License-Identifier: Apache-2.0
// The families of keys and ciphertexts, and what takes an object of each kind and family: the one
// table of both.
//
// Objects of one family are used together, and the purpose of their parameter groups names the
// family: keys of GroupPurpose::scheme encrypt bits, those of GroupPurpose::slots numbers in slots.
// Every reader of the library asks this table whether a file holds what it reads. An intact object
// of another kind or family is an Error(wrong_key), and a group of another family an
// Error(invalid_parameters); both say what was given and what takes it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "libfhe/error.hpp"
#include "libfhe/export.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

// What takes something: lists for people, with commas; empty where there is nothing.
struct FHE_EXPORT Takers {
  std::string_view commands;   // of the tool, such as "fhe decrypt, fhe check --secret"
  std::string_view functions;  // of C++, such as "fhe::load_secret_key"
  std::string_view python;     // of the Python package, such as "fhe.load_secret_key"
};

// The objects of one kind in a family.
struct FHE_EXPORT ObjectUse {
  ObjectKind kind;         // of the objects
  std::string_view words;  // what one is, such as "a secret key of numbers in slots"
  Takers takers;           // of such a file
};

// One family.
struct FHE_EXPORT Family {
  GroupPurpose purpose;                // of its groups
  std::string_view contents;           // what its keys encrypt, such as "numbers in slots"
  Takers takers;                       // of its groups
  std::span<const ObjectUse> objects;  // the kinds that there are in it
};

// All families.
[[nodiscard]] FHE_EXPORT std::span<const Family> families();

// Whether objects of this scheme, as file headers name it, are of the family; false for a scheme
// that this program does not know.
[[nodiscard]] FHE_EXPORT bool is_of_family(std::string_view scheme, GroupPurpose family);

// What an object is, such as "a secret key of numbers in slots (she-128-d1)": by its header, and by
// the group of its key. Requires a group that makes keys, of a family with objects of the kind.
[[nodiscard]] FHE_EXPORT std::string object_text(const ObjectHeader& header);
[[nodiscard]] FHE_EXPORT std::string object_text(ObjectKind kind, const ParameterSet& group);

// The Error(wrong_key) about the object of a file: what it is, that `needed` was to be given, and
// what takes it.
[[nodiscard]] FHE_EXPORT Error wrong_object(const ContainerReader& in, std::string_view needed);

// Throws wrong_object() where the source begins as an object, and not as the text that is needed.
// `start` are its first bytes, kAnnouncingBytes or more.
FHE_EXPORT void refuse_object(std::span<const std::byte> start, const Source& source,
                              std::string_view needed);

// Throws wrong_object() unless the file holds an object of this kind and family, and
// Error(malformed_file) where no object can be what its header says.
FHE_EXPORT void require_object(const ContainerReader& in, ObjectKind kind, GroupPurpose family);

// Throws Error(invalid_parameters) unless keys of the group are of this family: it names the family
// and what takes the group, or says that a group for benchmarks makes no keys.
FHE_EXPORT void require_family(const ParameterSet& group, GroupPurpose family);

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// An object of every kind and family in a file of its own, and what must be said of it at a door
// that does not take it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "libfhe/circuit/netlist.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/storage/container.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

// One of the objects.
struct FamilyObject {
  std::string file;     // its name in the folder, such as "cnt-mini.public.fhe"
  ObjectHeader header;  // of the file
  GroupPurpose family;  // that it is of
  bool compressed = false;

  [[nodiscard]] bool is(ObjectKind kind, GroupPurpose of) const {
    return header.kind == kind && family == of;
  }
};

// The passphrase of those files that have one.
inline constexpr const char* kFamilyPassphrase = "horse";

// The AND of two inputs, as a file in Bristol Fashion has it.
Netlist small_circuit();

// Keys, ciphertexts and compressed ones of cnt, cmnt, bdghv, gh, she and tally; secret keys under a
// passphrase; a program, checkpoints of both kinds of run, and the keys of a rung.
class FamilyObjects {
 public:
  explicit FamilyObjects(const std::filesystem::path& folder);

  [[nodiscard]] const std::vector<FamilyObject>& all() const { return objects_; }

 private:
  void add_bits(const std::string& group);
  void add_numbers();
  void add_tally();
  void add_runs();
  void add_rung();
  [[nodiscard]] std::filesystem::path path(const std::string& file) const { return folder_ / file; }
  void listed(const std::string& file, bool compressed = false);

  std::filesystem::path folder_;
  std::vector<FamilyObject> objects_;
};

// Whether a message says what the object is and names something that takes it. Checks that it does
// not call the object damaged, unsound or for benchmarks.
bool names_object(const std::string& message, const FamilyObject& object);

}  // namespace fhe::test

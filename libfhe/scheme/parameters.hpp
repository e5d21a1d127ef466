// SPDX-License-Identifier: Apache-2.0
// Parameter groups: named, published sets of numbers, kept as TOML data in params/.
//
// A file has three strings at the top, `name`, `scheme` and `purpose` ("scheme" for keys, "slots"
// for the keys of she/keys.hpp, "benchmark" for raw sizes that make no keys), and one table per
// field:
//
//   [gamma]
//   value = 147456        # an integer, or a word
//   unit = "bits"
//   source = "CNT 2012 reference program"
//
// Each scheme decides which fields it needs and what must hold between them: loading a group runs
// the checks of its scheme (GroupRules::check).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libfhe/error.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// One number or word of a group.
struct FHE_EXPORT ParameterField {
  std::variant<std::int64_t, std::string> value;  // in `unit`
  std::string unit;                               // "bits", "elements", "word", ...
  std::string source;                             // where the number comes from
};

// What a group is for.
enum class GroupPurpose {
  scheme,     // keys that encrypt bits (keys.hpp)
  slots,      // keys that encrypt numbers in slots (she/keys.hpp)
  benchmark,  // sizes only
};

// "scheme", "slots" or "benchmark", as in the text of a group.
FHE_EXPORT std::string_view to_string(GroupPurpose purpose);

// An immutable, checked group. A value: cheap enough to copy; compared by name and digest. Every
// use of one that was moved from throws Error(invalid_argument).
class FHE_EXPORT ParameterSet {
 public:
  // A built-in group. Throws Error(unknown_name), listing what there is.
  static ParameterSet named(std::string_view name);

  // Names of the built-in groups, ordered by scheme and size.
  static std::vector<std::string> names();

  // A group from TOML text of up to 64 KiB, or from a file of such text. `origin` is what error
  // messages call the text. Throws Error(invalid_parameters) with the line or field, the value and
  // what must hold. A text, which keys of older versions hold, may claim a security in a field
  // `estimated_security`, which is read and ignored; a file must not: estimate_of (security.hpp)
  // says what a group is worth. A file that holds a key or another object is an Error(wrong_key).
  static ParameterSet from_toml(std::string_view text, std::string_view origin);
  static ParameterSet from_file(const std::filesystem::path& path);

  // The built-in group of that name if there is one, else the group of the file with that path.
  static ParameterSet resolve(const std::string& name);

  // The name of the group, and that of its scheme.
  [[nodiscard]] const std::string& name() const { return held().name_; }
  [[nodiscard]] const std::string& scheme() const { return held().scheme_; }

  // What the group is for, and whether that is keys that encrypt bits.
  [[nodiscard]] GroupPurpose purpose() const { return held().purpose_; }
  [[nodiscard]] bool makes_keys() const { return purpose() == GroupPurpose::scheme; }

  // All fields by name, and whether there is one of this name.
  [[nodiscard]] const std::map<std::string, ParameterField>& fields() const {
    return held().fields_;
  }
  [[nodiscard]] bool has(std::string_view field) const;

  // The integer in [low, high] of a field, or its word. Throws Error(invalid_parameters), naming
  // group, field and range, when the field is missing, of the other kind, or out of range.
  [[nodiscard]] std::size_t number(std::string_view field, std::size_t low, std::size_t high) const;
  [[nodiscard]] std::string word(std::string_view field) const;

  // The group as TOML, which from_toml reads back as an equal group.
  [[nodiscard]] std::string to_toml() const;

  // Why readers would refuse a key file with this group in it, as a clause for a message; nothing
  // when they accept it. A group has a flaw when it has the name of a built-in one and other
  // values, claims of security excepted, or when from_toml refuses the text that to_toml() gives.
  [[nodiscard]] std::optional<std::string> flaw() const;

  // SHA-256 of the canonical text (libfhe/storage/FORMAT.md): scheme, field names and values; not
  // the name of the group, nor units and sources.
  [[nodiscard]] Digest digest() const;

  friend bool operator==(const ParameterSet& a, const ParameterSet& b) {
    return a.name_ == b.name_ && a.digest() == b.digest();
  }

  // An Error(invalid_parameters) that says `what` about this group.
  [[nodiscard]] Error invalid(std::string_view what) const;

 private:
  ParameterSet() = default;

  // This group. Throws Error(invalid_argument) where it was moved from: a group has a name.
  [[nodiscard]] const ParameterSet& held() const {
    if (name_.empty()) throw_moved_from("the parameter group");
    return *this;
  }

  std::string name_;
  std::string scheme_;
  GroupPurpose purpose_ = GroupPurpose::scheme;
  std::map<std::string, ParameterField> fields_;
};

// A group that is compiled in.
struct FHE_EXPORT BuiltinGroup {
  std::string_view name;  // of the group
  std::string_view toml;  // the text of params/NAME.toml
};

// All groups of params/. Defined in a file that the build generates (params/CMakeLists.txt).
FHE_EXPORT std::vector<BuiltinGroup> builtin_groups();

}  // namespace fhe

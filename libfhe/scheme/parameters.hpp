// Parameter groups: named, published sets of numbers, kept as TOML data in params/.
//
// A file has three strings at the top, `name`, `scheme` and `purpose` ("scheme" for keys,
// "benchmark" for raw sizes that no key can be made of), and one table per field:
//
//   [gamma]
//   value = 147456        # an integer, or a word
//   unit = "bits"
//   source = "CNT 2012 reference program"
//
// Which fields a scheme needs, and what must hold between them, is the scheme's own business:
// loading a group runs its checks (Scheme::check).
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
#include "libfhe/wire/digest.hpp"

namespace fhe {

struct ParameterField {
  std::variant<std::int64_t, std::string> value;
  std::string unit;    // "bits", "elements", "word", ...
  std::string source;  // where the number comes from
};

// An immutable, checked group. A value: cheap enough to copy, comparable by digest.
class ParameterSet {
 public:
  // A built-in group. Throws Error(unknown_name), listing what there is.
  static ParameterSet named(std::string_view name);

  // Names of the built-in groups, by scheme and size.
  static std::vector<std::string> names();

  // A group from TOML text of up to 64 KiB, or from a file of it. `origin` is what error messages
  // call the text. Throws Error(invalid_parameters) with line or field, value and what must hold.
  static ParameterSet from_toml(std::string_view text, std::string_view origin);
  static ParameterSet from_file(const std::filesystem::path& path);

  // `name` as a built-in group when there is one of that name, else as the path of a file.
  static ParameterSet resolve(const std::string& name);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& scheme() const { return scheme_; }

  // False for groups that only give sizes to benchmarks: no keys can be made of them.
  [[nodiscard]] bool makes_keys() const { return makes_keys_; }

  [[nodiscard]] const std::map<std::string, ParameterField>& fields() const { return fields_; }
  [[nodiscard]] bool has(std::string_view field) const;

  // A field's integer in [low, high], or its word. Throws Error(invalid_parameters), naming group,
  // field and range, when it is missing, of the other kind, or outside.
  [[nodiscard]] std::size_t number(std::string_view field, std::size_t low, std::size_t high) const;
  [[nodiscard]] std::string word(std::string_view field) const;

  // The group as TOML that from_toml reads back to an equal group.
  [[nodiscard]] std::string to_toml() const;

  // What keeps readers from taking a key file with this group in it, as a clause for a message;
  // nothing when they take it. A group has a flaw when it has the name of a built-in one and other
  // values, or when to_toml() is not a text that from_toml takes.
  [[nodiscard]] std::optional<std::string> flaw() const;

  // SHA-256 of the canonical text (libfhe/wire/FORMAT.md): scheme, field names and values; the name
  // of the group, units and sources do not enter.
  [[nodiscard]] Digest digest() const;

  friend bool operator==(const ParameterSet& a, const ParameterSet& b) {
    return a.name_ == b.name_ && a.digest() == b.digest();
  }

  // The Error(invalid_parameters) that says `what` about this group.
  [[nodiscard]] Error invalid(std::string_view what) const;

 private:
  ParameterSet() = default;

  std::string name_;
  std::string scheme_;
  bool makes_keys_ = true;
  std::map<std::string, ParameterField> fields_;
};

// The TOML texts of params/*.toml, compiled in. Defined by a generated file
// (params/CMakeLists.txt).
struct BuiltinGroup {
  std::string_view name;
  std::string_view toml;
};
std::vector<BuiltinGroup> builtin_groups();

}  // namespace fhe

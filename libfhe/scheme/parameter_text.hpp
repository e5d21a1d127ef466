// SPDX-License-Identifier: Apache-2.0
// The text of a parameter group, read and written: the small part of TOML that
// libfhe/storage/FORMAT.md defines under "Params", line by line and without recursion. Texts come
// from strangers, inside their keys, so everything else is refused with its line. Not installed.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "libfhe/scheme/parameters.hpp"

namespace fhe {

inline constexpr std::size_t kMaxParameterTextBytes = 64 * 1024;

// What a text says. Whether the words and numbers make sense is not looked at.
struct ParameterText {
  struct Field {
    ParameterField content;
    std::size_t line;  // of its header, from 1
  };

  std::string name;
  std::string scheme;
  std::string purpose;
  std::map<std::string, Field> fields;
};

// Reads a text of up to kMaxParameterTextBytes, each line of up to 1024 bytes; `origin` is what
// errors call it. Takes time and memory proportional to its length. Throws
// Error(invalid_parameters) that names the line.
ParameterText read_parameter_text(std::string_view text, std::string_view origin);

// The text of a group; read_parameter_text returns the same name, scheme, purpose and fields from
// it.
std::string write_parameter_text(const ParameterSet& group);

}  // namespace fhe

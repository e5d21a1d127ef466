// SPDX-License-Identifier: Apache-2.0
// The file section that public and secret keys of GH share. Not installed.
#pragma once

#include <optional>
#include <string>

#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::gh {

// What is impossible about a determinant d: it is even or its length is impossible.
std::optional<std::string> determinant_flaw(const Parameters& parameters, const Integer& d);

// Section `d`: the determinant, in as few bytes as it needs. Throws Error(malformed_file) when it
// has a flaw.
Integer read_determinant(const Parameters& parameters, ContainerReader& in);
void write_determinant(const Integer& d, SectionWriter& out);

}  // namespace fhe::gh

// The file section that public and secret keys of GH share. Not installed.
#pragma once

#include "libfhe/scheme/gh/parameters.hpp"
#include "libfhe/wire/container.hpp"

namespace fhe::gh {

// Section `d`: the determinant, in as few bytes as it needs. Throws Error(malformed_file) unless it
// is odd and its length is possible.
Integer read_determinant(const Parameters& parameters, ContainerReader& in);
void write_determinant(const Integer& d, SectionWriter& out);

}  // namespace fhe::gh

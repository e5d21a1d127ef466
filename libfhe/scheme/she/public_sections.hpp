// SPDX-License-Identifier: Apache-2.0
// The sections of a public key, which its id is a digest of. Not installed.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe::she {

inline constexpr std::string_view kSeed = "seed";
inline constexpr std::string_view kCorrections = "delta";

// All but `params`.
inline void write_public_sections(SectionWriter& out, const StreamSeed& seed,
                                  const std::vector<Integer>& corrections, std::size_t bits) {
  out.begin_section(kSeed);
  out.write_seed(seed);
  out.begin_section(kCorrections);
  out.write_packed(corrections, bits);
}

}  // namespace fhe::she

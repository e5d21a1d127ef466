// SPDX-License-Identifier: Apache-2.0
// Names that nobody else has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::outsource {

// So many random bytes in hexadecimal.
[[nodiscard]] inline std::string random_name(std::size_t bytes) {
  std::vector<std::byte> random(bytes);
  fill_public(random);
  return to_hex(random, bytes);
}

}  // namespace fhe::outsource

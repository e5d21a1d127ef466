// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/operand_length.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

void require_operand_lengths(const Integer& x, const Integer& y, std::size_t max_bits,
                             std::string_view backend) {
  const std::size_t bits = std::max(bit_length(x), bit_length(y));
  if (bits <= max_bits) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("an operand of {} bits is longer than the {} bits that the {} backend "
                          "accepts",
                          bits, max_bits, backend));
}

}  // namespace fhe

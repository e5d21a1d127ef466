// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/bounds.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::she {

void require_noise(const Integer& noise, const Parameters& parameters, std::string_view what) {
  if (noise <= parameters.noise_limit()) return;
  throw Error(ErrorCode::noise_exceeded,
              fmt::format("{} could have {:.1f} bits of noise, and numbers decrypt up to {} bits: "
                          "nothing is computed; add fewer, use smaller constants, or take a group "
                          "of more depth than {}",
                          what, noise_bits(noise), parameters.eta - 2, parameters.depth));
}

Integer public_bound(const Integer& noise, const Integer& operand, const Parameters& parameters) {
  Integer bound = operand;
  while (bound < noise) bound *= 2;
  return std::min(bound, parameters.noise_limit());
}

}  // namespace fhe::she

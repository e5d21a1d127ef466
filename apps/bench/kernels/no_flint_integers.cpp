// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/kernels/flint_integers.hpp"

namespace fhe::bench {

std::string flint_version() {
  return {};
}

std::function<void()> flint_multiplication(const Integer& /*x*/, const Integer& /*y*/) {
  return {};
}

}  // namespace fhe::bench

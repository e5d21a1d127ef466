// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/bounds.hpp"

#include <stdexcept>
#include <string>

namespace fhe::cpu {

void bound_exceeded(const char* range) {
  throw std::logic_error(std::string("a value of the engine is out of its range: ") + range);
}

}  // namespace fhe::cpu

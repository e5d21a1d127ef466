// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/register_map/texts.hpp"

#include <fmt/format.h>

namespace fhe::fpga::register_map {

std::string comment(const Register& r) {
  return r.text.empty() ? fmt::format("  // {}", r.access)
                        : fmt::format("  // {}: {}", r.access, r.text);
}

std::string place(const Field& f) {
  return f.bits() == 1 ? fmt::format("{}[{}]", f.word, f.low)
                       : fmt::format("{}[{}:{}]", f.word, f.high, f.low);
}

}  // namespace fhe::fpga::register_map

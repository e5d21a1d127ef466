// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fhe::bench {

// A time as text, with three digits and a unit: "4.55 ms".
std::string duration(double seconds);

}  // namespace fhe::bench

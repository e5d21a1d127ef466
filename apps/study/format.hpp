// SPDX-License-Identifier: Apache-2.0
// Quantities as text, with three digits and a unit.
#pragma once

#include <cstdint>
#include <string>

namespace fhe::bench {

std::string duration(double seconds);  // "4.55 ms"
std::string times(double ratio);       // "12.0x"

// An integer with commas between thousands: "41,146".
std::string grouped(std::uint64_t number);

}  // namespace fhe::bench

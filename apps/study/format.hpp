// SPDX-License-Identifier: Apache-2.0
// Quantities as text, with three digits and a unit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fhe::bench {

std::string duration(double seconds);  // "4.55 ms"
std::string data_size(double bytes);   // "2.21 MB", of 10^6 bytes
std::string bit_count(double bits);    // "786 kbit", of 10^3 bits
std::string frequency(double hertz);   // "161 MHz"
std::string times(double ratio);       // "12.0x"

// A ratio as the label of an axis: "12x".
std::string whole_times(double ratio);

// "2026-11-20 15:52" for "2026-11-20T15:52:12Z"; another form stays as it is.
std::string date_and_time(std::string_view iso_date);

// An integer with commas between thousands: "41,146".
std::string grouped(std::uint64_t number);

}  // namespace fhe::bench

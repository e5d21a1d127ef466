// What the examples share: saying and checking what holds, and numbers as bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include <libfhe/error.hpp>

namespace fhe::examples {

// Prints `what` as true, or ends the program with exit status 1.
inline void check(bool holds, std::string_view what) {
  if (!holds) {
    std::cerr << "  WRONG: " << what << '\n';
    std::exit(EXIT_FAILURE);
  }
  std::cout << "  ok: " << what << '\n';
}

// Checks that `call` throws an Error of this code, and prints its message.
template <class Call>
void check_refused(ErrorCode code, std::string_view what, const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    std::cout << "  " << to_string(error.code()) << ": " << error.what() << '\n';
    check(error.code() == code, what);
    return;
  }
  check(false, what);
}

// The lowest `width` <= 64 bits of a number, bit 0 first, and the number of at most 64 bits.
inline std::vector<bool> bits_of(std::uint64_t number, std::size_t width) {
  std::vector<bool> bits;
  for (std::size_t i = 0; i < width; ++i) bits.push_back((number >> i & 1) != 0);
  return bits;
}
inline std::uint64_t number_of(const std::vector<bool>& bits) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < bits.size(); ++i) number |= std::uint64_t{bits[i]} << i;
  return number;
}

}  // namespace fhe::examples

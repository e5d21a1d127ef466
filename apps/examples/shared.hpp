// SPDX-License-Identifier: Apache-2.0
// What the examples share: saying and checking what holds.
#pragma once

#include <cstdlib>
#include <iostream>
#include <string_view>

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

}  // namespace fhe::examples

// SPDX-License-Identifier: Apache-2.0
// The switch of planted faults (README.md). No source includes it but those that mutants.py copies.
#pragma once

#include <cstdlib>

// Whether this process is to have fault `number`: FHE_MUTANT says which one, and without it there
// is none.
inline bool fhe_mutant(int number) {
  static const int chosen = [] {
    const char* const text = std::getenv("FHE_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return chosen == number;
}

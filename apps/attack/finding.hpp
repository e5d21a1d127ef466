// SPDX-License-Identifier: Apache-2.0
// What an attack tells: its steps, what each of them took, and what it found.
#pragma once

#include <cstddef>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"

namespace fhe::attack {

// A step of an attack, as a clause, and the processor time that it took.
struct Step {
  std::string what;
  double seconds;
};

// What an attack did and found. Nothing here is wiped: attacks are for keys that protect nothing.
struct Finding {
  // Secret primes, or those of some slots; none where the attack failed or opens ciphertexts only.
  std::vector<Integer> primes = {};
  std::optional<Integer> inverse = {};  // the secret w of an ideal, or -w, which opens as much
  std::optional<bool> bit = {};         // of a ciphertext, where it is that which was attacked
  std::size_t dimension = 0;            // of the lattice; 0 where none was reduced
  std::size_t samples = 0;              // how many samples, ciphertexts or answers it used
  std::vector<Step> steps = {};         // in their order

  [[nodiscard]] double seconds() const {
    double sum = 0;
    for (const Step& step : steps) sum += step.seconds;
    return sum;
  }

  // Does `work`, notes what it took and returns its result.
  template <class Work>
  auto step(std::string what, const Work& work) {
    const std::clock_t start = std::clock();
    auto result = work();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    steps.push_back({std::move(what), seconds});
    return result;
  }
  // Notes what needs no time.
  void note(std::string what) { steps.push_back({std::move(what), 0}); }
};

}  // namespace fhe::attack

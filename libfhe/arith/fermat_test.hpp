// SPDX-License-Identifier: Apache-2.0
// Fermat's test of many SECRET numbers at once: what the search for primes tells composites with.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/export.hpp"

namespace fhe {

// Whether 2^(n-1) = 1 mod n, for odd numbers n of one length. It is for every prime, and for hardly
// any composite.
//
// The numbers are secret: neither the time nor the memory accesses depend on them, and what is
// computed with them is wiped. Any number of threads may use a test.
class FHE_EXPORT FermatTest {
 public:
  virtual ~FermatTest() = default;
  FermatTest(const FermatTest&) = delete;
  FermatTest& operator=(const FermatTest&) = delete;

  // How many numbers are tested in the time of one, at least 1.
  [[nodiscard]] virtual std::size_t width() const = 0;

  // For each of the numbers whether it passes. They follow each other in `numbers`, each in the
  // limbs that its length takes. Requires at least one and at most width() of them, odd and of
  // exactly the length of the test.
  [[nodiscard]] virtual std::vector<bool> passes(std::span<const Limb> numbers) const = 0;

 protected:
  FermatTest() = default;
};

}  // namespace fhe

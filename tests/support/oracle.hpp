// SPDX-License-Identifier: Apache-2.0
// Slow truth: that of the conformance suite, and what other tests compare with besides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/conformance/oracle.hpp"

namespace fhe::test::oracle {

using namespace conformance::oracle;

// What an adder program computes: (bit w-1 of the sum) xor (bit w-2 of the sum), modulo 2^w.
inline bool rounded_sum_bit(std::span<const std::uint32_t> numbers, std::size_t width) {
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) sum += number;
  return ((sum >> (width - 1) ^ sum >> (width - 2)) & 1) != 0;
}

}  // namespace fhe::test::oracle

// SPDX-License-Identifier: Apache-2.0
// Amounts of money, encrypted by who knows them to the arbiter's public key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/scheme/keys.hpp"

namespace fhe::credit_check {

inline constexpr std::size_t kAmountBits = 32;
inline constexpr std::uint64_t kLargestAmount = (std::uint64_t{1} << kAmountBits) - 1;

// 32 bits, the lowest first, so that a ciphertext does not tell how large an amount is; in each
// slot those of another amount.
using EncryptedAmounts = std::vector<Ciphertext>;

// An amount in each slot, and 0 in those for which there is none. Throws Error(invalid_argument)
// when an amount is larger than kLargestAmount. Requires 1 to key.slots() amounts.
[[nodiscard]] EncryptedAmounts encrypt_amounts(const std::vector<std::uint64_t>& amounts,
                                               const PublicKey& key, const BackendPtr& backend);

}  // namespace fhe::credit_check

// SPDX-License-Identifier: Apache-2.0
// An amount of money, encrypted by who knows it to the arbiter's public key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "libfhe/scheme/keys.hpp"

namespace fhe::credit_check {

inline constexpr std::size_t kAmountBits = 32;
inline constexpr std::uint64_t kLargestAmount = (std::uint64_t{1} << kAmountBits) - 1;

// 32 bits, the lowest first, so that a ciphertext does not tell how large the amount is.
using EncryptedAmount = std::vector<Ciphertext>;

// Throws Error(invalid_argument) when the amount is larger than kLargestAmount.
[[nodiscard]] EncryptedAmount encrypt_amount(std::uint64_t amount, const PublicKey& key,
                                             const BackendPtr& backend);

}  // namespace fhe::credit_check

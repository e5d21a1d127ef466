// SPDX-License-Identifier: Apache-2.0
// Encrypted bits on their way from the owner of a key to a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::apps {

// Compressed where the scheme can (cnt, cmnt and bdghv), whole elsewhere (gh).
using SentBits = std::variant<CompressedCiphertexts, std::vector<Ciphertext>>;

// What the server makes of them. Throws as expand().
[[nodiscard]] std::vector<Ciphertext> received(const SentBits& bits, const PublicKey& key);

// The bits of every ciphertext, from those of some of its slots; the others have zeros. Requires at
// most `count` slots, at least one, all of one length.
[[nodiscard]] std::vector<SlotBits> rows_of(std::vector<std::vector<bool>> slots,
                                            std::size_t count);

// How many ciphertexts these are, and the bytes of a file that holds them.
[[nodiscard]] std::size_t count_of(const SentBits& bits);
[[nodiscard]] std::uint64_t bytes_of(const SentBits& bits, const PublicKey& key);

}  // namespace fhe::apps

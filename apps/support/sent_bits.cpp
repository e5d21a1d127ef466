// SPDX-License-Identifier: Apache-2.0
#include "apps/support/sent_bits.hpp"

#include "libfhe/scheme/sizes.hpp"

namespace fhe::apps {

std::vector<Ciphertext> received(const SentBits& bits, const PublicKey& key) {
  const auto* const compressed = std::get_if<CompressedCiphertexts>(&bits);
  if (compressed != nullptr) return expand(*compressed, key);
  return std::get<std::vector<Ciphertext>>(bits);
}

std::vector<SlotBits> rows_of(std::vector<std::vector<bool>> slots, std::size_t count) {
  slots.resize(count, std::vector<bool>(slots.front().size()));
  return transposed(slots);
}

std::size_t count_of(const SentBits& bits) {
  return std::visit([](const auto& list) { return list.size(); }, bits);
}

std::uint64_t bytes_of(const SentBits& bits, const PublicKey& key) {
  const KeySizes sizes = sizes_of(key.parameters()).value();
  if (std::holds_alternative<CompressedCiphertexts>(bits)) {
    return kCompressedFileBytes + bytes_for_bits(count_of(bits) * *sizes.compressed_bits);
  }
  return kCiphertextsFileBytes + count_of(bits) * sizes.ciphertext;
}

}  // namespace fhe::apps

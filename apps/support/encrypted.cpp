// SPDX-License-Identifier: Apache-2.0
#include "apps/support/encrypted.hpp"

#include <algorithm>
#include <utility>

namespace fhe::apps {

std::vector<EncryptedBit> public_bits(const Evaluator& evaluator,
                                      const std::vector<SlotBits>& rows) {
  std::vector<Ciphertext> constants = evaluator.key().constants(rows, Monitor());
  std::vector<EncryptedBit> bits;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const bool first = rows[k].front();
    const bool is_uniform = std::ranges::find(rows[k], !first) == rows[k].end();
    bits.push_back(is_uniform ? EncryptedBit::known(evaluator, first)
                              : EncryptedBit(evaluator, std::move(constants[k])));
  }
  return bits;
}

}  // namespace fhe::apps

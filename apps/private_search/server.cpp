// SPDX-License-Identifier: Apache-2.0
#include "apps/private_search/server.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "libfhe/circuit/bits.hpp"

namespace fhe::private_search {

using apps::EncryptedBit;
using apps::EncryptedNumber;

Answer Server::search(const EncryptedKeyword& keyword, const KeywordList& list) const {
  require_valid_list(list, key_.slots());
  const Bits ready = ready_for_products(apps::received(keyword, key_));
  std::vector<EncryptedBit> matches;
  for (const auto& round : rounds_of(list, key_.slots())) {
    matches.push_back(equal(ready, apps::rows_of(round, key_.slots())));
  }
  return answer(matches);
}

Answer Server::search(const std::string& keyword, const std::vector<EncryptedKeyword>& list) const {
  const std::vector<SlotBits> rows =
      apps::rows_of(std::vector(key_.slots(), keyword_bits(keyword)), key_.slots());
  std::vector<EncryptedBit> matches;
  matches.reserve(list.size());
  for (const EncryptedKeyword& entry : list) {
    matches.push_back(equal(apps::received(entry, key_), rows));
  }
  return answer(matches);
}

Server::Bits Server::ready_for_products(Bits keyword) const {
  const NoiseRule rule = evaluator_.noise_rule();
  Bits noisy;
  const auto is_noisy = [&rule](const Ciphertext& bit) {
    return rule.product(bit.noise(), bit.noise()) > rule.refresh_limit;
  };
  std::ranges::copy_if(keyword, std::back_inserter(noisy), is_noisy);
  const Bits refreshed = evaluator_.recrypt(noisy);
  auto next = refreshed.begin();
  for (Ciphertext& bit : keyword) {
    if (is_noisy(bit)) bit = *next++;
  }
  return keyword;
}

EncryptedBit Server::equal(const Bits& encrypted, const std::vector<SlotBits>& plain) const {
  const EncryptedNumber known(evaluator_, apps::public_bits(evaluator_, plain));
  return EncryptedNumber(evaluator_, encrypted) == known;
}

// At most one of the matches is set, since no keyword stands in a list twice: whether any is, and
// the number of the one that is, are sums modulo 2.
Answer Server::answer(const std::vector<EncryptedBit>& matches) const {
  const auto width = static_cast<std::size_t>(std::bit_width(matches.size()));
  EncryptedBit found = EncryptedBit::known(evaluator_, false);
  EncryptedNumber::Bits position(width, found);
  for (std::size_t k = 0; k < matches.size(); ++k) {
    found ^= matches[k];
    for (std::size_t i = 0; i < width; ++i) {
      if ((k >> i & 1) != 0) position[i] ^= matches[k];
    }
  }
  return {found.value(), EncryptedNumber(evaluator_, position).values()};
}

}  // namespace fhe::private_search

// SPDX-License-Identifier: Apache-2.0
// The client of searches with numbers in slots: holds the secret key, and alone reads answers.
#pragma once

#include <cstddef>
#include <vector>

#include "apps/private_search/messages.hpp"
#include "apps/private_search/number_keyword.hpp"
#include "apps/support/application.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::private_search {

class NumberClient {
 public:
  // Makes the client's secret key.
  NumberClient(const apps::Setting& setting, KeywordParts parts);

  // The parts of keywords, one in each slot. Throws Error(invalid_argument) for more than there are
  // slots, and for what is no keyword.
  [[nodiscard]] she::CompressedSlots encrypt(const KeywordList& keywords) const;

  // Comparison by comparison, whether it holds in each of the first slots.
  [[nodiscard]] std::vector<std::vector<bool>> decrypt(const NumberAnswer& answer,
                                                       std::size_t slots) const;

 private:
  KeywordParts parts_;
  she::SecretKey key_;
};

}  // namespace fhe::private_search

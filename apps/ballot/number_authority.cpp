// SPDX-License-Identifier: Apache-2.0
#include "apps/ballot/number_authority.hpp"

namespace fhe::ballot {

NumberAuthority::NumberAuthority(const apps::Setting& setting)
    : keys_(she::KeyGenerator(setting.parameters, setting.backend).generate_pair()) {}

std::vector<std::uint64_t> NumberAuthority::decrypt(const std::vector<she::Slots>& tally) const {
  std::vector<std::uint64_t> yes;
  for (const she::SlotNumbers& numbers : she::Decryptor(keys_.secret_key).decrypt_all(tally)) {
    yes.push_back(numbers.front());
  }
  return yes;
}

}  // namespace fhe::ballot

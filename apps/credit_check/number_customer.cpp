// SPDX-License-Identifier: Apache-2.0
#include "apps/credit_check/number_customer.hpp"

#include "apps/support/slot_numbers.hpp"

namespace fhe::credit_check {

NumberCustomers::NumberCustomers(const apps::Setting& setting)
    : key_(she::KeyGenerator(setting.parameters, setting.backend).generate()) {}

she::CompressedSlots NumberCustomers::encrypt_balances(
    const std::vector<std::uint64_t>& balances) const {
  const AmountDigits digits(she::Parameters(key_.group()));
  return she::Encryptor(key_).encrypt_compressed(digits.thresholds(balances));
}

she::CompressedSlots NumberCustomers::encrypt_profiles(const std::vector<std::uint64_t>& profiles,
                                                       std::size_t each) const {
  std::vector<she::SlotNumbers> rows(each);
  for (std::size_t k = 0; k < profiles.size(); ++k) rows[k % each].push_back(profiles[k]);
  return she::Encryptor(key_).encrypt_compressed(rows);
}

std::vector<bool> NumberCustomers::decrypt_decisions(const she::Slots& decisions) const {
  std::vector<bool> approved;
  for (const std::uint64_t number : she::Decryptor(key_).decrypt(decisions)) {
    approved.push_back(number != 0);
  }
  return approved;
}

std::vector<std::int64_t> NumberCustomers::decrypt_scores(const she::Slots& scores) const {
  const std::uint64_t modulus = she::Parameters(key_.group()).plaintext;
  std::vector<std::int64_t> numbers;
  for (const std::uint64_t number : she::Decryptor(key_).decrypt(scores)) {
    numbers.push_back(apps::centred(number, modulus));
  }
  return numbers;
}

}  // namespace fhe::credit_check

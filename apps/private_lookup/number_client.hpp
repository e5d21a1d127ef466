// SPDX-License-Identifier: Apache-2.0
// The client of look-ups with numbers in slots: wants an entry of one public table in each slot,
// and does not say which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/private_lookup/number_plan.hpp"
#include "apps/support/application.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::private_lookup {

class NumberClient {
 public:
  // Makes the client's secret key.
  NumberClient(const apps::Setting& setting, NumberPlan plan);

  // The selection of each column and, with several rows, of each row. Requires indices of the table
  // and at most as many as there are slots; slots without one select nothing.
  [[nodiscard]] she::CompressedSlots encrypt_indices(const std::vector<std::size_t>& indices) const;

  // The entry that the server answered in each slot.
  [[nodiscard]] std::vector<std::uint64_t> decrypt(const std::vector<she::Slots>& digits) const;

 private:
  NumberPlan plan_;
  she::SecretKey key_;
};

}  // namespace fhe::private_lookup

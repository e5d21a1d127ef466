// SPDX-License-Identifier: Apache-2.0
// The client: wants entries of public tables, one in each slot, and does not say which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/private_lookup/number_plan.hpp"
#include "apps/support/application.hpp"
#include "apps/support/key_holder.hpp"
#include "libfhe/scheme/she/keys.hpp"

namespace fhe::private_lookup {

// The client: wants entries of public tables, one in each slot, and does not say which.
class Client {
 public:
  // Makes the client's key pair.
  explicit Client(const apps::Setting& setting);

  [[nodiscard]] const PublicKey& public_key() const { return keys_.public_key(); }

  // The encrypted bits, the lowest first, of an index < 2^width in each slot; one for all slots, or
  // the first ones and 0 in the others.
  [[nodiscard]] apps::SentBits encrypt_indices(const std::vector<std::size_t>& indices,
                                               std::size_t width) const;

  // The entry that the server answered in each slot.
  [[nodiscard]] std::vector<std::uint64_t> decrypt(const std::vector<Ciphertext>& entries) const;

 private:
  apps::KeyHolder keys_;
};

// The client of look-ups with numbers in slots: wants an entry of one public table in each slot,
// and does not say which.
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

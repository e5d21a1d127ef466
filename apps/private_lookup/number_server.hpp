// SPDX-License-Identifier: Apache-2.0
// The server of look-ups with numbers in slots: finds entries at indices that it cannot read. It
// has no key at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/private_lookup/number_plan.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/slots.hpp"

namespace fhe::private_lookup {

class NumberServer {
 public:
  NumberServer(const ParameterSet& group, const BackendPtr& backend, NumberPlan plan,
               std::vector<std::uint64_t> table);

  // The digits of the entry in each slot, the lowest first: sums of columns, and with several rows
  // for each digit as many products as there are rows. Throws Error(invalid_argument) unless the
  // query has a ciphertext for each column and row, and as CompressedSlots::expand and Arithmetic
  // do.
  [[nodiscard]] std::vector<she::Slots> look_up(const she::CompressedSlots& query) const;

 private:
  using Column = std::vector<she::Slots>;

  [[nodiscard]] she::Slots digit_of_row(std::size_t row, std::size_t k,
                                        const Column& columns) const;

  ParameterSet group_;
  NumberPlan plan_;
  std::vector<std::uint64_t> table_;
  she::Arithmetic arithmetic_;
};

}  // namespace fhe::private_lookup

// SPDX-License-Identifier: Apache-2.0
// How many clocks super_size_engine takes (rtl/super_size/super_size_engine.sv), nearly.
#pragma once

#include <cstdint>

#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/contract/equipment.hpp"

namespace fhe::fpga {

// On a device that has the engine. From `start` to `done`; lengths in bits.
class SuperSizeClocks {
 public:
  explicit SuperSizeClocks(const Equipment& equipment);

  [[nodiscard]] std::uint64_t product(std::uint64_t x, std::uint64_t y, std::uint64_t result) const;
  // One that is added to what is in the result.
  [[nodiscard]] std::uint64_t added_product(std::uint64_t x, std::uint64_t y,
                                            std::uint64_t result) const;
  [[nodiscard]] std::uint64_t reduction(const BarrettShape& shape, std::uint64_t result) const;

  struct Sum {
    std::uint64_t terms, element, weight;
    bool affine;
  };
  [[nodiscard]] std::uint64_t sum(const Sum& sum, std::uint64_t result) const;
  [[nodiscard]] std::uint64_t reduced_sum(const Sum& sum, const BarrettShape& shape,
                                          std::uint64_t result) const;
  // Of `terms` rows of as many terms, below 2^row_bits each.
  [[nodiscard]] std::uint64_t nested_sum(const Sum& sum, std::uint64_t row_bits,
                                         const BarrettShape& shape, std::uint64_t result) const;

 private:
  [[nodiscard]] std::uint64_t words(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t blocks(std::uint64_t x, std::uint64_t y) const;
  [[nodiscard]] std::uint64_t slices(const Sum& sum, std::uint64_t result) const;
  [[nodiscard]] std::uint64_t sweep(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t subtraction(std::uint64_t bits) const;
  [[nodiscard]] std::uint64_t remainder(const BarrettShape& shape, std::uint64_t argument,
                                        std::uint64_t shift_words) const;
  [[nodiscard]] std::uint64_t terms(const Sum& sum) const;

  std::uint64_t word_;  // bits
  std::uint64_t fill_;  // clocks of a product beyond those of its blocks
};

}  // namespace fhe::fpga

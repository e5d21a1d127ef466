// SPDX-License-Identifier: Apache-2.0
// What reductions modulo one number need: the record that SET_CTX reads, and the shifts of
// Barrett's method (super-size multiplier paper, section 3.3, eqs. (9) to (11)).
#pragma once

#include <array>
#include <cstdint>

#include "accel/fpga/contract/register_map.hpp"
#include "accel/fpga/contract/words.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::fpga {

// The lengths of a reduction modulo A_0 of phi bits, for arguments of at most phi + gamma bits.
struct BarrettShape {
  std::uint32_t phi = 0;
  std::uint32_t gamma = 0;
  std::uint32_t shift_low = 0;   // phi + beta
  std::uint32_t shift_high = 0;  // alpha - beta
  // What the shifts are multiples of on the device: Equipment::reduction_bits().
  std::uint32_t unit = kWordBits;

  bool operator==(const BarrettShape&) const = default;

  // Bits below the modulus that the shift leaves out, negative; and those that the reciprocal has
  // beyond phi.
  [[nodiscard]] std::int64_t beta() const { return std::int64_t{shift_low} - phi; }
  [[nodiscard]] std::int64_t alpha() const { return shift_high + beta(); }

  // Shifts by whole units, beta <= -2 and alpha > gamma: else the device refuses the context.
  [[nodiscard]] bool is_valid() const;

  // Whether y < 2 A_0 also where q is too small by any number below 1/4 before it is rounded: see
  // rtl/device/context_sizes.sv. Then the device leaves out what is far below q.
  [[nodiscard]] bool may_lose() const;

  // Words of 512 bits. Require is_valid().
  [[nodiscard]] std::uint64_t argument_words() const;    // x
  [[nodiscard]] std::uint64_t modulus_words() const;     // A_0
  [[nodiscard]] std::uint64_t reciprocal_words() const;  // A_01
  [[nodiscard]] std::uint64_t estimate_words() const;    // q before its shift
  [[nodiscard]] std::uint64_t quotient_words() const;    // q after it
  [[nodiscard]] std::uint64_t remainder_words() const;   // y
  [[nodiscard]] std::uint64_t sum_words() const;         // the sum of an encryption
  // Estimate, remainder and sum; where the super-size multiplier reduces: sum, row sum, multiple,
  // estimate, and both candidates for the remainder.
  [[nodiscard]] std::uint64_t scratch_words() const;
  // Where they begin in scratch memory, and the first of the candidates is the remainder.
  [[nodiscard]] std::uint64_t estimate_at() const;
  [[nodiscard]] std::uint64_t remainder_at() const { return estimate_at() + estimate_words(); }
  [[nodiscard]] std::uint64_t sum_at() const;

 private:
  [[nodiscard]] bool is_super_size() const { return unit != kWordBits; }
};

// The shape with the shortest products. Requires phi >= 2.
[[nodiscard]] BarrettShape barrett_shape(std::uint32_t phi, std::uint32_t gamma,
                                         std::uint32_t unit = kWordBits);

// A_01 = floor(2^(phi + alpha) / A_0), to be kept in device memory beside A_0. Requires a modulus
// of exactly phi bits.
[[nodiscard]] Integer barrett_reciprocal(const BarrettShape& shape, const Integer& modulus);

// A context of the device. All its memory must stay as long as the context is in use.
struct Context {
  BarrettShape shape;
  std::uint64_t modulus = 0;        // address of shape.modulus_words() words
  std::uint64_t reciprocal = 0;     // address of shape.reciprocal_words() words
  std::uint64_t scratch = 0;        // address
  std::uint32_t scratch_words = 0;  // at least shape.scratch_words()

  bool operator==(const Context&) const = default;
};

using ContextRecord = std::array<std::uint32_t, 16>;
[[nodiscard]] ContextRecord encode_context(const Context& context);
// The record does not hold the unit: it is the device's.
[[nodiscard]] Context decode_context(const ContextRecord& record, std::uint32_t unit = kWordBits);

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/contract/context.hpp"

#include "accel/fpga/contract/address_words.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::int64_t kLargestBeta = -2;

}  // namespace

bool BarrettShape::is_valid() const {
  return shift_low % unit == 0 && shift_high % unit == 0 && beta() <= kLargestBeta &&
         alpha() > std::int64_t{gamma};
}

bool BarrettShape::may_lose() const {
  return beta() < kLargestBeta || alpha() > std::int64_t{gamma} + 1;
}

std::uint64_t BarrettShape::argument_words() const {
  return words_for_bits(std::uint64_t{phi} + gamma);
}

std::uint64_t BarrettShape::modulus_words() const {
  return words_for_bits(phi);
}

std::uint64_t BarrettShape::reciprocal_words() const {
  return words_for_bits(static_cast<std::uint64_t>(alpha()) + 2);
}

std::uint64_t BarrettShape::estimate_words() const {
  const std::uint64_t dropped = is_super_size() ? 0 : shift_low / kWordBits;
  return argument_words() - dropped + reciprocal_words();
}

std::uint64_t BarrettShape::quotient_words() const {
  return words_for_bits(std::uint64_t{gamma} + 2);
}

std::uint64_t BarrettShape::remainder_words() const {
  return words_for_bits(std::uint64_t{phi} + 1);
}

std::uint64_t BarrettShape::sum_words() const {
  return argument_words() + (is_super_size() ? 0 : 1);
}

std::uint64_t BarrettShape::scratch_words() const {
  return is_super_size() ? estimate_words() + 2 * remainder_words() + 3 * sum_words()
                         : estimate_words() + remainder_words() + sum_words();
}

std::uint64_t BarrettShape::estimate_at() const {
  return is_super_size() ? 3 * sum_words() : 0;
}

std::uint64_t BarrettShape::sum_at() const {
  return is_super_size() ? 0 : remainder_at() + remainder_words();
}

BarrettShape barrett_shape(std::uint32_t phi, std::uint32_t gamma, std::uint32_t unit) {
  const std::uint64_t low = (phi - 2) / unit * unit;
  const std::uint64_t high = ((gamma + phi - low) / unit + 1) * unit;
  return {phi, gamma, static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high), unit};
}

Integer barrett_reciprocal(const BarrettShape& shape, const Integer& modulus) {
  return power_of_two(shape.phi + static_cast<std::uint64_t>(shape.alpha())) / modulus;
}

ContextRecord encode_context(const Context& context) {
  ContextRecord record{};
  record[context_record::phi] = context.shape.phi;
  record[context_record::gamma] = context.shape.gamma;
  record[context_record::shift_low] = context.shape.shift_low;
  record[context_record::shift_high] = context.shape.shift_high;
  put_address(record, context_record::modulus, context.modulus);
  put_address(record, context_record::reciprocal, context.reciprocal);
  put_address(record, context_record::scratch, context.scratch);
  record[context_record::scratch_words] = context.scratch_words;
  return record;
}

Context decode_context(const ContextRecord& record, std::uint32_t unit) {
  return {.shape = {.phi = record[context_record::phi],
                    .gamma = record[context_record::gamma],
                    .shift_low = record[context_record::shift_low],
                    .shift_high = record[context_record::shift_high],
                    .unit = unit},
          .modulus = get_address(record, context_record::modulus),
          .reciprocal = get_address(record, context_record::reciprocal),
          .scratch = get_address(record, context_record::scratch),
          .scratch_words = record[context_record::scratch_words]};
}

}  // namespace fhe::fpga

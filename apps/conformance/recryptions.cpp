// SPDX-License-Identifier: Apache-2.0
#include "apps/conformance/recryptions.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "apps/conformance/oracle.hpp"

namespace fhe::conformance {

namespace {

PublicStream random_stream(Operands& operands, StreamPurpose purpose, std::size_t count,
                           std::size_t bits) {
  StreamSeed seed{};
  for (std::byte& byte : seed) byte = static_cast<std::byte>(operands.between(0, 255));
  return {seed, purpose, static_cast<std::uint32_t>(operands.between(0, 9)), count, bits};
}

// Sums and products of whatever is there; some values are never used, some often.
std::vector<RingStep> random_steps(Operands& operands, std::size_t inputs, std::size_t count) {
  std::vector<RingStep> steps;
  for (std::size_t i = 0; i < count; ++i) {
    const auto operand = [&] {
      return static_cast<std::uint32_t>(operands.between(0, inputs + i - 1));
    };
    steps.push_back({operands.coin() ? RingOperationKind::multiply : RingOperationKind::add,
                     operand(), operand()});
  }
  return steps;
}

}  // namespace

Integer Recryption::result(const Integer& modulus) const {
  std::vector<Integer> factors = first_factors;
  for (Integer& y : oracle::elements(other_factors)) factors.push_back(std::move(y));
  const std::vector<Integer> x = oracle::corrected({elements, corrections});
  std::vector<Integer> values;
  for (const WindowGroup& group : groups) {
    std::vector<Integer> sums(windows.window_bits);
    for (std::size_t i = 0; i < group.count; ++i) {
      const std::size_t window = group.first_window + i * group.window_step;
      const std::uint32_t z = oracle::product_window(c, factors[window], windows);
      for (std::size_t b = 0; b < sums.size(); ++b)
        if ((z >> b & 1U) != 0) sums[b] += x[group.first + i];
    }
    for (const Integer& sum : sums) values.push_back(oracle::mod(sum, modulus));
  }
  for (const std::size_t single : singles) values.push_back(oracle::mod(x[single], modulus));
  for (const auto& [operation, left, right] : steps) {
    const bool is_product = operation == RingOperationKind::multiply;
    const Integer value =
        is_product ? Integer(values[left] * values[right]) : Integer(values[left] + values[right]);
    values.push_back(oracle::mod(value, modulus));
  }
  return values[output];
}

Recryption random_recryption(Operands& operands, const Integer& modulus, std::size_t stored,
                             std::size_t window_bits) {
  constexpr std::size_t kElements = 17;
  constexpr std::size_t kBlock = 5;
  const std::size_t bits = bit_length(modulus);
  const std::size_t modulus_bits = bits + 10;
  Recryption made{.c = operands.below(modulus),
                  .first_factors = operands.list(stored, modulus_bits),
                  .other_factors = random_stream(operands, StreamPurpose::squash,
                                                 kElements - stored, modulus_bits),
                  .windows = {modulus_bits, static_cast<unsigned>(window_bits)},
                  .elements = random_stream(operands, StreamPurpose::key_bits, kElements, bits),
                  .corrections = operands.list(kElements, bits / 8 + 1),
                  .groups = {},
                  .singles = {0, kElements - 1},
                  .steps = {}};
  for (std::size_t first = 0; first < kElements; first += kBlock)
    made.groups.push_back({first, std::min(kBlock, kElements - first), first, 1});
  made.groups.push_back({3, 5, 2, 3});
  made.steps = random_steps(operands, made.task().inputs(), 40);
  made.output = made.task().inputs() + made.steps.size() - 1;
  return made;
}

}  // namespace fhe::conformance

// SPDX-License-Identifier: Apache-2.0
// How an Evaluator computes the formula of a gate. Not installed.
#pragma once

#include <algorithm>
#include <atomic>
#include <list>
#include <vector>

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/gate/noise_bits.hpp"

namespace fhe {

// A gate is a formula over an algebra. It is run twice: on the noise bounds of its operands
// (NoiseBits), which decides about refreshing, and on their values.
struct ValueBits {
  const Ring& ring;
  std::atomic<std::uint64_t>& products;

  [[nodiscard]] static Integer constant(bool bit) { return bit ? 1 : 0; }
  [[nodiscard]] Integer xor_gate(const Integer& x, const Integer& y) const {
    return ring.add(x, y);
  }
  [[nodiscard]] Integer and_gate(const Integer& x, const Integer& y) const {
    ++products;
    return ring.multiply(x, y);
  }
  [[nodiscard]] Integer not_gate(const Integer& x) const { return ring.add(x, 1); }
};

static_assert(BitAlgebra<const ValueBits>);

constexpr auto kXor = [](const auto& bits, const auto& x) { return bits.xor_gate(x[0], x[1]); };
constexpr auto kAnd = [](const auto& bits, const auto& x) { return bits.and_gate(x[0], x[1]); };
constexpr auto kNot = [](const auto& bits, const auto& x) { return bits.not_gate(x[0]); };

template <class Value, class Project>
std::vector<Value> collect(const std::vector<const Ciphertext*>& operands, const Project& project) {
  std::vector<Value> values;
  values.reserve(operands.size());
  for (const Ciphertext* operand : operands) values.push_back(project(*operand));
  return values;
}

template <class Formula>
std::vector<const Ciphertext*> Evaluator::too_noisy(const std::vector<const Ciphertext*>& operands,
                                                    const Formula& formula) const {
  const NoiseRule rule = key_->noise_rule();
  auto bounds = collect<NoiseBound>(operands, [](const auto& c) { return c.noise(); });
  std::vector<const Ciphertext*> chosen;
  while (formula(NoiseBits{rule}, bounds) > limit()) {
    const auto noisiest =
        static_cast<std::size_t>(std::ranges::max_element(bounds) - bounds.begin());
    if (!chosen.empty() && bounds[noisiest] <= key_->refreshed_noise()) break;  // more do not help
    const Ciphertext* const operand = operands[noisiest];
    chosen.push_back(operand);
    if (policy_.mode_ != RefreshPolicy::Mode::automatic) break;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == operand) bounds[i] = key_->refreshed_noise();
    }
  }
  return chosen;
}

template <class Formula>
Ciphertext Evaluator::evaluate(std::vector<const Ciphertext*> operands,
                               const Formula& formula) const {
  for (const Ciphertext* operand : operands) check(*operand);
  const NoiseRule rule = key_->noise_rule();
  const auto result_noise = [&] {
    const auto bounds = collect<NoiseBound>(operands, [](const auto& c) { return c.noise(); });
    return formula(NoiseBits{rule}, bounds);
  };
  std::list<std::vector<Ciphertext>> refreshed;  // keeps what the operands then point to
  NoiseBound noise = result_noise();
  while (noise > limit()) {  // again where a caller's refreshing leaves more than recryption
    const std::vector<const Ciphertext*> chosen = too_noisy(operands, formula);
    refreshed.push_back(refresh_all(chosen, noise));
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::ranges::replace(operands, chosen[i], &refreshed.back()[i]);
    }
    noise = result_noise();
  }
  const auto values = collect<Integer>(operands, [](const auto& c) { return c.value(); });
  return {formula(ValueBits{key_->ring(), counters_->products}, values), noise, key_->id()};
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// Whole recryptions, where a ring does them at once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

namespace {

// A key, a ciphertext and what recryption makes of them.
struct Recryption {
  Integer c;
  std::vector<Integer> first_factors;
  PublicStream other_factors;
  WindowSpec windows;
  PublicStream elements;
  std::vector<Integer> corrections;
  std::vector<WindowGroup> groups;
  std::vector<std::size_t> singles;
  std::vector<RingStep> steps;
  std::size_t output = 0;

  [[nodiscard]] RecryptionTask task() const {
    return {.c = c,
            .first_factors = first_factors,
            .other_factors = other_factors,
            .windows = windows,
            .elements = {elements, corrections},
            .groups = groups,
            .singles = singles,
            .steps = steps,
            .output = output};
  }

  // By definition.
  [[nodiscard]] Integer result(const Integer& modulus) const {
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
      const Integer value = is_product ? Integer(values[left] * values[right])
                                       : Integer(values[left] + values[right]);
      values.push_back(oracle::mod(value, modulus));
    }
    return values[output];
  }
};

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

// Blocks of neighbours, as CNT has them, with the first factors in the first block; then one group
// that takes every third window, as CMNT's rows do, and two elements by themselves.
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

void at_once(Trial& trial) {
  for (const std::size_t bits : {70U, 600U, 5000U, 40'000U}) {
    const Integer modulus = trial.operands().exactly(bits);
    const auto ring = trial.backend().ring(modulus);
    for (const auto& [stored, window_bits] : {std::array{1U, 5U}, {2U, 1U}, {0U, 8U}}) {
      Recryption made = random_recryption(trial.operands(), modulus, stored, window_bits);
      for (int again = 0; again < 2; ++again) {
        const auto result = ring->recrypt(made.task(), trial.monitor());
        trial.holds(!result || *result == made.result(modulus),
                    fmt::format("a recryption at once in a ring of {} bits", bits));
        made.c = trial.operands().below(modulus);
      }
    }
  }
}

void impossible(Trial& trial) {
  const Integer modulus = trial.operands().exactly(500);
  const auto ring = trial.backend().ring(modulus);
  const Recryption good = random_recryption(trial.operands(), modulus, 1, 5);
  const auto refuses = [&](const Recryption& bad, const std::string& what) {
    trial.refuses(
        ErrorCode::invalid_argument,
        [&] { static_cast<void>(ring->recrypt(bad.task(), trial.monitor())); },
        "a recryption with " + what);
  };
  const auto changed = [&](auto change) {
    Recryption bad = good;
    change(bad);
    return bad;
  };
  refuses(changed([](Recryption& r) { r.singles.push_back(17); }), "an element that there is not");
  refuses(changed([](Recryption& r) { r.groups[0].count = 0; }), "an empty group");
  refuses(changed([](Recryption& r) { r.groups[0].count = 18; }), "a group that is too long");
  refuses(changed([](Recryption& r) { r.groups[1].window_step = 0; }), "a step of 0");
  refuses(changed([](Recryption& r) { r.groups[1].window_step = SIZE_MAX; }), "a huge step");
  refuses(changed([](Recryption& r) { r.steps[0].left = 1000; }), "a step that reads a later one");
  refuses(changed([](Recryption& r) { r.output = 1000; }), "an output that there is not");
  refuses(changed([](Recryption& r) { r.corrections.pop_back(); }), "a correction too few");
  refuses(changed([](Recryption& r) { r.first_factors[0] = -1; }), "a negative factor");
  refuses(changed([](Recryption& r) { r.windows.window_bits = 0; }), "windows of no bits");
}

}  // namespace

std::vector<Case> recryption_cases() {
  return {{"a recryption at once is what its steps give", "ring", at_once},
          {"a recryption that names what there is not is refused", "ring", impossible}};
}

}  // namespace fhe::conformance

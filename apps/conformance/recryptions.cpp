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

// z of a residue r.
std::uint32_t residue_window(const Integer& r, const Integer& modulus, unsigned bits) {
  const Integer half = power_of_two(bits - 1);
  const Integer rounded = (2 * half * r + modulus) / (2 * modulus);
  const Integer parity = oracle::mod(r, 2);
  return static_cast<std::uint32_t>(oracle::mod(rounded + half * parity, 2 * half).get_ui());
}

std::vector<Operand> random_elements(Operands& operands, const Integer& modulus,
                                     std::size_t count) {
  std::vector<Operand> elements;
  for (std::size_t i = 0; i < count; ++i) elements.emplace_back(operands.below(modulus));
  return elements;
}

// The groups over windows of residues and elements that are kept, neighbours each.
constexpr std::size_t kResidueWindows = 6;
constexpr std::size_t kResidueFactors = 2;
void add_residues(Operands& operands, const Integer& modulus, Recryption& made,
                  std::size_t streamed, std::size_t product_windows) {
  made.residue_factors = random_elements(operands, modulus, kResidueFactors);
  made.residue_count = kResidueWindows;
  made.residue_step = operands.between(1, 200);
  made.groups.push_back({streamed, 4, product_windows + 1, 1});
  made.groups.push_back({streamed + 2, 3, product_windows + kResidueWindows, 1});
  made.groups.push_back({streamed, kResidueWindows, product_windows + kResidueWindows, 1, 1});
}

std::vector<std::uint32_t> all_windows(const Recryption& of, const Integer& modulus) {
  std::vector<std::uint32_t> z;
  std::vector<Integer> factors = of.first_factors;
  for (Integer& y : oracle::elements(of.other_factors)) factors.push_back(std::move(y));
  for (const Integer& y : factors) z.push_back(oracle::product_window(of.c, y, of.windows));
  for (const Operand& y : of.residue_factors) {
    for (std::size_t j = 0; j < of.residue_count; ++j) {
      const Integer r = oracle::mod(of.c * y.value() * power_of_two(j * of.residue_step), modulus);
      z.push_back(residue_window(r, modulus, of.windows.window_bits));
    }
  }
  return z;
}

std::vector<Integer> all_elements(const Recryption& of) {
  std::vector<Integer> x = oracle::corrected({of.elements, of.corrections});
  for (Integer& element : oracle::elements(of.more_elements)) x.push_back(std::move(element));
  for (const Operand& element : of.kept) x.push_back(element.value());
  return x;
}

}  // namespace

Integer Recryption::result(const Integer& modulus) const {
  const std::vector<std::uint32_t> z = all_windows(*this, modulus);
  const std::vector<Integer> x = all_elements(*this);
  std::vector<Integer> values;
  for (const WindowGroup& group : groups) {
    std::vector<Integer> sums(windows.window_bits);
    for (std::size_t i = 0; i < group.count; ++i) {
      const std::uint32_t mask = z[group.first_window + i * group.window_step] + group.plus;
      for (std::size_t b = 0; b < sums.size(); ++b)
        if ((mask >> b & 1U) != 0) sums[b] += x[group.first + i];
    }
    for (const Integer& sum : sums) values.push_back(oracle::mod(sum, modulus));
  }
  for (const std::size_t single : singles) values.push_back(oracle::mod(x[single], modulus));
  for (const RingConstant& constant : constants)
    values.push_back(oracle::mod(constant.value, modulus));
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
  constexpr std::size_t kMore = 7;
  constexpr std::size_t kBlock = 5;
  const std::size_t bits = bit_length(modulus);
  const std::size_t modulus_bits = bits + 10;
  Recryption made{.c = operands.below(modulus),
                  .first_factors = operands.list(stored, modulus_bits),
                  .other_factors = random_stream(operands, StreamPurpose::squash,
                                                 kElements - stored, modulus_bits),
                  .windows = {modulus_bits, static_cast<unsigned>(window_bits)},
                  .residue_factors = {},
                  .elements = random_stream(operands, StreamPurpose::key_bits, kElements, bits),
                  .corrections = operands.list(kElements, bits / 8 + 1),
                  .more_elements = random_stream(operands, StreamPurpose::key_digits, kMore, bits),
                  .kept = random_elements(operands, modulus, kResidueWindows),
                  .groups = {},
                  .singles = {0, kElements - 1, kElements, kElements + kMore},
                  .constants = {{1}, {-3}, {operands.below(modulus)}, {-operands.below(modulus)}},
                  .steps = {}};
  for (std::size_t first = 0; first < kElements; first += kBlock)
    made.groups.push_back({first, std::min(kBlock, kElements - first), first, 1});
  made.groups.push_back({3, 5, 2, 3});
  made.groups.push_back({kElements, kMore, 4, 1});
  if (window_bits < 8) made.groups.push_back({kElements, kMore, 0, 1, 1});
  if (mpz_odd_p(modulus.get_mpz_t()) != 0)
    add_residues(operands, modulus, made, kElements + kMore, kElements);
  const std::size_t inputs =
      made.with_program([](const RingProgram& program) { return program.inputs(); });
  made.steps = random_steps(operands, inputs, 60);
  made.output = inputs + made.steps.size() - 1;
  return made;
}

}  // namespace fhe::conformance

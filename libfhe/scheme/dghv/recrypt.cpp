// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/recrypt.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/scheme/adder/evaluate.hpp"
#include "libfhe/scheme/dghv/digits.hpp"
#include "libfhe/scheme/recryption_memory.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/scheme/side_by_side.hpp"

namespace fhe::dghv {

namespace {

constexpr unsigned kMaskBits = 32;

// Those of some ciphertexts side by side.
BlockSelection joined(std::span<const std::vector<std::uint32_t>> masks, std::size_t block_size,
                      unsigned width) {
  BlockSelection selection{.block_size = block_size,
                           .width = width * static_cast<unsigned>(masks.size()),
                           .masks = std::vector<std::uint32_t>(masks.front().size())};
  for (std::size_t k = 0; k < masks.size(); ++k) {
    for (std::size_t i = 0; i < masks[k].size(); ++i) {
      selection.masks[i] |= masks[k][i] << width * k;
    }
  }
  return selection;
}

}  // namespace

std::vector<std::vector<Operand>> shared_sums(const Ring& ring, const CorrectedStream& set,
                                              std::size_t block_size, unsigned width,
                                              std::span<const std::vector<std::uint32_t>> masks,
                                              const Monitor& monitor) {
  const std::size_t most = kMaskBits / width;
  const std::size_t passes = (masks.size() + most - 1) / most;
  std::vector<std::vector<Operand>> sums(masks.size());
  for (std::size_t pass = 0; pass < passes; ++pass) {
    // As many in each pass, but for one.
    const std::size_t first = pass * masks.size() / passes;
    const std::size_t count = (pass + 1) * masks.size() / passes - first;
    std::vector<Operand> all = ring.selected_elements(
        set, joined(masks.subspan(first, count), block_size, width), monitor);
    for (std::size_t i = 0; i < all.size(); ++i) {
      sums[first + i / width % count].push_back(std::move(all[i]));
    }
  }
  return sums;
}

std::optional<AdderProgram> adder_of_recryption(const Parameters& parameters,
                                                std::string_view name) {
  if (parameters.by_digits(name)) return std::nullopt;
  return parameters.adder_program(name);
}

Integer with_parity(const Ring& ring, const Operand& rounded, const Integer& c) {
  return mpz_odd_p(c.get_mpz_t()) != 0 ? ring.add(rounded.value(), 1) : rounded.value();
}

namespace {

// What the last step of each recryption starts from.
std::vector<std::vector<Operand>> all_sums(const Parameters& parameters, const SquashedKey& key,
                                           const CorrectedStream& sigma, const Ring& ring,
                                           const std::optional<AdderProgram>& adder,
                                           std::span<const Integer> cs, const Monitor& monitor) {
  const auto z = expand_all(parameters, key, cs, ring.backend(), monitor);
  if (!adder) return digit_sums(parameters, key, ring, z, monitor);
  return shared_sums(ring, sigma, parameters.block(),
                     static_cast<unsigned>(parameters.precision) + 1, z, monitor);
}

// How many recryptions share their passes over the key: their sums wait for the last step.
std::size_t together(const Parameters& parameters, const std::optional<AdderProgram>& adder) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 29;
  const std::size_t sums = adder ? adder->inputs() : kDigitInputs;
  return std::clamp<std::size_t>(kMostBytes / (sums * bytes_for_bits(parameters.gamma)), 1,
                                 KeyContext::kRecryptedTogether);
}

// The rounded sum by the ring, where it does all at once.
std::optional<Integer> rounded_at_once(const Parameters& parameters, const SquashedKey& key,
                                       const CorrectedStream& sigma, const Ring& ring,
                                       const AdderProgram& adder, const Integer& c,
                                       const Monitor& monitor) {
  std::vector<WindowGroup> groups;
  for (std::size_t first = 0; first < parameters.Theta; first += parameters.block()) {
    groups.push_back({.first = first,
                      .count = std::min(parameters.block(), parameters.Theta - first),
                      .first_window = first,
                      .window_step = 1});
  }
  const PublicStream rest = squash_stream(parameters, key.seed);
  const std::array elements{sigma};
  return ring.recrypt({.c = c,
                       .first_factors = key.solved,
                       .other_factors = &rest,
                       .windows = window_spec(parameters),
                       .residues = {},
                       .elements = elements,
                       .kept = {},
                       .groups = groups,
                       .singles = {},
                       .constants = {},
                       .steps = adder.steps(),
                       .output = adder.output()},
                      monitor);
}

// As many as share their passes over the key.
std::vector<Integer> recrypt_some(const Parameters& parameters, const SquashedKey& key,
                                  const CorrectedStream& sigma, const Ring& ring,
                                  const std::optional<AdderProgram>& adder,
                                  std::span<const Integer> cs, const Monitor& monitor) {
  auto sums = all_sums(parameters, key, sigma, ring, adder, cs, monitor);
  const auto last_step = [&](std::size_t k, const Monitor& watching) {
    if (adder) return rounded_sum(ring, *adder, std::move(sums[k]), cs[k], watching);
    const std::vector<Operand> own = std::move(sums[k]);
    return with_parity(ring, rounded_by_digits(ring, own, watching), cs[k]);
  };
  std::vector<Integer> results(cs.size());
  side_by_side(
      cs.size(), adder ? "adder" : "digits", monitor,
      [&](std::size_t k, const Monitor& watching) { results[k] = last_step(k, watching); });
  return results;
}

}  // namespace

std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const Ring& ring, const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor) {
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  return recrypt_all(parameters, key, {chi, key.sigma}, ring, adder, cs, monitor);
}

std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const CorrectedStream& sigma, const Ring& ring,
                                 const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor) {
  std::vector<Integer> results;
  results.reserve(cs.size());
  const std::size_t most = together(parameters, adder);
  for (std::size_t done = 0; done < cs.size(); done = results.size()) {
    const Integer& c = cs[done];
    if (auto rounded = adder ? rounded_at_once(parameters, key, sigma, ring, *adder, c, monitor)
                             : rounded_at_once(parameters, key, ring, c, monitor)) {
      results.push_back(with_parity(ring, std::move(*rounded), c));
      continue;
    }
    const auto some = cs.subspan(done, std::min(most, cs.size() - done));
    std::ranges::move(recrypt_some(parameters, key, sigma, ring, adder, some, monitor),
                      std::back_inserter(results));
  }
  return results;
}

// The sums over the blocks are the inputs of the adder: it holds the most.
std::size_t recryption_integers(const Parameters& parameters) {
  if (parameters.by_digits()) return digit_recryption_integers();
  return kRingIntegers + adder_integers(parameters.adder_program());
}

Integer rounded_sum(const Ring& ring, const AdderProgram& adder, std::vector<Operand> bits,
                    const Integer& c, const Monitor& monitor) {
  return with_parity(ring, evaluate_adder(adder, ring, std::move(bits), monitor), c);
}

}  // namespace fhe::dghv

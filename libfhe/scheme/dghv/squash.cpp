// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/squash.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/dghv/compression.hpp"

namespace fhe::dghv {

namespace {

// The largest absolute value that a sum over a subset of one box's noise terms can reach.
Integer largest_subset_sum(const SecretIntegers& noise, const Box& box) {
  Integer positive;
  Integer negative;
  for (std::size_t i = box.first; i < box.first + box.size; ++i)
    (noise[i] > 0 ? positive : negative) += noise[i];
  return std::max(positive, Integer(-negative));
}

// factor * r_i + (secret bit i).
SecretIntegers draw_noise(const Parameters& parameters, unsigned long factor,
                          const SecretIndices& ones, SecretRandom& random) {
  SecretIntegers noise(parameters.key_bits());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = factor * uniform_centered(random, parameters.rho);
  }
  for (const std::uint32_t one : ones) noise[one] += 1;
  return noise;
}

// Whether recryption with these noise terms, under any adder, leaves no more noise than the
// parameters say. For the form `blocks`, where number k of the adder comes from box k.
bool keeps_proven_bounds(const Parameters& parameters, const SecretIntegers& noise) {
  if (parameters.key_noise_percent == 100) return true;
  std::vector<NoiseBound> inputs;
  for (const Box& box : parameters.boxes()) {
    const NoiseBound sum = NoiseBound::from_magnitude(largest_subset_sum(noise, box));
    inputs.insert(inputs.end(), parameters.precision + 1, sum);
  }
  return std::ranges::all_of(AdderProgram::names(), [&](const std::string& name) {
    const AdderProgram adder = parameters.adder_program(name);
    return recrypted_noise(adder, inputs) <= parameters.refreshed_noise(adder);
  });
}

// Whether what digit_parity_noise() says holds for these noise terms n_i. It is pct / 100 of the
// largest term, times Theta where it is certain, which asks for as much of
//
//   sum |n_i|     the largest value that a can have,
//
// and else times sqrt(ln 2 (f + 1) Theta), which by Hoeffding's inequality for a sum of terms 0 or
// +-n_i, each sign once in four, P(|a| > t) <= 2 exp(-t^2 / sum n_i^2), asks for it of
//
//   sum n_i^2.
bool keeps_digit_bound(const Parameters& parameters, const SecretIntegers& noise) {
  const Integer largest = power_of_two(parameters.key_bit_noise_bits());
  const auto percent = static_cast<unsigned long>(parameters.key_noise_percent);
  Integer sum;
  if (parameters.digits->failure_bits == 0) {
    for (std::size_t i = 0; i < noise.size(); ++i) sum += abs(noise[i]);
    return 100 * sum <= percent * noise.size() * largest;
  }
  for (std::size_t i = 0; i < noise.size(); ++i) sum += noise[i] * noise[i];
  return 10000 * sum <= percent * percent * noise.size() * largest * largest;
}

// Noise terms that keep a bound, after at most `draws` draws.
template <class Keeps>
SecretIntegers draw_until(int draws, const Keeps& keeps, const Parameters& parameters,
                          const SecretIndices& ones, SecretRandom& random) {
  for (int draw = 0; draw < draws; ++draw) {
    SecretIntegers noise = draw_noise(parameters, parameters.key_bit_factor(), ones, random);
    if (keeps(parameters, noise)) return noise;
  }
  throw Error(ErrorCode::invalid_parameters,
              fmt::format("none of {} keys had as little noise as key_noise_percent = {} demands: "
                          "raise it",
                          draws, parameters.key_noise_percent));
}

SecretIntegers draw_product_noise(const Parameters& parameters, const SecretIndices& ones,
                                  SecretRandom& random) {
  const AdderProgram adder = parameters.adder_program();
  const double stated = parameters.refreshed_noise(parameters.adder).bits();
  std::optional<NoiseTrials> least;
  for (int draw = 0; draw < kMaxProductDraws; ++draw) {
    SecretIntegers noise = draw_noise(parameters, parameters.key_bit_factor(), ones, random);
    const NoiseTrials trials = trial_recryptions(parameters, noise, adder, kTrials);
    if (trials.keep(stated)) return noise;
    if (!least || trials.least_bound() < least->least_bound()) least = trials;
  }
  throw Error(
      ErrorCode::invalid_parameters,
      fmt::format("refreshed_noise = {:.0f} is too little: of {} keys the one of least noise left "
                  "{}; with the adder '{}' state at least {:.0f}",
                  stated, kMaxProductDraws, least->text(), parameters.adder,
                  std::ceil(least->least_bound())));
}

}  // namespace

PublicStream squash_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::squash, static_cast<std::uint32_t>(parameters.slots),
          parameters.Theta - parameters.slots, parameters.kappa + 1};
}

PublicStream key_bit_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::key_bits, 0, parameters.key_bits(), parameters.gamma};
}

PublicStream key_digit_stream(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::key_digits, 0, parameters.key_bits(), parameters.gamma};
}

WindowSpec window_spec(const Parameters& parameters) {
  return {.modulus_bits = parameters.kappa + 1,
          .window_bits = static_cast<unsigned>(parameters.precision) + 1};
}

SecretIndices draw_ones(const Parameters& parameters, SecretRandom& random, std::size_t slot) {
  const std::vector<Box> boxes = parameters.boxes();
  SecretIndices ones(boxes.size());
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    ones[k] = boxes[k].first + (boxes[k].known ? static_cast<std::uint32_t>(slot)
                                               : uniform_index(random, boxes[k].size));
  }
  return ones;
}

std::vector<SecretIndices> draw_all_ones(const Parameters& parameters, SecretRandom& random) {
  std::vector<SecretIndices> ones;
  for (std::size_t j = 0; j < parameters.slots; ++j)
    ones.push_back(draw_ones(parameters, random, j));
  return ones;
}

SecretIndices selected_elements(const Parameters& parameters, const SecretIndices& ones) {
  SecretIndices selected(parameters.theta);
  if (parameters.form == SquashForm::blocks) {
    std::ranges::copy(ones, selected.begin());
    return selected;
  }
  const auto side = static_cast<std::uint32_t>(parameters.side());
  auto next = selected.begin();
  for (const std::uint32_t row : std::span(ones).first(kRowBoxes)) {
    for (const std::uint32_t column : std::span(ones).subspan(kRowBoxes)) {
      *next++ = row * side + column - side;
    }
  }
  return selected;
}

std::vector<Integer> solve(const Parameters& parameters, const SecretPrimes& primes,
                           std::span<const SecretIndices> ones, const StreamSeed& seed,
                           const Monitor& monitor) {
  const PublicStream rest = squash_stream(parameters, seed);
  std::vector<Integer> solved(primes.size());
  Progress progress(monitor, "squashed key", primes.size());
  parallel_for(primes.size(), [&](std::size_t j) {
    // round(2^kappa / p) = floor((2^(kappa+1) + p) / 2p)
    Integer u = (power_of_two(parameters.kappa + 1) + primes[j]) / (2 * primes[j]);
    const SecretIndices selected = selected_elements(parameters, ones[j]);
    for (const std::uint32_t index : selected) {
      if (index != j) u -= rest.element(index - primes.size());
    }
    solved[j] = low_bits(u, parameters.kappa + 1);
    progress.advance();
  });
  return solved;
}

SecretIntegers draw_key_bit_noise(const Parameters& parameters, const SecretIndices& ones,
                                  SecretRandom& random) {
  if (parameters.form == SquashForm::product) return draw_product_noise(parameters, ones, random);
  return parameters.digits ? draw_until(kMaxDigitDraws, keeps_digit_bound, parameters, ones, random)
                           : draw_until(kMaxDraws, keeps_proven_bounds, parameters, ones, random);
}

SlotIntegers draw_all_key_bit_noise(const Parameters& parameters,
                                    std::span<const SecretIndices> ones, SecretRandom& random) {
  SlotIntegers noise;
  for (const SecretIndices& own : ones)
    noise.push_back(draw_key_bit_noise(parameters, own, random));
  return noise;
}

SquashedKey encrypt_squashed_key(const Parameters& parameters, const ChineseRemainders& remainders,
                                 std::span<const SecretIndices> ones,
                                 const SlotIntegers& key_bit_noise, const StreamSeed& seed,
                                 const Backend& backend, SecretRandom& random,
                                 const Monitor& monitor) {
  const auto compressed = [&](const PublicStream& chi, const SlotIntegers& noise) {
    return compress(parameters, remainders, chi, noise, backend, random, monitor);
  };
  SquashedKey key{.seed = seed,
                  .solved = solve(parameters, remainders.primes(), ones, seed, monitor),
                  .sigma = compressed(key_bit_stream(parameters, seed), key_bit_noise),
                  .digit_sigma = {}};
  if (parameters.has_digit_set()) {
    SlotIntegers noise;
    for (const SecretIndices& own : ones) {
      noise.push_back(draw_noise(parameters, kDigitModulus, own, random));
    }
    key.digit_sigma = compressed(key_digit_stream(parameters, seed), noise);
  }
  return key;
}

}  // namespace fhe::dghv

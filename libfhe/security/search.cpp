// SPDX-License-Identifier: Apache-2.0
#include "libfhe/security/search.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/security/attacks.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::security {

namespace {

// Whatever else is large, the noise has half as many bits as the target: no square root of its
// guesses is below it.
double least_noise(double target) {
  return std::ceil(target / 2);
}

void require_gap(const Sizes& sizes) {
  const double gap = sizes.eta - sizes.rho;
  if (gap >= kLeastGap) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("eta - rho = {} is below {}, where the costs of lattice attacks are not "
                          "known well enough: ask for more additions, for longer numbers or for "
                          "more depth",
                          gap, kLeastGap));
}

// Numbers for a noise rho of the samples. eta depends on tau, which depends on gamma, which depends
// on eta: from one sample on, each rises until they agree.
// The weights of an encryption have 2 target bits more than gamma and what is known of their sum.
template <class EtaFor>
PublicKeySizes agreeing(double target, double alpha, double rho, const EtaFor& eta_for,
                        double known = 0) {
  PublicKeySizes found{.sizes = {.rho = rho}, .alpha = alpha, .tau = 1};
  for (;;) {
    found.sizes.eta = eta_for(rho, found.tau);
    found.sizes.gamma = rho + least_length(target, found.sizes.eta - rho);
    const double tau = std::ceil((found.sizes.gamma + known + 2 * target) / alpha);
    if (tau <= found.tau) return found;
    found.tau = tau;
  }
}

ApproximateGcd samples_of(const Sizes& sizes, double slots, bool modulus_public) {
  return {.rho = sizes.rho,
          .eta = sizes.eta,
          .gamma = sizes.gamma,
          .slots = slots,
          .modulus_public = modulus_public};
}

// Whether guesses of the noise of one sample cost a target, products of gamma bits as gamma. That
// is a margin: noise_search() takes some guesses or factors more.
bool hides(const ApproximateGcd& samples, double target) {
  const double guessed = samples.rho - std::log2(samples.slots);
  const double guesses = samples.modulus_public ? (guessed + 1) / 2 : guessed;
  return guesses + std::log2(samples.gamma) >= target;
}

// Whether factoring does, where there is something to factor.
bool keeps_factors(const ApproximateGcd& samples, double target) {
  const auto curves = factor_by_curves(samples);
  return !curves || curves->core >= target;
}

}  // namespace

double block_size_at(double target) {
  double block = std::max(2.0, std::ceil(target / core_svp(1)));
  while (block_size_for(log_root_hermite(block)) < block) ++block;
  return block;
}

double least_length(double target, double gap) {
  const double cheaper = block_size_at(target) - 1;
  return std::floor(longest_opened(gap, std::max(2.0, cheaper))) + 1;
}

Sizes smallest_slots(const SlotsGoal& goal) {
  const auto sized = [&](double rho, double eta) {
    const double beside = goal.slots * (goal.margin ? eta : eta - rho);
    return Sizes{
        .rho = rho, .eta = eta, .gamma = rho + least_length(goal.target, eta - rho) + beside};
  };
  const auto samples = [&](const Sizes& sizes) {
    return samples_of(sizes, goal.slots, goal.modulus_public);
  };
  for (double rho = least_noise(goal.target);; ++rho) {
    double noise = rho + std::ceil(std::log2(goal.plaintext)) + 1;
    if (goal.depth == 0) noise += goal.log_additions;
    for (double level = 0; level < goal.depth; ++level) noise = 2 * noise + goal.log_additions;
    Sizes found = sized(rho, noise + 2);
    while (!keeps_factors(samples(found), goal.target)) found = sized(rho, found.eta + 1);
    if (!hides(samples(found), goal.target)) continue;
    require_gap(found);
    return found;
  }
}

PublicKeySizes smallest_somewhat(double target, double depth) {
  constexpr double kAdditions = 10;
  const auto sized = [&](double rho, double least_eta) {
    return agreeing(target, target, rho, [&](double noise, double tau) {
      const double fresh = target + noise + std::ceil(std::log2(tau)) + 2;
      return std::max(least_eta, std::exp2(depth) * (fresh + kAdditions) + 8);
    });
  };
  const auto samples = [](const PublicKeySizes& found) { return samples_of(found.sizes, 1, true); };
  for (double rho = least_noise(target);; ++rho) {
    PublicKeySizes found = sized(rho, 0);
    while (!keeps_factors(samples(found), target)) found = sized(rho, found.sizes.eta + 1);
    if (hides(samples(found), target)) return found;
  }
}

PublicKeySizes smallest_tally(double target, double plaintext, double log_additions) {
  constexpr double kWeightBits = 8;
  // Nothing reduces a sum of elements, so its leading bits tell the sum of the weights, which has
  // those of a weight and lg tau, 24 at most; and ciphertexts have whole limbs.
  constexpr double kKnown = kWeightBits + 24 + 64;
  const auto eta_for = [&](double rho, double tau) {
    return rho + kWeightBits + std::ceil(std::log2(tau)) + std::ceil(std::log2(plaintext)) + 2 +
           log_additions;
  };
  for (double rho = least_noise(target);; ++rho) {
    const PublicKeySizes found = agreeing(target, kWeightBits, rho, eta_for, kKnown);
    if (!hides(samples_of(found.sizes, 1, false), target)) continue;
    require_gap(found.sizes);
    return found;
  }
}

RecryptionSizes smallest_recryption(double target) {
  constexpr double kOnes = 15;
  constexpr double kKnown = 1;
  constexpr double kLevels = 32;  // 2^(n+1) for n = 4 fractional bits
  constexpr double kLimit = 8;    // below p, of noise that recrypts
  constexpr double kRoom = 40;    // of a new ciphertext below the noise that recrypts
  const auto sized = [&](double rho, double block) {
    RecryptionSizes found;
    found.length = kOnes * block;
    const double eta = std::ceil(kLevels * (rho + 3 + std::log2(block)) + kLimit);
    found.key = agreeing(target, eta - rho - kRoom, rho, [&](double, double) { return eta; });
    return found;
  };
  // All that is unknown of the blocks, met in the middle.
  double block = std::ceil(std::exp2(2 * target / (kOnes - kKnown)));
  for (double rho = least_noise(target);;) {
    const RecryptionSizes found = sized(rho, block);
    const Sizes& sizes = found.key.sizes;
    if (!hides(samples_of(sizes, 1, true), target)) {
      ++rho;
      continue;
    }
    const Attack lattice = squashed_key_lattice({.length = found.length,
                                                 .blocks = kOnes,
                                                 .known_blocks = kKnown,
                                                 .relation_bits = 0.9 * (sizes.eta - sizes.rho)});
    if (lattice.sieve >= target) return found;
    block = std::ceil(block * 1.02);
  }
}

}  // namespace fhe::security

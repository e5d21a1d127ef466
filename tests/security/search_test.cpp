// SPDX-License-Identifier: Apache-2.0
// The smallest numbers for a purpose: those of the design's tables, which an independent prototype
// found, and that the estimator lets them pass, but nothing smaller.
#include "libfhe/security/search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "libfhe/security/attacks.hpp"
#include "libfhe/security/estimate.hpp"
#include "libfhe/security/reduction.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::security {

namespace {

using Catch::Matchers::WithinRel;

struct KnownSlots {
  SlotsGoal goal;
  double rho;
  double eta;
  double gamma;
};

SlotsGoal slots_goal(double depth, double slots, double plaintext) {
  return {.depth = depth, .slots = slots, .plaintext = plaintext};
}

// The table of secret-key sets at 128 bits, 2^10 additions for each level.
std::vector<KnownSlots> known_slots() {
  return {{slots_goal(0, 1024, 65536), 121, 150, 0.19e6},
          {slots_goal(1, 1, 2), 109, 234, 0.73e6},
          {slots_goal(1, 4096, 2), 120, 256, 1.91e6},
          {slots_goal(1, 4096, 65537), 119, 286, 2.47e6},
          {slots_goal(2, 1024, 2), 116, 504, 7.5e6},
          {slots_goal(2, 8192, 65536), 118, 572, 14.3e6},
          {slots_goal(3, 8192, 2), 116, 1016, 46e6}};
}

ApproximateGcd samples_for(const SlotsGoal& goal, const Sizes& sizes) {
  return {.rho = sizes.rho,
          .eta = sizes.eta,
          .gamma = sizes.gamma,
          .slots = goal.slots,
          .modulus_public = goal.modulus_public};
}

struct KnownPublicKey {
  double target;
  double depth;
  double rho;
  double eta;
  double gamma;
  double tau;
};

}  // namespace

TEST_CASE("the block size at a target costs it, and no smaller one is as good", "[security]") {
  for (double target = 1; target <= 256; ++target) {
    CAPTURE(target);
    const double block = block_size_at(target);
    CHECK(core_svp(block) >= target);
    CHECK(core_svp(block) < target + 4);
    CHECK(block_size_for(log_root_hermite(block)) == block);
  }
}

TEST_CASE("the smallest slots are those of the design's table", "[security]") {
  for (const KnownSlots& known : known_slots()) {
    const Sizes found = smallest_slots(known.goal);
    CAPTURE(known.goal.depth, known.goal.slots, known.goal.plaintext);
    CHECK(found.rho == known.rho);
    CHECK(found.eta == known.eta);
    CHECK_THAT(found.gamma, WithinRel(known.gamma, 0.025));
  }
}

TEST_CASE("the smallest slots pass, and the tight ones pass no more than the target",
          "[security]") {
  for (const KnownSlots& known : known_slots()) {
    for (const bool margin : {true, false}) {
      for (const bool modulus_public : {false, true}) {
        for (const double target : {80.0, 128.0, 192.0}) {
          SlotsGoal goal = known.goal;
          goal.margin = margin;
          goal.modulus_public = modulus_public;
          goal.target = target;
          CAPTURE(goal.depth, goal.slots, goal.plaintext, margin, modulus_public, target);
          const Sizes found = smallest_slots(goal);
          const ApproximateGcd samples = samples_for(goal, found);
          CHECK(estimate({.samples = samples}).core() >= target);
          if (margin) continue;
          // A bit less noise, or a hundredth less length, is one too few.
          ApproximateGcd shorter = samples;
          shorter.gamma = goal.slots * (found.eta - found.rho) +
                          0.99 * (found.gamma - goal.slots * (found.eta - found.rho));
          CHECK(unique_shortest_vector(hidden_lattice_given(shorter)).core < target + 1);
        }
      }
    }
  }
}

TEST_CASE("worst cases fit into the primes of the smallest slots", "[security]") {
  for (const KnownSlots& known : known_slots()) {
    const SlotsGoal& goal = known.goal;
    const Sizes found = smallest_slots(goal);
    // log2 of the noise of all that may happen: numbers below Q with noise Q r, summed and
    // multiplied.
    double noise = found.rho + std::log2(goal.plaintext) + 1e-9;
    if (goal.depth == 0) noise += goal.log_additions;
    for (double level = 0; level < goal.depth; ++level) noise = 2 * noise + goal.log_additions;
    CHECK(noise <= found.eta - 2);
  }
}

TEST_CASE("the smallest somewhat homomorphic sets are those of the design's table", "[security]") {
  const std::vector<KnownPublicKey> sets{
      {80, 1, 116, 456, 3906350, 48832},      {80, 2, 111, 892, 20611774, 257650},
      {80, 3, 107, 1768, 93229332, 1165369},  {100, 1, 154, 574, 6922819, 69231},
      {128, 1, 208, 738, 13067494, 102092},   {128, 2, 203, 1460, 73504022, 574253},
      {128, 3, 199, 2896, 338378249, 2643583}};
  for (const KnownPublicKey& known : sets) {
    CAPTURE(known.target, known.depth);
    const PublicKeySizes found = smallest_somewhat(known.target, known.depth);
    CHECK(found.sizes.rho == known.rho);
    CHECK(found.sizes.eta == known.eta);
    CHECK_THAT(found.sizes.gamma, WithinRel(known.gamma, 0.003));
    CHECK_THAT(found.tau, WithinRel(known.tau, 0.003));
  }
}

TEST_CASE("the smallest ballots are those of the design", "[security]") {
  const PublicKeySizes bits = smallest_tally(128, 2, 20);
  // The design counts gamma by the root-Hermite factor alone: 2 % less.
  CHECK_THAT(bits.sizes.gamma, WithinRel(94e3, 0.03));
  CHECK_THAT(bits.tau, WithinRel(11814.0, 0.03));
  const PublicKeySizes counters = smallest_tally(128, 65536, 20);
  CHECK_THAT(counters.sizes.gamma / 8, WithinRel(21.6e3, 0.03));
  for (const PublicKeySizes& sizes : {bits, counters}) {
    const ApproximateGcd samples{.rho = sizes.sizes.rho,
                                 .eta = sizes.sizes.eta,
                                 .gamma = sizes.sizes.gamma,
                                 .modulus_public = false};
    CHECK(estimate({.samples = samples}).verdict() == Verdict::passes_128);
  }
}

TEST_CASE("the least length is the least that no cheaper block size opens", "[security]") {
  for (const double target : {20.0, 80.0, 128.0, 192.0}) {
    for (const double gap : {16.0, 29.0, 61.0, 136.0, 900.0}) {
      CAPTURE(target, gap);
      ApproximateGcd samples{.rho = 200,
                             .eta = 200 + gap,
                             .gamma = 200 + least_length(target, gap),
                             .modulus_public = false};
      const auto lattices = [&] {
        return std::min(unique_shortest_vector(samples).core, dual_distinguisher(samples).core);
      };
      CHECK(lattices() >= target);
      samples.gamma -= 2;
      if (target > 60) CHECK(lattices() < target);
    }
  }
}

TEST_CASE("a gap below 16 bits is refused", "[security]") {
  const auto refused = [](const SlotsGoal& goal) {
    CHECK_THROWS_MATCHES(smallest_slots(goal), Error,
                         test::HasCode(ErrorCode::invalid_argument, "is below 16"));
  };
  refused({.depth = 0, .plaintext = 2, .log_additions = 1});
  refused({.depth = 0, .plaintext = 2, .log_additions = 10});
  refused({.depth = 0, .plaintext = 2, .log_additions = 1, .margin = false});
  CHECK_NOTHROW(smallest_slots({.depth = 0, .plaintext = 2, .log_additions = 12}));
}

TEST_CASE("the smallest recryption is that of the design, and resists all attacks", "[security]") {
  // The design lets the lattice of the squashed key pass by its cycles, and so has a shorter key.
  const std::vector<std::pair<double, double>> gammas{{80, 456133120}, {128, 2099522552}};
  for (const auto& [target, gamma] : gammas) {
    CAPTURE(target);
    const RecryptionSizes found = smallest_recryption(target);
    const Sizes& sizes = found.key.sizes;
    CHECK_THAT(sizes.gamma, WithinRel(gamma, 0.08));
    const SquashedKey squashed{.length = found.length,
                               .blocks = 15,
                               .known_blocks = 1,
                               .relation_bits = 0.9 * (sizes.eta - sizes.rho)};
    const Problems problems{
        .samples = ApproximateGcd{.rho = sizes.rho, .eta = sizes.eta, .gamma = sizes.gamma},
        .squashed = squashed};
    CHECK(estimate(problems).core() >= target);
    CHECK(squashed_key_lattice(squashed).sieve >= target);
    CHECK(found.key.alpha * found.key.tau >= sizes.gamma + 2 * target);
  }
}

}  // namespace fhe::security

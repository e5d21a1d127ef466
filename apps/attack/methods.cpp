// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "libfhe/error.hpp"

namespace fhe::attack {

namespace {

constexpr double kWindow = 0.8;
constexpr std::size_t kMostIdealDimensions = 64;

void require_reducible(std::size_t dimension) {
  if (dimension <= kMostDimensions) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("this lattice has about {} dimensions; this laboratory reduces at most {}",
                  dimension, kMostDimensions));
}

// With as many samples as were asked for; or else, where the model's dimension is small, the fewest
// that do, from a little below the model on; or what the model says.
Finding run_orthogonal_lattice(const Target& target, const Monitor& monitor) {
  constexpr std::size_t kSearched = 64;
  constexpr std::size_t kAround = 6;
  constexpr std::size_t kSpare = 3;
  const Samples& samples = *target.numbers.samples;
  if (target.samples) {
    require_reducible(*target.samples);
    return orthogonal_lattice(samples, *target.samples, monitor);
  }
  if (!target.model_dimension) {
    throw Error(ErrorCode::invalid_argument,
                "as the estimator says, no reduction suffices for this lattice: name a number of "
                "samples to try all the same");
  }
  const std::size_t model = *target.model_dimension;
  require_reducible(model);
  if (model > kSearched) {
    return orthogonal_lattice(samples, std::min(model + kSpare, samples.x.size()), monitor);
  }
  return smallest_orthogonal_lattice(samples, model - std::min(model, kAround), model + kAround,
                                     monitor);
}

// With as many samples as were asked for, or as many as are best, where there are so many.
Finding run_simultaneous_approximation(const Target& target, const Monitor& monitor) {
  const Samples& samples = *target.numbers.samples;
  const std::size_t best = best_approximation(samples, target.block);
  const std::size_t count = target.samples.value_or(std::min(best, samples.x.size()));
  require_reducible(count);
  return simultaneous_approximation(samples, count, target.block, monitor);
}

bool has_modulus(const Target& target) {
  return target.numbers.elements && target.numbers.elements->modulus != 0;
}

bool has_ideal(const Target& target) {
  return target.numbers.ideal.has_value();
}

Finding run_ideal_lattice(const Target& target, double fraction, const Monitor& monitor) {
  const IdealNumbers& ideal = *target.numbers.ideal;
  const auto window =
      static_cast<std::size_t>(std::lround(fraction * static_cast<double>(ideal.n)));
  if (window > kMostIdealDimensions) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this lattice has {} dimensions; this laboratory reduces ideals of at "
                            "most {}",
                            window, kMostIdealDimensions));
  }
  return ideal_lattice(ideal, target.ciphertext, window, monitor);
}

bool has_squashed_key(const Target& target) {
  return target.numbers.squashed || (has_ideal(target) && !target.numbers.ideal->x.empty());
}

Finding run_squashed_key_meet(const Target& target, const Monitor& monitor) {
  if (has_ideal(target)) return sparse_subset_meet(*target.numbers.ideal, monitor);
  return squashed_key_meet(*target.numbers.elements, *target.numbers.squashed, monitor);
}

Finding run_squashed_key_lattice(const Target& target, const Monitor& monitor) {
  if (has_ideal(target)) {
    const IdealNumbers& ideal = *target.numbers.ideal;
    require_reducible(ideal.x.size() * ideal.block_size);
    return sparse_subset_lattice(ideal, monitor);
  }
  require_reducible(target.numbers.squashed->u.size());
  return squashed_key_lattice(*target.numbers.elements, *target.numbers.squashed, monitor);
}

Finding run_sparse_weights(const Target& target, const Monitor& monitor) {
  constexpr double kMostLuck = 12;
  // More ciphertexts than have one that opens on average: rounding misses seven in eight of those
  // that the model counts, and then there are sixteen to be found.
  constexpr double kSpareLuck = 7;
  const WeightedElements& elements = *target.numbers.weighted;
  const double luck = sparse_chance(elements).luck;
  if (luck > kMostLuck || elements.x.size() > kMostIdealDimensions) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("one sparse ciphertext in 2^{:.0f} opens, in a lattice of {} "
                            "dimensions; this laboratory takes 2^{:.0f} and {} at most",
                            luck, elements.x.size() + 1, kMostLuck, kMostIdealDimensions + 1));
  }
  const auto count = static_cast<std::size_t>(std::exp2(luck + kSpareLuck));
  return sparse_weights(elements, target.encrypt_sparse(count), monitor);
}

Finding run_decryption_oracle(const Target& target, const Monitor& monitor) {
  if (has_ideal(target)) {
    return decryption_oracle_of_ideal(*target.numbers.ideal, target.owner, monitor);
  }
  const Samples& samples = *target.numbers.elements;
  const bool is_alone = samples.slots == 1 && samples.modulus != 0;
  return (is_alone ? decryption_oracle : decryption_oracle_of_slots)(samples, target.owner,
                                                                     monitor);
}

constexpr std::array<Method, 13> kMethods{{
    {"exhaustive-noise-search", "", "try all noises of a sample modulo x0", has_modulus,
     [](const Target& target, const Monitor& monitor) {
       return exhaustive_noise_search(*target.numbers.elements, monitor);
     }},
    {"noise-search", "noise search", "the same in the square root of the time (Chen, Nguyen)",
     [](const Target& target) { return target.numbers.elements.has_value(); },
     [](const Target& target, const Monitor& monitor) {
       return noise_search(*target.numbers.elements, monitor);
     }},
    {"orthogonal-lattice", "orthogonal lattice", "LLL on samples: needs neither x0 nor more keys",
     [](const Target& target) { return target.numbers.samples.has_value(); },
     run_orthogonal_lattice},
    {"simultaneous-approximation", "unique shortest vector",
     "LLL, or BKZ with --block, on quotients of samples",
     [](const Target& target) { return target.numbers.samples.has_value(); },
     run_simultaneous_approximation},
    {"squashed-key-meet", "squashed key, meet in the middle",
     "meet in the middle on the keys of recryption", has_squashed_key, run_squashed_key_meet},
    {"squashed-key-lattice", "squashed key, lattice", "LLL on the keys of recryption",
     has_squashed_key, run_squashed_key_lattice},
    {"product-form-search", "product-form search", "try all keys of recryption of cmnt-*-paper",
     [](const Target& target) { return target.numbers.product_form.has_value(); },
     [](const Target& target, const Monitor& monitor) {
       return product_form_search(*target.numbers.elements, *target.numbers.product_form, monitor);
     }},
    {"ciphertext-knapsack", "ciphertext, knapsack", "LLL on a ciphertext of cmnt",
     [](const Target& target) { return target.numbers.quadratic.has_value(); },
     [](const Target& target, const Monitor& monitor) {
       const QuadraticElements& elements = *target.numbers.quadratic;
       require_reducible(elements.x.size() * elements.y.size() + 2);
       return ciphertext_knapsack(elements, target.ciphertext, monitor);
     }},
    {"sparse-weights", "sparse weights", "LLL on cnt, for a lucky one of many fhe encrypt --sparse",
     [](const Target& target) {
       return target.numbers.weighted.has_value() && target.encrypt_sparse;
     },
     run_sparse_weights},
    {"ideal-lattice", "ideal lattice", "LLL on the ideal of gh, for a ciphertext", has_ideal,
     [](const Target& target, const Monitor& monitor) {
       return run_ideal_lattice(target, 1, monitor);
     }},
    {"ideal-lattice-window", "ideal lattice, window",
     "the same in fewer dimensions, for some ciphertexts", has_ideal,
     [](const Target& target, const Monitor& monitor) {
       return run_ideal_lattice(target, kWindow, monitor);
     }},
    {"ideal-noise-meet", "noise, meet in the middle",
     "meet in the middle on the noise of gh, for a ciphertext", has_ideal,
     [](const Target& target, const Monitor& monitor) {
       return ideal_noise_meet(*target.numbers.ideal, target.ciphertext, monitor);
     }},
    {"decryption-oracle", "", "ask the key's owner, whose key --secret is, for answers",
     [](const Target& target) {
       return target.owner.decrypt && (has_ideal(target) || target.numbers.elements);
     },
     run_decryption_oracle},
}};

}  // namespace

std::span<const Method> methods() {
  return kMethods;
}

}  // namespace fhe::attack

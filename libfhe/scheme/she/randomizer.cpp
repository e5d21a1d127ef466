// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/randomizer.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/hedged_random.hpp"
#include "libfhe/scheme/she/bounds.hpp"
#include "libfhe/scheme/she/group_rules.hpp"
#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/scheme/test_seed.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"
#include "libfhe/security/hiding.hpp"

namespace fhe::she {

namespace {

double real(std::size_t number) {
  return static_cast<double>(number);
}

// N.
std::size_t count_needed(const Parameters& p, Hiding hiding, std::size_t weight_bits) {
  const auto count = hiding == Hiding::proven ? security::proven_count : security::least_count;
  return static_cast<std::size_t>(count(real(weight_bits), real(p.gamma), real(p.lambda)));
}

// What N zeros add to the noise of an answer that is `times` as long as M.
Integer added_noise(const Parameters& p, std::size_t count, std::size_t weight_bits,
                    const Integer& times) {
  const Integer weights = to_integer(count) * power_of_two(weight_bits);
  return (weights + times + 2) * p.fresh_noise();
}

std::string in_megabytes(double bytes) {
  return fmt::format("{:.1f} MB", bytes / 1e6);
}

std::string size_of_zeros(const Parameters& p, std::size_t count) {
  return in_megabytes(real(count) * real(bytes_for_bits(p.correction_bits())));
}

void require_room(const ParameterSet& group, const Parameters& p, std::size_t count,
                  std::size_t weight_bits) {
  const Integer noise = p.fresh_noise() + added_noise(p, count, weight_bits, 1);
  if (noise <= p.noise_limit()) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("answers of {} cannot be hidden: {} encryptions of zero, with weights of "
                          "{} bits, would have {:.1f} bits of noise, and numbers decrypt up to {}",
                          group.name(), count + 1, weight_bits, noise_bits(noise), p.eta - 2));
}

void require_affordable(const ParameterSet& group, const Parameters& p, std::size_t zeros) {
  if (zeros * bytes_for_bits(p.correction_bits()) <= kMostZeroBytes) return;
  throw Error(ErrorCode::unsupported,
              fmt::format("answers of {} cannot be hidden: it takes {} encryptions of zero, which "
                          "are {} to send, and at most {} are accepted; take a group of one slot",
                          group.name(), zeros, size_of_zeros(p, zeros),
                          in_megabytes(real(kMostZeroBytes))));
}

// A fact about zeros that were given.
Error no_zeros(const std::string& what) {
  return {ErrorCode::invalid_argument,
          fmt::format("{}: give encryptions of zero that the owner of the key made, all of them",
                      what)};
}

std::vector<Integer> values_of(const ParameterSet& group, const Parameters& p,
                               const std::vector<Slots>& zeros) {
  if (zeros.size() < 2) throw no_zeros("fewer than two encryptions of zero");
  std::vector<Integer> values;
  values.reserve(zeros.size());
  for (const Slots& zero : zeros) {
    require_group(zero.key(), group.name());
    require_slots_of(zeros.front().key(), p, zero);
    if (zero.noise() > p.fresh_noise() || zero.value() < 1 || bit_length(zero.value()) > p.gamma) {
      throw no_zeros("an encryption of zero is no new ciphertext");
    }
    values.push_back(zero.value());
  }
  if (!all_different({values})) throw no_zeros("two encryptions of zero are equal");
  return values;
}

void require_enough(const ParameterSet& group, const Parameters& p, std::size_t given,
                    std::size_t weight_bits) {
  const std::size_t needed = zeros_needed(group, Hiding::estimated, weight_bits);
  if (given >= needed) return;
  const auto attack = security::cheapest_sum_attack(
      {.count = real(given - 1), .weight_bits = real(weight_bits), .element_bits = real(p.gamma)});
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("{} encryptions of zero do not hide an answer of {}{}: the owner of the key must "
                  "publish {}, which are {}",
                  given, group.name(),
                  attack ? fmt::format(" (a lattice attack costs 2^{:.0f}, with block size {:.0f})",
                                       attack->core, attack->block)
                         : "",
                  needed, size_of_zeros(p, needed)));
}

// The answer as HedgedRandom takes it, with what it is hidden by.
SecretBytes context_of(const Slots& answer, const Integer& modulus, std::size_t weight_bits) {
  const auto row = [](const Integer& x) { return limbs_of(x); };
  const std::vector<Limb> facts{answer.value() < 0 ? Limb{1} : Limb{0}, weight_bits};
  const std::vector<std::span<const Limb>> rows{row(answer.value()), row(modulus), facts};
  return encryption_context(answer.key().digest, rows);
}

SecretVector<Limb> draw_weights(std::size_t count, std::size_t bits, SecretRandom& random) {
  SecretVector<Limb> weights(count);
  random.fill(std::as_writable_bytes(std::span(weights)));
  for (Limb& weight : weights) weight >>= kLimbBits - bits;
  return weights;
}

}  // namespace

std::size_t zeros_needed(const ParameterSet& group, Hiding hiding, std::size_t weight_bits) {
  return reporting_memory([&] {
    if (weight_bits < 1 || weight_bits > kMostZeroWeightBits) {
      throw Error(ErrorCode::invalid_argument, fmt::format("weights of {} bits: give 1 to {}",
                                                           weight_bits, kMostZeroWeightBits));
    }
    const Parameters p(group);
    const std::size_t count = count_needed(p, hiding, weight_bits);
    require_room(group, p, count, weight_bits);
    require_affordable(group, p, count + 1);
    return count + 1;
  });
}

Randomizer::Randomizer(const ParameterSet& group, const std::vector<Slots>& zeros,
                       std::size_t weight_bits)
    : Randomizer(group, zeros, weight_bits,
                 reporting_memory([] { return std::make_shared<SystemRandom>(); })) {}

Randomizer::Randomizer(const ParameterSet& group, const std::vector<Slots>& zeros,
                       std::size_t weight_bits, std::shared_ptr<SecretRandom> random)
    : parameters_(reporting_memory([&] { return Parameters(group); })),
      weight_bits_(weight_bits),
      hiding_(Hiding::estimated),
      random_("the randomizer", required(std::move(random), "the source of randomness")) {
  reporting_memory([&] {
    zeros_ = values_of(group, parameters_, zeros);
    require_enough(group, parameters_, zeros.size(), weight_bits);
    key_ = zeros.front().key();
    static_cast<void>(random_for(key_, random_.pointer()));
    const auto largest = std::ranges::max_element(zeros_);
    modulus_ = std::move(*largest);
    zeros_.erase(largest);
    for (const Integer& zero : zeros_) total_ += zero;
    if (zeros_.size() >= count_needed(parameters_, Hiding::proven, weight_bits)) {
      hiding_ = Hiding::proven;
    }
  });
}

Integer Randomizer::noise_of(const Slots& answer) const {
  static_cast<void>(random_.pointer());  // throws where it was moved from
  require_slots_of(key_, parameters_, answer);
  const Integer times = abs(answer.value()) / modulus_;
  Integer noise = answer.noise() + added_noise(parameters_, zeros_.size(), weight_bits_, times);
  require_noise(noise, parameters_, "the hidden answer");
  return noise;
}

// With v_i = w_i - 2^(w-1).
Slots Randomizer::randomize(const Slots& answer) const {
  const SecretWork work;
  return reporting_memory([&] {
    const Integer noise = noise_of(answer);
    HedgedRandom hedged(*random_, context_of(answer, modulus_, weight_bits_));
    const SecretVector<Limb> weights = draw_weights(zeros_.size(), weight_bits_, hedged);
    SecretInteger sum(answer.value() - (total_ << (weight_bits_ - 1)));
    for (std::size_t i = 0; i < zeros_.size(); ++i) {
      mpz_addmul_ui(sum.value().get_mpz_t(), zeros_[i].get_mpz_t(), weights[i]);
    }
    Integer value;
    mpz_fdiv_r(value.get_mpz_t(), sum.value().get_mpz_t(), modulus_.get_mpz_t());
    return Slots(std::move(value), public_bound(noise, parameters_.fresh_noise(), parameters_),
                 key_);
  });
}

std::vector<Slots> Randomizer::randomize_all(const std::vector<Slots>& answers,
                                             const Monitor& monitor) const {
  return reporting_memory([&] {
    std::vector<Slots> hidden;
    hidden.reserve(answers.size());
    Progress progress(monitor, "hide", answers.size());
    for (const Slots& answer : answers) {
      hidden.push_back(randomize(answer));
      progress.advance();
    }
    return hidden;
  });
}

}  // namespace fhe::she

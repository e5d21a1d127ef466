// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/parameters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/dghv/digit_program.hpp"
#include "libfhe/scheme/dghv/small_factors.hpp"

namespace fhe::dghv {

namespace {

// Fields of groups.
constexpr std::string_view kSlots = "slots";
constexpr std::string_view kPrimeBits = "q0_prime_bits";
constexpr std::string_view kOffsetBits = "q0_offset_bits";
constexpr std::string_view kRoughBits = "q0_rough_bits";

// How many bits y_i has beyond the bits of a ciphertext: 6 keep the error of x_p out of the
// rounding (refresh_share), more than a few limbs only make the key longer.
constexpr std::size_t kMinGuardBits = 6;
constexpr std::size_t kMaxGuardBits = 1024;

// Largest bound that is certainly below 2^bits.
NoiseBound bound_below(double bits) {
  const double units = std::floor(std::max(bits, 0.0) * NoiseBound::kUnitsPerBit) - 1;
  return NoiseBound::from_units(static_cast<std::uint32_t>(std::max(units, 0.0)));
}

// What theta roundings of z leave of 1/2: refresh_share without the error of x_p.
double share_beside_roundings(const Parameters& p) {
  return 0.5 - std::ldexp(static_cast<double>(p.theta), -static_cast<int>(p.precision) - 1);
}

// What the noise may take of the interval of length p, as a fraction of p, so that the rounded sum
// of the z_i is right: 1/2 less theta roundings of z and the error of x_p = round(2^kappa / p),
//   noise / p + theta 2^-(n+1) + 2^(gamma-kappa-1) < 1/2.
double refresh_share(const Parameters& p) {
  return share_beside_roundings(p) - std::ldexp(1.0, -static_cast<int>(p.kappa - p.gamma) - 1);
}

void check_form(const Parameters& p, const ParameterSet& group) {
  if (p.form == SquashForm::blocks) {
    if (p.Theta % p.theta == 0) return;
    throw group.invalid(
        fmt::format("Theta = {} must be a multiple of theta = {}", p.Theta, p.theta));
  }
  if (p.theta != kRowBoxes * kColumnBoxes) {
    throw group.invalid(fmt::format("theta = {} must be {} for a key of {} by {} boxes", p.theta,
                                    kRowBoxes * kColumnBoxes, kRowBoxes, kColumnBoxes));
  }
  if (p.side() * p.side() != p.Theta || p.side() < kColumnBoxes) {
    throw group.invalid(fmt::format("Theta = {} must be a square of at least {}", p.Theta,
                                    kColumnBoxes * kColumnBoxes));
  }
  if (p.key_noise_percent != 100) {
    throw group.invalid(fmt::format(
        "key_noise_percent = {} must be 100 for a key of product form: its noise is not limited",
        p.key_noise_percent));
  }
}

void check_squash(const Parameters& p, const ParameterSet& group) {
  check_form(p, group);
  if (p.kappa < p.gamma + kMinGuardBits || p.kappa > p.gamma + kMaxGuardBits) {
    throw group.invalid(fmt::format(
        "kappa = {} must be between gamma + {} = {} and gamma + {} = {}", p.kappa, kMinGuardBits,
        p.gamma + kMinGuardBits, kMaxGuardBits, p.gamma + kMaxGuardBits));
  }
  if (share_beside_roundings(p) <= 0) {
    throw group.invalid(
        fmt::format("theta = {} needs more than precision = {} bits: theta must stay "
                    "below 2^precision",
                    p.theta, p.precision));
  }
  if (refresh_share(p) <= 0) {
    // 2^-(guard+1) must be below what the roundings leave.
    const auto guard = static_cast<std::size_t>(std::floor(-std::log2(share_beside_roundings(p))));
    throw group.invalid(
        fmt::format("kappa = {} must be at least gamma + {} = {}: theta = {} with precision = {} "
                    "leaves no room for a larger error of 2^kappa / p",
                    p.kappa, guard, p.gamma + guard, p.theta, p.precision));
  }
}

// q0 has to be square-free, and its prime factors are drawn independently of each other.
void check_square_free(const Parameters& p, const ParameterSet& group) {
  constexpr double kMostRepeats = 0.01;
  const auto bits = static_cast<double>(p.q0_prime_bits);
  const double primes = std::exp2(bits - 1) / (bits * std::numbers::ln2);  // of exactly these bits
  const std::size_t whole_factors = (p.gamma - p.secret_bits()) / p.q0_prime_bits;
  const auto factors = static_cast<double>(whole_factors);
  const double repeats = factors * factors / (2 * primes);
  if (repeats <= kMostRepeats) return;
  throw group.invalid(
      fmt::format("q0_prime_bits = {} is too small: of about {:.0f} primes of that size q0 takes "
                  "{:.0f}, so that about {:.2g} pairs of them are equal and q0 is not square-free",
                  p.q0_prime_bits, primes, factors, repeats));
}

// For the complement to be worth its name, and for reduction by it.
void check_special_modulus(const Parameters& p, const ParameterSet& group) {
  if (group.has(kPrimeBits)) {
    throw group.invalid(fmt::format(
        "{} and {} exclude each other: the first is for a q0 that is a product of random primes, "
        "the second for a modulus 2^gamma - r",
        kPrimeBits, kOffsetBits));
  }
  if (p.gamma < 2 * p.complement_bits()) {
    throw group.invalid(fmt::format("gamma = {} must be at least 2 (eta + {}) = {}", p.gamma,
                                    kOffsetBits, 2 * p.complement_bits()));
  }
}

void check_modulus(const Parameters& p, const ParameterSet& group) {
  if (p.eta < p.rho + 8) {
    throw group.invalid(fmt::format("eta = {} must be at least rho + 8 = {}", p.eta, p.rho + 8));
  }
  if (p.special) return check_special_modulus(p, group);
  const std::size_t least = p.secret_bits() + 3 * p.q0_prime_bits;
  if (p.gamma < least) {
    throw group.invalid(fmt::format("gamma = {} must be at least {}eta + 3 q0_prime_bits = {}",
                                    p.gamma, p.slots == 1 ? "" : "slots * ", least));
  }
  if (p.q0_prime_bits <= p.lambda) {
    throw group.invalid(
        fmt::format("q0_prime_bits = {} must be more than lambda = {}: q0 has no factor "
                    "below 2^lambda",
                    p.q0_prime_bits, p.lambda));
  }
  check_square_free(p, group);
}

// The product of two refreshed ciphertexts must itself be refreshable: then gates go on for ever.
void check_bootstrapping(const Parameters& p, const ParameterSet& group) {
  const NoiseRule rule = p.noise_rule();
  const NoiseBound refreshed = p.refreshed_noise(p.adder);
  if (rule.product(refreshed, refreshed) > rule.refresh_limit) {
    throw group.invalid(fmt::format(
        "the adder '{}' leaves up to {:.1f} bits of noise, so an AND of two refreshed ciphertexts "
        "reaches {:.1f} bits, past the {:.1f} that can be refreshed; take a larger eta, another "
        "adder "
        "or a smaller key_noise_percent",
        p.adder, refreshed.bits(), rule.product(refreshed, refreshed).bits(),
        rule.refresh_limit.bits()));
  }
}

// Digits are taken from five bits of the sums, with a key of the form `blocks`.
std::optional<DigitKey> digit_key_of(const ParameterSet& group, SquashForm form,
                                     std::size_t precision) {
  if (group.word("adder") != kDigits) return std::nullopt;
  if (form != SquashForm::blocks) {
    throw group.invalid("adder = 'digits' needs a squashed key of the form 'blocks'");
  }
  if (precision != 4) {
    throw group.invalid(fmt::format(
        "precision = {} must be 4 for adder = 'digits', which takes five digits", precision));
  }
  return DigitKey{.two_sets = group.number("digit_key_sets", 1, 2) == 2,
                  .failure_bits = group.number("noise_failure_bits", 0, 256)};
}

// A group has a special modulus when it says how far q0 is from 2^gamma / p. With fewer than 32
// bits there would be few rough q0 to choose from; more than 1024 only lengthen r.
std::optional<SpecialModulus> special_modulus_of(const ParameterSet& group) {
  if (!group.has(kOffsetBits)) return std::nullopt;
  return SpecialModulus{.offset_bits = group.number(kOffsetBits, 32, 1024),
                        .rough_bits = group.number(kRoughBits, 8, SmallPrimes::kMaxBits)};
}

std::optional<NoiseBound> stated_noise_of(const ParameterSet& group, SquashForm form) {
  if (form == SquashForm::blocks) return std::nullopt;
  return NoiseBound::from_bits(static_cast<double>(group.number("refreshed_noise", 1, 1 << 19)));
}

// `length` indices from `first` on as `count` boxes whose sizes differ by one at most.
void append_boxes(std::vector<Box>& boxes, std::size_t first, std::size_t length,
                  std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t begin = k * length / count;
    const std::size_t end = (k + 1) * length / count;
    boxes.push_back({.first = static_cast<std::uint32_t>(first + begin),
                     .size = static_cast<std::uint32_t>(end - begin),
                     .known = k == 0});
  }
}

// Bound on the noise of each of the numbers that the adder sums: sums of sigma_i over one block, or
// products of sums over a box of s0 and a box of s1.
Integer adder_input_noise(const Parameters& p) {
  const std::vector<Box> boxes = p.boxes();
  const auto largest = [&](std::size_t first, std::size_t count) {
    Integer noise;
    for (std::size_t k = first; k < first + count; ++k) {
      noise = std::max(noise, p.key_sum_noise(boxes[k]));
    }
    return noise;
  };
  if (p.form == SquashForm::blocks) return largest(0, boxes.size());
  return largest(0, kRowBoxes) * largest(kRowBoxes, kColumnBoxes);
}

}  // namespace

security::Problems Parameters::shared_problems(std::size_t samples, NoiseBound fresh) const {
  // The Euclidean algorithm makes near multiples of p of all lengths; one whose noise has a tenth
  // of the bits that p has above it is worth most of them.
  constexpr double kWorth = 0.9;
  const auto real = [](std::size_t number) { return static_cast<double>(number); };
  security::Problems problems;
  problems.samples = {.rho = real(rho),
                      .eta = real(eta),
                      .gamma = real(gamma),
                      .slots = real(slots),
                      .samples = real(samples)};
  if (form == SquashForm::blocks) {
    problems.squashed = {.length = real(Theta),
                         .blocks = real(theta),
                         .known_blocks = 1,
                         .relation_bits = kWorth * (real(eta) - real(rho))};
  } else {
    double candidates = 0;
    for (const Box& box : boxes()) candidates += box.known ? 0 : std::log2(real(box.size));
    problems.product_key = {.length = real(Theta), .candidates = candidates, .gamma = real(gamma)};
  }
  problems.conditions = {.rough_bits = real(special ? special->rough_bits : q0_prime_bits - 1),
                         .claimed_bits = real(lambda),
                         .noise_bits = fresh.bits(),
                         .noise_limit_bits = decrypt_limit(eta).bits()};
  return problems;
}

NoiseBound decrypt_limit(std::size_t eta) {
  // p >= 2^(eta-1), so p/2 >= 2^(eta-2).
  return bound_below(static_cast<double>(eta) - 2);
}

NoiseBound recrypted_noise(const AdderProgram& adder, std::vector<NoiseBound> inputs) {
  const NoiseBound sum = adder.run(
      std::move(inputs), [](NoiseBound x, NoiseBound y) { return x + y; },
      [](NoiseBound x, NoiseBound y) { return x * y; });
  return sum + NoiseBound();  // the last step adds c mod 2
}

Parameters::Parameters(const ParameterSet& group, SquashForm squash_form)
    : lambda(group.number("lambda", 1, 1024)),
      rho(group.number("rho", 2, 1 << 16)),
      eta(group.number("eta", 16, 1 << 20)),
      gamma(group.number("gamma", 64, std::size_t{1} << 33)),
      slots(group.has(kSlots) ? group.number(kSlots, 1, 1 << 12) : 1),
      theta(group.number("theta", 2, 1023)),
      Theta(group.number("Theta", 2, std::size_t{1} << 24)),
      precision(group.number("precision", 1, 15)),
      kappa(group.number("kappa", 64, std::size_t{1} << 34)),
      q0_prime_bits(group.has(kOffsetBits) ? 0 : group.number(kPrimeBits, 16, 4096)),
      special(special_modulus_of(group)),
      key_noise_percent(group.number("key_noise_percent", 30, 100)),
      adder(group.word("adder")),
      form(squash_form),
      digits(digit_key_of(group, squash_form, precision)),
      stated_noise(stated_noise_of(group, squash_form)) {
  check_modulus(*this, group);
  check_squash(*this, group);
  check_bootstrapping(*this, group);
}

std::vector<std::string_view> Parameters::field_names() {
  return {"lambda",
          "rho",
          "eta",
          "gamma",
          "theta",
          "Theta",
          "precision",
          "kappa",
          kPrimeBits,
          kOffsetBits,
          kRoughBits,
          "key_noise_percent",
          "adder",
          "digit_key_sets",
          "noise_failure_bits"};
}

NoiseRule Parameters::noise_rule() const {
  // p has eta bits, so p >= 2^(eta-1).
  const auto p_bits = static_cast<double>(eta - 1);
  return {.decrypt_limit = decrypt_limit(eta),
          .refresh_limit = bound_below(p_bits + std::log2(refresh_share(*this))),
          .product_growth = NoiseBound()};
}

std::size_t Parameters::side() const {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(Theta)));
}

std::size_t Parameters::key_bits() const {
  return form == SquashForm::blocks ? Theta : 2 * side();
}

std::vector<Box> Parameters::boxes() const {
  std::vector<Box> boxes;
  if (form == SquashForm::blocks) {
    append_boxes(boxes, 0, Theta, theta);
  } else {
    append_boxes(boxes, 0, side(), kRowBoxes);
    append_boxes(boxes, side(), side(), kColumnBoxes);
  }
  return boxes;
}

unsigned long Parameters::key_bit_factor() const {
  return digits && !has_digit_set() ? kDigitModulus : 2;
}

std::size_t Parameters::key_bit_noise_bits() const {
  return rho + std::bit_width(key_bit_factor()) - 1;
}

Integer Parameters::key_sum_noise(const Box& box) const {
  const std::size_t percent = digits ? 100 : key_noise_percent;
  return power_of_two(key_bit_noise_bits()) * static_cast<unsigned long>(box.size * percent) / 100;
}

NoiseBound Parameters::digit_parity_noise() const {
  const auto terms = static_cast<double>(Theta);
  const auto failure = static_cast<double>(digits->failure_bits);
  const double times =
      digits->failure_bits == 0 ? terms : std::sqrt(std::numbers::ln2 * (failure + 1) * terms);
  const double percent = static_cast<double>(key_noise_percent) / 100;
  return NoiseBound::from_bits(static_cast<double>(key_bit_noise_bits()) +
                               std::log2(std::max(percent * times, 1.0)));
}

NoiseBound Parameters::digit_sum_noise() const {
  constexpr unsigned long kLargestDigits = kDigitModulus / 2;
  const Integer term = power_of_two(rho) * kDigitModulus;
  return NoiseBound::from_magnitude(term * kLargestDigits * static_cast<unsigned long>(Theta) +
                                    kLargestDigits / 2);
}

bool Parameters::by_digits(std::string_view name) const {
  if (!name.empty() && name != kDigits) return false;
  if (digits) return true;
  if (name.empty()) return false;
  throw Error(ErrorCode::unsupported,
              "keys of this group have nothing for recryption by digits: take a group for it, as "
              "'cnt-toy-digits' is for 'cnt-toy'");
}

AdderProgram Parameters::adder_program(std::string_view name) const {
  return AdderProgram::named(name.empty() ? adder : name, theta, precision + 1);
}

NoiseBound Parameters::refreshed_noise(const AdderProgram& program) const {
  const NoiseBound input = NoiseBound::from_magnitude(adder_input_noise(*this));
  return recrypted_noise(program, std::vector<NoiseBound>(program.inputs(), input));
}

NoiseBound Parameters::refreshed_noise(std::string_view name) const {
  if (by_digits(name)) return digit_noise(digit_parity_noise(), digit_sum_noise());
  const bool own = name.empty() || name == adder;
  return own && stated_noise ? *stated_noise : refreshed_noise(adder_program(name));
}

}  // namespace fhe::dghv

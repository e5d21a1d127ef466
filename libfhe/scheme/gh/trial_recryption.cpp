// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <random>
#include <span>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/gh/embedding.hpp"
#include "libfhe/scheme/gh/key_generation.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::gh {

namespace {

// Selections of bits that are made for each block.
constexpr std::size_t kSelections = 8;
constexpr std::size_t kOwnTrials = 32;
constexpr std::size_t kOtherTrials = 8;
// log2 of how far above their quadratic mean the coefficients of u/v count.
constexpr double kCrestBits = 2;

constexpr std::size_t kLanes = 16;

// The values of a secret polynomial at a few roots. Each overwrites itself when it goes: they pass
// through the adder's vectors, which are not of a secret type, and many lie on stacks.
struct Lanes {
  std::array<double, kLanes> re{};
  std::array<double, kLanes> im{};

  Lanes() = default;
  Lanes(const Lanes&) = default;
  Lanes& operator=(const Lanes&) = default;
  ~Lanes() { wipe(std::as_writable_bytes(std::span(this, 1))); }

  void add(const Lanes& x) {
    for (std::size_t i = 0; i < kLanes; ++i) re[i] += x.re[i];
    for (std::size_t i = 0; i < kLanes; ++i) im[i] += x.im[i];
  }
};

Lanes operator+(const Lanes& x, const Lanes& y) {
  Lanes sum = x;
  sum.add(y);
  return sum;
}

Lanes operator*(const Lanes& x, const Lanes& y) {
  Lanes product;
  for (std::size_t i = 0; i < kLanes; ++i) {
    product.re[i] = x.re[i] * y.re[i] - x.im[i] * y.im[i];
    product.im[i] = x.re[i] * y.im[i] + x.im[i] * y.re[i];
  }
  return product;
}

Lanes scaled(const Lanes& x, double factor) {
  Lanes result;
  for (std::size_t i = 0; i < kLanes; ++i) {
    result.re[i] = x.re[i] * factor;
    result.im[i] = x.im[i] * factor;
  }
  return result;
}

std::array<double, kLanes> squared_magnitudes(const Lanes& x) {
  std::array<double, kLanes> squares;
  for (std::size_t i = 0; i < kLanes; ++i) squares[i] = x.re[i] * x.re[i] + x.im[i] * x.im[i];
  return squares;
}

double sum(const std::array<double, kLanes>& x) {
  double total = 0;
  for (const double value : x) total += value;
  return total;
}

// Sums over roots of squares, of values that are scaled by 2^-claim.
struct Squares {
  double noise = 0;
  double peak = 0;  // the largest, not a sum
  double measured = 0;
  double product = 0;
};

// A key in the making, at the roots zeta_j = exp(i pi (2j+1) / n), of which the half suffices: the
// others are their conjugates. Where there are fewer than kLanes of those, each counts several
// times.
class TrialKey {
 public:
  TrialKey(const Parameters& parameters, const SecretIntegers& v,
           const std::vector<NoisePolynomial>& noise, const ChosenElements& chosen,
           const std::vector<TrialPlan>& plans)
      : p_(parameters),
        width_(p_.precision + 1),
        roots_(std::max(kLanes, p_.n / 2)),
        noise_(noise),
        v_(v, p_.t - 1),
        circle_(2 * p_.n) {
    for (std::size_t k = 0; k < p_.s; ++k) pairs_.push_back(pair_at(chosen[k], p_.c));
    for (std::size_t k = 0; k < circle_.size(); ++k) {
      circle_[k] =
          std::polar(1.0, std::numbers::pi * static_cast<double>(k) / static_cast<double>(p_.n));
    }
    for (const TrialPlan& plan : plans) add_adder(plan);
  }

  [[nodiscard]] std::vector<Trials> run(const Monitor& monitor) const {
    const std::size_t groups = roots_ / kLanes;
    std::vector<std::vector<Squares>> squares(groups);
    Progress progress(monitor, "trial recryptions", groups);
    parallel_for(groups, [&](std::size_t group) {
      squares[group] = squares_at(group * kLanes);
      progress.advance();
    });
    std::vector<Trials> result;
    std::size_t at = 0;
    for (const Adder& adder : adders_) {
      result.push_back(summary(adder, squares, at));
      at += adder.count;
    }
    return result;
  }

 private:
  struct Adder {
    std::string name;
    std::size_t count;
    AdderProgram program;
    double claim;  // bits
  };

  void add_adder(const TrialPlan& plan) {
    AdderProgram program = p_.adder_program(plan.adder);
    const double claim = p_.refreshed_noise_bound(program).bits();
    adders_.push_back({plan.adder, plan.count, std::move(program), claim});
  }

  // The values of key ciphertext i of block k: bit + 2u.
  [[nodiscard]] Lanes key_values(std::size_t k, std::size_t i, std::size_t first_root) const {
    Lanes values;
    if (i == pairs_[k].a || i == pairs_[k].b) values.re.fill(1);
    for (const NoisePolynomial::Term& term : noise_[k * p_.c + i].terms()) {
      const double factor = term.negative ? -2 : 2;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::size_t angle = term.exponent * (2 * (first_root + lane) + 1) % (2 * p_.n);
        values.re[lane] += factor * circle_[angle].real();
        values.im[lane] += factor * circle_[angle].imag();
      }
    }
    return values;
  }

  // The bits of the number that a block with these key ciphertexts contributes, for the z of a
  // generator, as in RowProgram.
  [[nodiscard]] std::vector<Lanes> selected(const std::vector<Lanes>& eta,
                                            std::mt19937_64 z) const {
    std::vector<Lanes> bits(width_);
    std::size_t element = 0;
    for (std::size_t a = 0; element < p_.S; ++a) {
      std::vector<Lanes> sums(width_);
      for (std::size_t b = a + 1; b < p_.c && element < p_.S; ++b, ++element) {
        const std::uint64_t mask = z();
        for (std::size_t i = 0; i < width_; ++i) {
          if ((mask >> i & 1U) != 0) sums[i].add(eta[b]);
        }
      }
      for (std::size_t i = 0; i < width_; ++i) bits[i].add(eta[a] * sums[i]);
    }
    return bits;
  }

  // kSelections of each block, at k kSelections + selection.
  [[nodiscard]] std::vector<std::vector<Lanes>> selections(std::size_t first_root) const {
    std::vector<std::vector<Lanes>> all;
    for (std::size_t k = 0; k < p_.s; ++k) {
      std::vector<Lanes> eta;
      for (std::size_t i = 0; i < p_.c; ++i) eta.push_back(key_values(k, i, first_root));
      for (std::size_t selection = 0; selection < kSelections; ++selection) {
        all.push_back(selected(eta, std::mt19937_64(all.size())));
      }
    }
    return all;
  }

  // 1 / |v|^2 at the roots.
  [[nodiscard]] std::array<double, kLanes> inverse_squares(std::size_t first_root) const {
    std::array<double, kLanes> inverses;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      inverses[lane] = 1 / std::norm(v_.values()[(first_root + lane) % p_.n]);
    }
    return inverses;
  }

  // Of all trials of all adders, one after the other.
  [[nodiscard]] std::vector<Squares> squares_at(std::size_t first_root) const {
    const std::vector<std::vector<Lanes>> blocks = selections(first_root);
    const std::array<double, kLanes> inverses = inverse_squares(first_root);
    std::vector<Squares> squares;
    for (const Adder& adder : adders_) {
      std::mt19937_64 choice;  // of a selection for each block: the same at all roots
      Lanes last;
      for (std::size_t trial = 0; trial < adder.count; ++trial) {
        std::vector<Lanes> inputs;
        for (std::size_t k = 0; k < p_.s; ++k) {
          const std::vector<Lanes>& bits = blocks[k * kSelections + choice() % kSelections];
          inputs.insert(inputs.end(), bits.begin(), bits.end());
        }
        const Lanes noise =
            scaled(adder.program.run(
                       std::move(inputs), [](const Lanes& x, const Lanes& y) { return x + y; },
                       [](const Lanes& x, const Lanes& y) { return x * y; }),
                   std::exp2(-adder.claim));
        squares.push_back(squares_of(noise, last, inverses));
        last = noise;
      }
    }
    return squares;
  }

  static Squares squares_of(const Lanes& noise, const Lanes& last,
                            const std::array<double, kLanes>& inverses) {
    const std::array<double, kLanes> own = squared_magnitudes(noise);
    std::array<double, kLanes> measured = own;
    std::array<double, kLanes> product = squared_magnitudes(noise * last);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      measured[lane] *= inverses[lane];
      product[lane] *= inverses[lane];
    }
    return {sum(own), *std::ranges::max_element(own), sum(measured), sum(product)};
  }

  // log2 of the quadratic mean over the roots of what has this sum of squares.
  [[nodiscard]] double mean_bits(double squares) const {
    return std::log2(squares / static_cast<double>(roots_)) / 2;
  }

  // With x_j = u(zeta_j) / v(zeta_j), the coefficients of u/v have the quadratic mean of the |x_j|
  // by the square root of n; Embedding has v scaled by 2^(1-t).
  [[nodiscard]] double coefficient_bits(double squares) const {
    return mean_bits(squares) - std::log2(static_cast<double>(p_.n)) / 2 -
           static_cast<double>(p_.t - 1) + static_cast<double>(p_.inverse_bits) + kCrestBits;
  }

  [[nodiscard]] Trials summary(const Adder& adder, const std::vector<std::vector<Squares>>& groups,
                               std::size_t first) const {
    std::vector<double> norm;
    std::vector<double> measured;
    std::vector<double> product;
    for (std::size_t trial = 0; trial < adder.count; ++trial) {
      Squares total;
      for (const std::vector<Squares>& group : groups) {
        const Squares& part = group[first + trial];
        total = {total.noise + part.noise, std::max(total.peak, part.peak),
                 total.measured + part.measured, total.product + part.product};
      }
      const double peak = std::log2(total.peak) / 2 - static_cast<double>(p_.crest_bits);
      norm.push_back(adder.claim + std::max(mean_bits(total.noise), peak));
      measured.push_back(adder.claim + coefficient_bits(total.measured));
      if (trial > 0) product.push_back(2 * adder.claim + coefficient_bits(total.product));
    }
    return {adder.name, NoiseTrials(norm), NoiseTrials(measured), NoiseTrials(product)};
  }

  const Parameters& p_;
  std::size_t width_;
  std::size_t roots_;
  const std::vector<NoisePolynomial>& noise_;
  Embedding v_;
  std::vector<std::complex<double>> circle_;  // exp(i pi k / n)
  SecretVector<Pair> pairs_;                  // the chosen ones
  std::vector<Adder> adders_;
};

}  // namespace

std::vector<TrialPlan> usual_trials(const Parameters& parameters) {
  std::vector<TrialPlan> plans;
  for (const std::string& name : AdderProgram::names()) {
    plans.push_back({name, name == parameters.adder ? kOwnTrials : kOtherTrials});
  }
  return plans;
}

std::vector<Trials> trial_recryptions(const Parameters& parameters, const SecretIntegers& v,
                                      const std::vector<NoisePolynomial>& noise,
                                      const ChosenElements& chosen,
                                      const std::vector<TrialPlan>& plans, const Monitor& monitor) {
  return TrialKey(parameters, v, noise, chosen, plans).run(monitor);
}

std::optional<ExceededClaim> exceeded_claim(const Parameters& p,
                                            const std::vector<Trials>& trials) {
  std::optional<ExceededClaim> worst;
  const auto note = [&](const Trials& of, const std::string& what, const NoiseTrials& noise,
                        double missing) {
    if (worst && missing <= worst->missing_bits) return;
    const double enough = std::ceil(static_cast<double>(p.refreshed_noise) + missing);
    worst = {missing, fmt::format("refreshed_noise = {} is too little: {} with the adder '{}' had "
                                  "{}; state at least {:.0f}",
                                  p.refreshed_noise, what, of.adder, noise.text(), enough)};
  };
  for (const Trials& of : trials) {
    const NoiseBound claim = p.refreshed_noise_bound(p.adder_program(of.adder));
    if (!of.measured.keep(claim.bits())) {
      note(of, "recrypted ciphertexts", of.measured, of.measured.least_bound() - claim.bits());
    }
    const double product = p.noise_rule().product(claim, claim).bits();
    if (of.adder == p.adder && !of.product.keep(product)) {
      note(of, "products of two recrypted ciphertexts", of.product,
           (of.product.least_bound() - product) / 2);
    }
  }
  return worst;
}

}  // namespace fhe::gh

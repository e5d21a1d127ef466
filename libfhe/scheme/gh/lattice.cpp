// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/lattice.hpp"

#include <bit>
#include <optional>

#include <fmt/format.h>

#include "libfhe/arith/ring.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/gh/embedding.hpp"
#include "libfhe/scheme/gh/residue.hpp"

namespace fhe::gh {

namespace {

// The modular inverse takes about as long as this many halvings or squarings.
constexpr std::size_t kInverseSteps = 40;

std::size_t log2_of(std::size_t n) {
  return static_cast<std::size_t>(std::bit_width(n)) - 1;
}

// Uniform in [-2^(t-1), 2^(t-1))^n among those of odd sum: turning over the lowest bit of v_0 maps
// the others onto them.
SecretIntegers draw_generator(const Parameters& parameters, SecretRandom& random) {
  const Integer offset = power_of_two(parameters.t - 1);
  SecretIntegers v(parameters.n);
  bool odd = false;
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = uniform_bits(random, parameters.t);
    v[i] -= offset;
    odd = odd != (mpz_odd_p(v[i].get_mpz_t()) != 0);
  }
  if (!odd) mpz_combit(v[0].get_mpz_t(), 0);
  return v;
}

bool has_short_inverse(const SecretIntegers& v, const Parameters& parameters) {
  return Embedding(v, parameters.t - 1).inverse_rms_log2() <=
         -static_cast<double>(parameters.inverse_bits);
}

// w_1 / w_0 modulo d, when w_0 is invertible.
std::optional<Integer> root(const ScaledInverse& inverse) {
  Integer w0_inverse;
  const int invertible =
      mpz_invert(w0_inverse.get_mpz_t(), inverse.w0.value().get_mpz_t(), inverse.d.get_mpz_t());
  const SecretInteger factor(std::move(w0_inverse));
  if (invertible == 0) return std::nullopt;
  Integer r = centered_product(inverse.w1.value(), factor.value(), inverse.d).value();
  if (r < 0) r += inverse.d;
  return r;
}

// Whether r^n = -1, by log2 n squarings; advances by as many.
bool is_root_of_minus_one(const Integer& r, std::size_t n, const Ring& ring, Progress& progress) {
  Integer power = r;
  for (std::size_t i = 0; i < log2_of(n); ++i) {
    const Operand operand(std::move(power));
    power = ring.multiply(operand, operand);
    progress.advance();
  }
  return power == ring.modulus() - 1;
}

// The first odd one of the centred residues of w_0 r^i, i < n. There is one: the sum of the w_i
// times the odd sum of the v_i is d modulo 2, and d is odd. None is found only where a device
// multiplied wrongly.
std::optional<SecretInteger> first_odd(SecretInteger w, const Integer& r, const Integer& d,
                                       std::size_t n, const Monitor& monitor) {
  for (std::size_t i = 0; i < n; ++i) {
    if (mpz_odd_p(w.value().get_mpz_t()) != 0) return w;
    monitor.throw_if_stopped();
    w = centered_product(w.value(), r, d);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Lattice> lattice_of(SecretIntegers v, const BackendPtr& backend,
                                  const Monitor& monitor) {
  const std::size_t n = v.size();
  Progress progress(monitor, "lattice", 2 * log2_of(n) + kInverseSteps);
  ScaledInverse inverse = scaled_inverse(v, *backend, progress);
  std::optional<Integer> r = root(inverse);
  progress.advance(kInverseSteps);
  if (!r || !is_root_of_minus_one(*r, n, *backend->ring(inverse.d), progress)) return std::nullopt;
  std::optional<SecretInteger> w = first_odd(std::move(inverse.w0), *r, inverse.d, n, monitor);
  if (!w) return std::nullopt;
  return Lattice{
      .v = std::move(v), .d = std::move(inverse.d), .r = std::move(*r), .w = std::move(*w)};
}

Lattice generate_lattice(const Parameters& parameters, const BackendPtr& backend,
                         SecretRandom& random, const Monitor& monitor) {
  BufferedRandom buffered(random);
  for (std::size_t i = 0; i < kMaxGenerators; ++i) {
    monitor.throw_if_stopped();
    SecretIntegers v = draw_generator(parameters, buffered);
    if (!has_short_inverse(v, parameters)) continue;
    std::optional<Lattice> lattice = lattice_of(std::move(v), backend, monitor);
    if (lattice) return std::move(*lattice);
  }
  throw Error(
      ErrorCode::invalid_parameters,
      fmt::format("none of {} random generators v of n = {} coefficients of t = {} bits has "
                  "an inverse as short as inverse_bits = {} asks for; lower inverse_bits",
                  kMaxGenerators, parameters.n, parameters.t, parameters.inverse_bits));
}

}  // namespace fhe::gh

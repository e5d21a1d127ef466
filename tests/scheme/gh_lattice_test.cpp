// SPDX-License-Identifier: Apache-2.0
// The lattice of GH: polynomials, inverses and embeddings against their definitions, the generated
// lattices against the equations that make the scheme work, the secret key against plain residues.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <stop_token>
#include <string>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/scheme/gh/embedding.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/storage/container.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/test_files.hpp"
#include "tests/support/vectors.hpp"

namespace fhe::test {

namespace {

using Polynomial = std::vector<Integer>;

// ---------------------------------------------------------------- slow truth

Polynomial product(const Polynomial& f, const Polynomial& g) {
  const std::size_t n = f.size();
  Polynomial result(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i + j < n) {
        result[i + j] += f[i] * g[j];
      } else {
        result[i + j - n] -= f[i] * g[j];
      }
    }
  }
  return result;
}

Polynomial times_x(const Polynomial& f) {
  Polynomial x(f.size());
  if (f.size() == 1) return {-f[0]};
  x[1] = 1;
  return product(f, x);
}

// f(-x).
Polynomial mirrored(Polynomial f) {
  for (std::size_t i = 1; i < f.size(); i += 2) f[i] = -f[i];
  return f;
}

Polynomial half(const Polynomial& f, std::size_t first) {
  Polynomial result;
  for (std::size_t i = first; i < f.size(); i += 2) result.push_back(f[i]);
  return result;
}

// f(x^2).
Polynomial spread(const Polynomial& f) {
  Polynomial result(2 * f.size());
  for (std::size_t i = 0; i < f.size(); ++i) result[2 * i] = f[i];
  return result;
}

// d and w with v w = d, by v^-1(x) = v(-x) / (v(x) v(-x)), whose denominator is even.
struct FullInverse {
  Integer d;
  Polynomial w;
};
FullInverse full_inverse(const Polynomial& v) {
  if (v.size() == 1) return {v[0], {1}};
  const Polynomial norm = half(product(v, mirrored(v)), 0);
  const FullInverse below = full_inverse(norm);
  return {below.d, product(mirrored(v), spread(below.w))};
}

// v(zeta_j), j = 0 ... n-1, by the sum itself.
std::vector<std::complex<long double>> values_by_sum(const Polynomial& v) {
  const std::size_t n = v.size();
  std::vector<std::complex<long double>> values(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto turns =
          static_cast<long double>((2 * j + 1) * k % (2 * n)) / static_cast<long double>(n);
      values[j] += std::polar(1.0L, std::numbers::pi_v<long double> * turns) *
                   static_cast<long double>(v[k].get_d());
    }
  }
  return values;
}

// log2 |x|.
double log2_of(const Integer& x) {
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, x.get_mpz_t());
  return std::log2(std::abs(mantissa)) + static_cast<double>(exponent);
}

bool is_odd(const Integer& x) {
  return mpz_odd_p(x.get_mpz_t()) != 0;
}

// ---------------------------------------------------------------- between the two worlds

SecretIntegers secret(const Polynomial& f) {
  SecretIntegers result(f.size());
  for (std::size_t i = 0; i < f.size(); ++i) result[i] = f[i];
  return result;
}

Polynomial opened(const SecretIntegers& f) {
  Polynomial result;
  for (std::size_t i = 0; i < f.size(); ++i) result.push_back(f[i]);
  return result;
}

Polynomial packed_product(const Polynomial& f, const Polynomial& g, std::size_t bits) {
  const gh::KroneckerRing ring(f.size(), bits);
  const SecretInteger left = ring.pack(secret(f), 0, 1);
  const SecretInteger right = ring.pack(secret(g), 0, 1);
  return opened(ring.unpack(left.value() * right.value()));
}

gh::ScaledInverse inverse_of(const Polynomial& v, const BackendPtr& backend) {
  const Monitor monitor;
  Progress progress(monitor, "test", 1);
  return gh::scaled_inverse(secret(v), *backend, progress);
}

Polynomial random_polynomial(Operands& random, std::size_t n, std::size_t bits) {
  Polynomial f(n);
  for (Integer& x : f) x = random.with_random_sign(random.bits(bits));
  return f;
}

// Coefficients of exactly `bits` bits in all the ways that carry and borrow most.
std::vector<Polynomial> extreme_polynomials(std::size_t n, std::size_t bits) {
  const Integer largest = all_ones(bits);
  std::vector<Polynomial> all{Polynomial(n, 0), Polynomial(n, largest), Polynomial(n, -largest)};
  Polynomial alternating(n, largest);
  for (std::size_t i = 0; i < n; i += 2) alternating[i] = -largest;
  all.push_back(alternating);
  all.push_back(mirrored(Polynomial(n, -largest)));
  Polynomial first(n);
  first.front() = -1;
  all.push_back(first);
  Polynomial last(n);
  last.back() = -1;
  all.push_back(last);
  Polynomial sparse(n);
  for (std::size_t i = 0; i < n; i += 3) sparse[i] = i % 2 == 0 ? largest : Integer(-1);
  all.push_back(sparse);
  return all;
}

// ---------------------------------------------------------------- lattices

gh::Parameters gh_parameters(const std::string& group) {
  return gh::Parameters(ParameterSet::named(group));
}

// The numbers that generation needs, for any size.
gh::Parameters sized(std::size_t n, std::size_t t, std::size_t inverse_bits) {
  gh::Parameters parameters = gh_parameters("gh-mini");
  parameters.n = n;
  parameters.t = t;
  parameters.inverse_bits = inverse_bits;
  return parameters;
}

gh::Lattice test_lattice(const gh::Parameters& parameters, const std::string& seed = "lattice",
                         const Monitor& monitor = {}) {
  TestRandom random(seed);
  return gh::generate_lattice(parameters, open_backend(), random, monitor);
}

// The centred residues of w r^i, i = 0 ... n-1.
Polynomial powers_times_w(const gh::Lattice& lattice) {
  const auto ring = open_backend()->ring(lattice.d);
  const Operand r = ring->prepare(lattice.r);
  Polynomial result;
  Integer power = ring->reduce(lattice.w.value());
  for (std::size_t i = 0; i < lattice.v.size(); ++i) {
    result.push_back(centered(power, lattice.d));
    power = ring->multiply(power, r);
  }
  return result;
}

// v at 1/r = -r^(n-1), modulo d.
Integer value_at_inverse_root(const gh::Lattice& lattice) {
  const auto ring = open_backend()->ring(lattice.d);
  const std::size_t n = lattice.v.size();
  Integer power = 1;
  for (std::size_t i = 0; i + 1 < n; ++i) power = ring->multiply(power, lattice.r);
  const Operand root = ring->prepare(lattice.d - power);
  Integer value;
  for (std::size_t i = n; i-- > 0;) {
    value = ring->add(ring->multiply(value, root), ring->reduce(lattice.v[i]));
  }
  return value;
}

void check_generator(const gh::Lattice& lattice, const gh::Parameters& parameters) {
  const Integer bound = power_of_two(parameters.t - 1);
  REQUIRE(lattice.v.size() == parameters.n);
  Integer sum;
  for (std::size_t i = 0; i < parameters.n; ++i) {
    CHECK((lattice.v[i] >= -bound && lattice.v[i] < bound));
    sum += lattice.v[i];
  }
  CHECK(is_odd(sum));
}

// What needs no more than the four numbers.
void check_numbers(const gh::Lattice& lattice, const gh::Parameters& parameters) {
  CHECK(is_odd(lattice.d));
  CHECK(bit_length(lattice.d) >= parameters.min_determinant_bits());
  CHECK(bit_length(lattice.d) <= parameters.max_determinant_bits());
  CHECK((lattice.r >= 0 && lattice.r < lattice.d));
  CHECK(is_odd(lattice.w.value()));
  CHECK(2 * abs(lattice.w.value()) < lattice.d);
  CHECK(gcd(lattice.w.value(), lattice.d) == 1);
  CHECK(value_at_inverse_root(lattice) == 0);
  Integer minus_one;
  mpz_powm_ui(minus_one.get_mpz_t(), lattice.r.get_mpz_t(), parameters.n, lattice.d.get_mpz_t());
  CHECK(minus_one == lattice.d - 1);
}

// sum_i (w_i / d)^2 = rms_j 1/|v(zeta_j)|^2 by Parseval: the guarantee of inverse_bits, exactly.
void check_inverse_length(const gh::Lattice& lattice, const Polynomial& w,
                          const gh::Parameters& parameters) {
  Integer squares;
  for (const Integer& x : w) squares += x * x;
  CHECK((squares << (2 * parameters.inverse_bits)) <= lattice.d * lattice.d);
  const double exact = log2_of(squares) / 2 - log2_of(lattice.d);
  const double bound = gh::Embedding(lattice.v, parameters.t - 1).inverse_rms_log2();
  CHECK(bound > exact);
  CHECK(bound - exact < 1e-7);
}

// The residues w r^i are d / v times a power of x: all of them have the product d with v, but for
// the place, and w is the first odd one.
void check_scaled_inverse(const gh::Lattice& lattice, const Polynomial& w, const Polynomial& dw) {
  const auto place = std::ranges::find_if(dw, [](const Integer& x) { return x != 0; });
  REQUIRE(place != dw.end());
  const auto position = static_cast<std::size_t>(place - dw.begin());
  CHECK(*place == (position == 0 ? lattice.d : Integer(-lattice.d)));
  CHECK(std::count(dw.begin(), dw.end(), 0) == static_cast<std::ptrdiff_t>(dw.size()) - 1);
  // Before w = w_k came the even w_0 ... w_(k-1), which stand, negated, at the end.
  for (std::size_t i = position == 0 ? w.size() : position; i < w.size(); ++i)
    CHECK_FALSE(is_odd(w[i]));
}

void check_lattice(const gh::Lattice& lattice, const gh::Parameters& parameters) {
  CAPTURE(parameters.n, parameters.t);
  check_generator(lattice, parameters);
  check_numbers(lattice, parameters);
  const Polynomial w = powers_times_w(lattice);
  check_inverse_length(lattice, w, parameters);
}

// c = b + 2 u(r) with coefficients of u from {-1, 0, 1}.
Integer fresh_ciphertext(const gh::Lattice& lattice, bool bit, Operands& random) {
  Integer u;
  for (std::size_t i = 0; i < lattice.v.size(); ++i) {
    const std::size_t draw = random.between(0, 15);
    u = u * lattice.r + (draw == 0 ? -1 : draw == 1 ? 1 : 0);
    u = oracle::mod(u, lattice.d);
  }
  return oracle::mod(2 * u + (bit ? 1 : 0), lattice.d);
}

// The ciphertext with that centred residue.
Integer with_residue(const Integer& residue, const Integer& w, const Integer& d) {
  Integer inverse;
  REQUIRE(mpz_invert(inverse.get_mpz_t(), w.get_mpz_t(), d.get_mpz_t()) != 0);
  return oracle::mod(residue * inverse, d);
}

void check_decryption(const gh::GhSecretMaterial& key, const gh::Parameters& parameters,
                      const Integer& c) {
  const Integer exact = centered(oracle::mod(c * key.w(), key.modulus()), key.modulus());
  CHECK(key.noise(c).value() == exact);
  const NoiseBound noise = key.measure_noise(c);
  const SecretMaterial::Decryption result = key.decrypt(c, noise);
  const double bits = exact == 0 ? 0
                                 : std::max(0.0, log2_of(exact) - log2_of(key.modulus()) +
                                                     static_cast<double>(parameters.inverse_bits));
  CHECK(result.bits.front() == is_odd(exact));
  CHECK(result.within_claim);
  CHECK(noise.bits() >= bits - 1e-9);
  CHECK(noise.bits() <= bits + 3.0 / NoiseBound::kUnitsPerBit);
}

ObjectHeader secret_header() {
  return {.kind = ObjectKind::secret_key,
          .test_key = true,
          .scheme = "gh",
          .parameters = "gh-mini",
          .parameters_digest = sha256("group"),
          .key_id = sha256("key")};
}

// A secret key file with these contents of `w` and `d`, of so many bytes.
std::filesystem::path written_key(const TemporaryDirectory& directory, const Integer& w,
                                  std::size_t w_bytes, const Integer& d, std::size_t d_bytes) {
  const std::filesystem::path path = directory / "secret";
  ContainerWriter out(path, secret_header(), 3);
  out.begin_section("params");
  out.begin_section("w");
  out.write_integer(w, 8 * w_bytes);
  out.begin_section("d");
  out.write_integer(d, 8 * d_bytes);
  out.commit();
  return path;
}

std::unique_ptr<const gh::GhSecretMaterial> read_key(const gh::Parameters& parameters,
                                                     const std::filesystem::path& path) {
  ContainerReader in(path);
  return gh::GhSecretMaterial::read(parameters, in);
}

}  // namespace

TEST_CASE("polynomials come back from packing", "[gh]") {
  Operands random(1);
  for (const std::size_t n : {1U, 2U, 4U, 64U}) {
    for (const std::size_t bits : {1U, 62U, 63U, 64U, 65U, 127U, 128U, 500U}) {
      CAPTURE(n, bits);
      const gh::KroneckerRing ring(n, bits);
      std::vector<Polynomial> all = extreme_polynomials(n, bits);
      for (int i = 0; i < 4; ++i) all.push_back(random_polynomial(random, n, bits));
      for (const Polynomial& f : all) {
        const SecretInteger packed = ring.pack(secret(f), 0, 1);
        CHECK(opened(ring.unpack(packed.value())) == f);
        CHECK(opened(ring.unpack(ring.times_x(packed.value()).value())) == times_x(f));
      }
    }
  }
}

TEST_CASE("halves of polynomials are packed", "[gh]") {
  Operands random(2);
  const Polynomial f = random_polynomial(random, 64, 100);
  const gh::KroneckerRing ring(32, 100);
  CHECK(opened(ring.unpack(ring.pack(secret(f), 0, 2).value())) == half(f, 0));
  CHECK(opened(ring.unpack(ring.pack(secret(f), 1, 2).value())) == half(f, 1));
}

TEST_CASE("packed products are the products modulo x^n + 1", "[gh]") {
  Operands random(3);
  for (const std::size_t log_n : {0U, 1U, 2U, 5U}) {
    const std::size_t n = std::size_t{1} << log_n;
    // The longest coefficient has 2 bits + log n: products that fill their slots but for the sign,
    // and products one bit longer, which take another limb.
    for (const std::size_t slots : {1U, 2U, 3U}) {
      for (const std::size_t extra : {0U, 1U, 2U}) {
        const std::size_t bits = (64 * slots - 2 - log_n + extra) / 2;
        CAPTURE(n, bits);
        std::vector<Polynomial> all = extreme_polynomials(n, bits);
        all.push_back(random_polynomial(random, n, bits));
        for (const Polynomial& f : all) {
          for (const Polynomial& g : all) {
            CHECK(packed_product(f, g, 2 * bits + log_n) == product(f, g));
          }
        }
      }
    }
  }
}

TEST_CASE("polynomials of many parts are packed and multiplied", "[gh]") {
  constexpr std::size_t kCount = 1 << 15;
  Operands random(4);
  const Polynomial f = random_polynomial(random, kCount, 90);
  Polynomial g(kCount);  // x^(n-1) - 3 x: cheap to multiply by
  g[kCount - 1] = 1;
  g[1] = -3;
  Polynomial expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const Integer shifted_down = i + 1 < kCount ? Integer(-f[i + 1]) : f[0];
    const Integer shifted_up = i > 0 ? f[i - 1] : Integer(-f[kCount - 1]);
    expected[i] = shifted_down - 3 * shifted_up;
  }
  CHECK(packed_product(f, g, 92) == expected);
}

TEST_CASE("halving gives determinant and inverse of every small polynomial", "[gh]") {
  const BackendPtr backend = open_backend();
  for (const std::size_t n : {2U, 4U}) {
    for (std::size_t code = 0; code < (n == 2 ? 25U : 625U); ++code) {
      Polynomial v(n);
      for (std::size_t i = 0, rest = code; i < n; ++i, rest /= 5) {
        v[i] = static_cast<long>(rest % 5) - 2;
      }
      const FullInverse expected = full_inverse(v);
      Polynomial constant(n);
      constant[0] = expected.d;
      REQUIRE(product(v, expected.w) == constant);
      const gh::ScaledInverse inverse = inverse_of(v, backend);
      CHECK(inverse.d == expected.d);
      CHECK(inverse.w0.value() == expected.w[0]);
      CHECK(inverse.w1.value() == expected.w[1]);
    }
  }
}

TEST_CASE("halving gives determinant and inverse of random polynomials on every backend", "[gh]") {
  Operands random(5);
  for (const BackendPtr& backend : backends_under_test()) {
    for (const std::size_t n : {2U, 8U, 64U}) {
      for (const std::size_t bits : {1U, 63U, 64U, 380U}) {
        CAPTURE(backend->info().name, n, bits);
        for (const Polynomial& v :
             {random_polynomial(random, n, bits), Polynomial(n, -all_ones(bits))}) {
          const FullInverse expected = full_inverse(v);
          const gh::ScaledInverse inverse = inverse_of(v, backend);
          CHECK(inverse.d == expected.d);
          CHECK(inverse.w0.value() == expected.w[0]);
          CHECK(inverse.w1.value() == expected.w[1]);
        }
      }
    }
  }
}

TEST_CASE("lattices agree with the vectors", "[gh]") {
  const nlohmann::json vectors = scheme_vectors("gh_keygen");
  REQUIRE(vectors.size() >= 4);
  const BackendPtr backend = open_backend();
  for (const auto& vector : vectors) {
    Polynomial v;
    for (const auto& x : vector.at("v")) v.emplace_back(x.get<long>());
    CAPTURE(v.size());
    const gh::ScaledInverse inverse = inverse_of(v, backend);
    CHECK(inverse.d == from_hex(vector.at("d")));
    CHECK(inverse.w0.value() == from_hex(vector.at("w0")));
    CHECK(inverse.w1.value() == from_hex(vector.at("w1")));
    const std::optional<gh::Lattice> lattice = gh::lattice_of(secret(v), backend, {});
    REQUIRE(lattice);
    CHECK(lattice->d == inverse.d);
    CHECK(lattice->r == from_hex(vector.at("r")));
    Integer w = inverse.w0.value();
    for (int i = 0; i < vector.at("odd_index").get<int>(); ++i) {
      CHECK_FALSE(is_odd(w));
      w = centered(w * lattice->r, lattice->d);
    }
    CHECK(is_odd(w));
    CHECK(lattice->w.value() == w);
  }
}

TEST_CASE("embeddings are the values of the polynomial within their error", "[gh]") {
  Operands random(6);
  for (const std::size_t n : {2U, 4U, 8U, 64U, 256U}) {
    CAPTURE(n);
    for (const Polynomial& v : {random_polynomial(random, n, 50), Polynomial(n, all_ones(50)),
                                Polynomial(n, -power_of_two(50))}) {
      const gh::Embedding embedding(secret(v), 50);
      const auto expected = values_by_sum(v);
      REQUIRE(embedding.values().size() == n);
      CHECK(embedding.error() < 1e-13 * static_cast<double>(n));
      for (std::size_t j = 0; j < n; ++j) {
        const std::complex<long double> value(embedding.values()[j]);
        CHECK(std::abs(value * std::exp2(50.0L) - expected[j]) <=
              static_cast<long double>(std::ldexp(embedding.error(), 50)));
      }
    }
  }
}

TEST_CASE("the product of the embeddings is the determinant", "[gh]") {
  Operands random(7);
  const BackendPtr backend = open_backend();
  for (const std::size_t n : {2U, 16U, 128U, 1024U}) {
    const Polynomial v = random_polynomial(random, n, 380);
    const gh::Embedding embedding(secret(v), 380);
    double sum = 380.0 * static_cast<double>(n);
    for (const std::complex<double>& value : embedding.values()) sum += std::log2(std::abs(value));
    CHECK(sum == Approx(log2_of(inverse_of(v, backend).d)).epsilon(1e-11));
  }
}

TEST_CASE("an inverse that may not exist has no bound", "[gh]") {
  CHECK(std::isinf(gh::Embedding(SecretIntegers(16), 10).inverse_rms_log2()));
  // x^2 - 2 cos(pi/16) x + 1 is 0 at zeta_0, and no further from it than the error when rounded.
  Polynomial v(16);
  v[0] = v[2] = power_of_two(200);
  v[1] = Integer(-std::ldexp(std::cos(std::numbers::pi / 16), 53)) << 148;
  CHECK(std::isinf(gh::Embedding(secret(v), 200).inverse_rms_log2()));
  Polynomial one(16);
  one[0] = 1024;
  const double bound = gh::Embedding(secret(one), 3).inverse_rms_log2();
  CHECK(bound > -10);
  CHECK(bound < -10 + 2e-9);
}

TEST_CASE("a generated lattice fulfils the equations of the scheme", "[gh]") {
  for (const std::size_t n : {4U, 8U, 16U, 32U, 128U}) {
    const gh::Parameters parameters = sized(n, 380, 376);
    for (const std::string seed : {"a", "b", "c"}) {
      const gh::Lattice lattice = test_lattice(parameters, seed);
      check_lattice(lattice, parameters);
      const Polynomial w = powers_times_w(lattice);
      check_scaled_inverse(lattice, w, product(w, opened(lattice.v)));
    }
  }
}

TEST_CASE("lattices of tiny generators fulfil them too, after restarts", "[gh]") {
  const gh::Parameters parameters = sized(4, 4, 2);
  std::size_t restarts = 0;
  Monitor monitor;
  monitor.progress = [&restarts](std::string_view, double done) { restarts += done == 0 ? 1 : 0; };
  constexpr std::size_t kSeeds = 60;
  for (std::size_t seed = 0; seed < kSeeds; ++seed) {
    const gh::Lattice lattice = test_lattice(parameters, std::to_string(seed), monitor);
    check_lattice(lattice, parameters);
    const Polynomial w = powers_times_w(lattice);
    check_scaled_inverse(lattice, w, product(w, opened(lattice.v)));
  }
  CHECK(restarts > kSeeds);
}

TEST_CASE("a generator whose w_0 is not invertible has no lattice", "[gh]") {
  // 3 = 3 + 0 x + ...: w = d / 3 is a constant, and so w_1 = 0 is no multiple of it by a root.
  CHECK_FALSE(gh::lattice_of(secret({3, 0, 0, 0}), open_backend(), {}));
}

TEST_CASE("a device that multiplies wrongly makes no lattice", "[gh]") {
  CHECK(gh::lattice_of(secret({2, 1, 0, 0}), open_backend(), {}));
  CHECK_FALSE(gh::lattice_of(secret({2, 1, 0, 0}), std::make_shared<const ForgetfulBackend>(), {}));
}

TEST_CASE("the lattice of gh-512 fulfils the equations of the scheme", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-512");
  const gh::Lattice lattice = test_lattice(parameters);
  check_lattice(lattice, parameters);
  // Modulo a prime, the product in full takes no time; a wrong one passes with probability 2^-61.
  const Integer prime = power_of_two(61) - 1;
  Polynomial w = powers_times_w(lattice);
  Polynomial v = opened(lattice.v);
  for (Integer& x : w) x = oracle::mod(x, prime);
  for (Integer& x : v) x = oracle::mod(x, prime);
  Polynomial dw = product(w, v);
  for (Integer& x : dw) x = oracle::mod(x, prime);
  const Integer d = oracle::mod(lattice.d, prime);
  CHECK(std::count(dw.begin(), dw.end(), 0) == static_cast<std::ptrdiff_t>(dw.size()) - 1);
  const Integer expected = dw[0] != 0 ? d : Integer(prime - d);
  CHECK(std::count(dw.begin(), dw.end(), expected) == 1);
}

TEST_CASE("determinants are as long as the formula says", "[gh]") {
  for (const std::string group : {"gh-512", "gh-2048"}) {
    const gh::Parameters parameters = gh_parameters(group);
    const auto n = static_cast<double>(parameters.n);
    const double expected =
        n * (static_cast<double>(parameters.t) - 1.79 + std::log2(n) / 2 - 0.416);
    for (const std::string seed : {"a", "b"}) {
      CHECK(log2_of(test_lattice(parameters, seed).d) == Approx(expected).epsilon(1e-3));
    }
  }
}

TEST_CASE("lattices depend on the randomness alone", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const gh::Lattice lattice = test_lattice(parameters, "one");
  const gh::Lattice same = test_lattice(parameters, "one");
  const gh::Lattice other = test_lattice(parameters, "two");
  CHECK(opened(lattice.v) == opened(same.v));
  CHECK(lattice.d == same.d);
  CHECK(lattice.r == same.r);
  CHECK(lattice.w.value() == same.w.value());
  CHECK(opened(lattice.v) != opened(other.v));
  CHECK(lattice.d != other.d);
  for (const BackendPtr& backend : backends_under_test()) {
    TestRandom random("one");
    CHECK(gh::generate_lattice(parameters, backend, random, {}).r == lattice.r);
  }
}

TEST_CASE("a bound that no generator meets is an error", "[gh]") {
  std::size_t reports = 0;
  Monitor monitor;
  monitor.progress = [&reports](std::string_view, double) { ++reports; };
  CHECK_THROWS_MATCHES(test_lattice(sized(32, 380, 1000), "lattice", monitor), Error,
                       HasCode(ErrorCode::invalid_parameters, "inverse_bits = 1000"));
  CHECK(reports == 0);
}

TEST_CASE("generation of a lattice reports and stops", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  std::vector<double> fractions;
  Monitor monitor;
  monitor.progress = [&fractions](std::string_view phase, double done) {
    CHECK(phase == "lattice");
    fractions.push_back(done);
  };
  static_cast<void>(test_lattice(parameters, "lattice", monitor));
  CHECK(fractions.size() >= 2 * 5 + 2);
  CHECK(std::ranges::is_sorted(fractions));
  CHECK(fractions.front() == 0);
  CHECK(fractions.back() == 1);

  CHECK_THROWS_MATCHES(test_lattice(parameters, "lattice", stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
  // Stopped at any of its checkpoints.
  for (const double when : fractions) {
    if (when == 1) continue;
    std::stop_source source;
    Monitor stopping;
    stopping.stop = source.get_token();
    stopping.progress = [&](std::string_view, double done) {
      if (done >= when) source.request_stop();
    };
    CHECK_THROWS_MATCHES(test_lattice(parameters, "lattice", stopping), Error,
                         HasCode(ErrorCode::stopped));
  }
}

TEST_CASE("multiples of a secret ratio are as near to integers as it says", "[gh]") {
  Operands random(10);
  for (const std::size_t bits : {2U, 63U, 64U, 65U, 128U, 129U, 700U}) {
    for (const std::size_t fraction_bits : {1U, 60U, 64U, 130U}) {
      CAPTURE(bits, fraction_bits);
      for (int i = 0; i < 20; ++i) {
        const Integer d = i == 0 ? all_ones(bits) : random.exactly(bits);
        const Integer w = random.with_random_sign(random.below(d));
        const Integer c = i == 1 ? Integer(d - 1) : random.below(d);
        const gh::FixedPointRatio ratio(w, d, fraction_bits);
        const auto nearest = ratio.nearest(c);
        // |[c w]_d| <= distance d / 2^unit_bits < |[c w]_d| + d / 2^fraction_bits.
        const Integer residue = centered(c * abs(w), d);
        const Integer quotient = (c * abs(w) - residue) / d;
        const Integer distance = nearest.distance.to_integer().value();
        const Integer scaled = distance * d;
        CHECK((abs(residue) << ratio.unit_bits()) <= scaled);
        CHECK(scaled <
              (((abs(residue) << fraction_bits) + d) << (ratio.unit_bits() - fraction_bits)));
        if (2 * distance < power_of_two(ratio.unit_bits())) {
          CHECK(nearest.odd == is_odd(quotient));
        }
      }
    }
  }
}

TEST_CASE("a GH secret key decrypts fresh ciphertexts", "[gh]") {
  Operands random(8);
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const gh::Lattice lattice = test_lattice(parameters);
  const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), lattice.d);
  CHECK(key.modulus() == lattice.d);
  for (int i = 0; i < 40; ++i) {
    const bool bit = i % 2 != 0;
    const Integer c = fresh_ciphertext(lattice, bit, random);
    const SecretMaterial::Decryption result = key.decrypt(c, parameters.fresh_noise());
    CHECK(result.bits.front() == bit);
    CHECK(result.within_claim);
    CHECK(key.measure_noise(c) <= parameters.fresh_noise());
    check_decryption(key, parameters, c);
  }
}

TEST_CASE("GH decryption is the plain centred residue, whatever its length", "[gh]") {
  Operands random(9);
  for (const std::string group : {"gh-mini", "gh-512"}) {
    const gh::Parameters parameters = gh_parameters(group);
    for (const std::string seed : {"a", "b"}) {
      const gh::Lattice lattice = test_lattice(parameters, seed);
      const Integer& d = lattice.d;
      const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), d);
      for (const Integer& c : {Integer(0), Integer(1), Integer(2), Integer(d / 2), Integer(d - 1)})
        check_decryption(key, parameters, c);
      for (int i = 0; i < 10; ++i) check_decryption(key, parameters, random.below(d));
      for (const std::size_t shift : {2U, 3U, 64U, 200U, 378U, 385U, 500U, 12000U}) {
        for (const int offset : {-1, 0, 1}) {
          const Integer residue = random.with_random_sign((d >> shift) + offset);
          check_decryption(key, parameters, with_residue(residue, key.w(), d));
        }
      }
    }
  }
}

TEST_CASE("GH noise of exactly the claim is within it", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const gh::Lattice lattice = test_lattice(parameters);
  const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), lattice.d);
  for (std::uint32_t bits = 0; bits < 370; bits += 10) {
    CAPTURE(bits);
    const Integer most = lattice.d >> (parameters.inverse_bits - bits);
    const NoiseBound claim = NoiseBound::from_bits(bits);
    CHECK(key.decrypt(with_residue(most, key.w(), lattice.d), claim).within_claim);
    CHECK(key.decrypt(with_residue(-most, key.w(), lattice.d), claim).within_claim);
  }
}

TEST_CASE("GH noise just past the limit is seen", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const gh::Lattice lattice = test_lattice(parameters);
  const Integer& d = lattice.d;
  const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), d);
  const NoiseBound limit = key.noise_rule().decrypt_limit;
  for (const Integer& residue : {Integer(d / 2), Integer(-(d / 2)), Integer(d / 2 - 1)}) {
    const Integer c = with_residue(residue, key.w(), d);
    CHECK(key.noise(c).value() == residue);
    CHECK(key.measure_noise(c) > limit);
    CHECK_FALSE(key.decrypt(c, limit).within_claim);
  }
  const Integer within = d / 2 - (d >> 9);
  CHECK(key.measure_noise(with_residue(within, key.w(), d)) <= limit);
  CHECK(key.decrypt(with_residue(within, key.w(), d), limit).within_claim);
  check_decryption(key, parameters, with_residue(within, key.w(), d));
}

TEST_CASE("GH secret keys come back from files", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const TemporaryDirectory directory;
  int negative = 0;
  for (const std::string seed : {"a", "b", "c", "d", "e", "f"}) {
    const gh::Lattice lattice = test_lattice(parameters, seed);
    const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), lattice.d);
    const std::filesystem::path path = directory / seed;
    ContainerWriter out(path, secret_header(), 1 + key.section_count());
    out.begin_section("params");
    key.write(out);
    out.commit();
    const auto copy = read_key(parameters, path);
    CHECK(copy->w() == key.w());
    CHECK(copy->modulus() == key.modulus());
    check_decryption(*copy, parameters, key.modulus() / 3);
    negative += key.w() < 0 ? 1 : 0;
  }
  CHECK(negative > 0);
  CHECK(negative < 6);
}

TEST_CASE("impossible GH secret keys are refused", "[gh]") {
  const gh::Parameters parameters = gh_parameters("gh-mini");
  const gh::Lattice lattice = test_lattice(parameters);
  const Integer& d = lattice.d;
  const Integer w = oracle::mod(lattice.w.value(), d);
  const std::size_t bytes = bytes_for_bits(bit_length(d));
  const TemporaryDirectory directory;
  const auto refused = [&](const Integer& bad_w, std::size_t w_bytes, const Integer& bad_d,
                           std::size_t d_bytes, const std::string& what) {
    const auto path = written_key(directory, bad_w, w_bytes, bad_d, d_bytes);
    CHECK_THROWS_MATCHES(read_key(parameters, path), Error,
                         HasCode(ErrorCode::malformed_file, what));
  };
  CHECK(read_key(parameters, written_key(directory, w, bytes, d, bytes))->modulus() == d);
  refused(w, bytes, d + 1, bytes, "d is even");
  refused(w, bytes, d, bytes + 1, "leading zeros");
  refused(w, bytes, (Integer(1) << (8 * bytes - 16)) + 1, bytes, "leading zeros");
  refused(1, 8, 3, 8, "'d'");
  refused(w, bytes, d, 2 * bytes, "'d'");
  refused(w, bytes + 1, d, bytes, "'w'");
  refused(w >> 8, bytes - 1, d, bytes, "'w'");
  refused(0, bytes, d, bytes, "w is even");
  refused(2, bytes, d, bytes, "w is even");
  refused(d - 2, bytes, d, bytes, "w is even");
  const Integer longest = d / 2 - (is_odd(d / 2) ? 0 : 1);
  refused(longest, bytes, d, bytes, "longer");
  refused(d - longest, bytes, d, bytes, "longer");
  refused(all_ones(bit_length(d)), bytes, d, bytes, "not reduced");
  refused(d, bytes, d, bytes, "not reduced");
}

TEST_CASE("lattices of the large groups", "[gh][long]") {
  for (const std::string group : {"gh-2048", "gh-8192", "gh-32768"}) {
    const gh::Parameters parameters = gh_parameters(group);
    const auto start = std::chrono::steady_clock::now();
    const gh::Lattice lattice = test_lattice(parameters);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    WARN(group << ": " << seconds.count() << " s for a lattice of " << bit_length(lattice.d)
               << " bits");
    check_generator(lattice, parameters);
    CHECK(is_odd(lattice.w.value()));
    CHECK(bit_length(lattice.d) >= parameters.min_determinant_bits());
    CHECK(bit_length(lattice.d) <= parameters.max_determinant_bits());
    const auto ring = open_backend()->ring(lattice.d);
    const Integer next =
        centered(ring->multiply(ring->reduce(lattice.w.value()), lattice.r), lattice.d);
    // w_(i+1) = w_i r is as short as the inverse of v promises only for the right r.
    CHECK(bit_length(next) + parameters.inverse_bits <= bit_length(lattice.d) + 1);
    const gh::GhSecretMaterial key(parameters, SecretInteger(lattice.w.value()), lattice.d);
    const Integer c = oracle::mod(2 * lattice.r + 1, lattice.d);
    const NoiseBound noise = NoiseBound::from_bits(2);
    CHECK(key.decrypt(c, noise).bits.front());
    CHECK(key.decrypt(c, noise).within_claim);
    CHECK(key.measure_noise(c) <= noise);
  }
}

}  // namespace fhe::test

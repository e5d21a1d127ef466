// SPDX-License-Identifier: Apache-2.0
// The DGHV family: secret key, modulus, squashed key, compression, expansion and recryption, each
// compared with its definition in plain integer arithmetic.
#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/check.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/expanded.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/vectors.hpp"

namespace fhe::test {

namespace {

// The inside of a pair of test keys.
struct Laid {
  const KeyPair& keys;
  const cnt::CntPublicMaterial& open;
  const dghv::DghvSecretMaterial& secret;
  const cnt::Parameters& parameters;
};

Laid laid_open(const std::string& group, const std::string& seed = "shared") {
  const KeyPair& keys = test_keys(group, seed);
  const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
  return {keys, open, dghv_part(keys.secret_key), open.parameters()};
}

// Decrypts by p, with a modulus of about `modulus_bits` bits.
dghv::DghvSecretMaterial secret_of(const Integer& p, std::size_t modulus_bits) {
  const dghv::Parameters parameters(ParameterSet::named("cnt-mini"));
  const Integer x0 = p * (power_of_two(modulus_bits - bit_length(p)) + 1);
  return {parameters, dghv::SecretPrimes(SecretInteger(p)),
          std::vector<SecretIndices>(1, SecretIndices(parameters.theta)), x0};
}

void check_decryption(const dghv::DghvSecretMaterial& secret, const Integer& c) {
  CAPTURE(c, secret.p());
  const Integer expected = centered(c, secret.p());
  const NoiseBound noise = NoiseBound::from_magnitude(expected);
  const SecretMaterial::Decryption result = secret.decrypt(c, noise);
  CHECK(secret.noise(c).value() == expected);
  CHECK(result.bits.front() == (mpz_odd_p(expected.get_mpz_t()) != 0));
  CHECK(result.within_claim);
  CHECK(secret.measure_noise(c) == noise);
}

// Zero, multiples of p, and what is beside them and beside p/2.
std::vector<Integer> awkward_values(const Integer& p, const Integer& x0) {
  std::vector<Integer> values{0, 1, x0 - 1};
  for (const Integer& multiple : {Integer(0), Integer(1), Integer(2), Integer(x0 / p - 1)}) {
    for (const Integer& offset : {Integer(0), Integer(1), Integer(p / 2 - 1), Integer(p / 2),
                                  Integer(p / 2 + 1), Integer(p / 2 + 2), Integer(p - 1)}) {
      values.emplace_back(multiple * p + offset);
    }
  }
  return values;
}

// The product of all primes up to `limit`.
Integer primorial(unsigned long limit) {
  Integer result;
  mpz_primorial_ui(result.get_mpz_t(), limit);
  return result;
}

bool is_prime(const Integer& x) {
  return mpz_probab_prime_p(x.get_mpz_t(), 40) != 0;
}

void check_modulus(const dghv::Modulus& modulus, std::size_t eta, std::size_t gamma) {
  const Integer& p = modulus.primes.product();
  CHECK(bit_length(p) == eta);
  CHECK(is_prime(p));
  CHECK(bit_length(modulus.x0) == gamma);
  CHECK(mpz_odd_p(modulus.x0.get_mpz_t()) != 0);
  CHECK(modulus.x0 % p == 0);
  // p itself is out of the way: in the smallest sizes it is below the limit.
  const Integer q0 = modulus.x0 / p;
  CHECK(q0 % p != 0);
}

// Whether x has no prime factor up to `limit`.
bool has_no_factor_up_to(unsigned long limit, const Integer& x) {
  return gcd(x, primorial(limit)) == 1;
}

// The sum over the block of the positive noise terms, and of the negative ones.
std::pair<Integer, Integer> extreme_sums(const std::vector<Integer>& noise, std::size_t first,
                                         std::size_t count) {
  Integer positive;
  Integer negative;
  for (std::size_t i = first; i < first + count; ++i) {
    (noise[i] > 0 ? positive : negative) += noise[i];
  }
  return {positive, negative};
}

void check_key_bit_noise(const dghv::Parameters& parameters, const SecretIndices& ones,
                         const std::vector<Integer>& noise) {
  REQUIRE(noise.size() == parameters.Theta);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const bool one = std::ranges::count(ones, static_cast<std::uint32_t>(i)) == 1;
    CHECK(mpz_odd_p(noise[i].get_mpz_t()) == (one ? 1 : 0));
    CHECK(bit_length(noise[i]) <= parameters.rho + 1);
  }
  std::vector<Integer> sums;  // what each bit of the numbers that the adder sums can reach
  for (const dghv::Box& box : parameters.boxes()) {
    const auto [positive, negative] = extreme_sums(noise, box.first, box.size);
    sums.insert(sums.end(), parameters.precision + 1, std::max(positive, Integer(-negative)));
  }
  for (const std::string& name : AdderProgram::names()) {
    CAPTURE(name);
    const AdderProgram adder = parameters.adder_program(name);
    const Integer reached = adder.run(
        sums, [](const Integer& x, const Integer& y) { return Integer(x + y); },
        [](const Integer& x, const Integer& y) { return Integer(x * y); });
    CHECK(NoiseBound::from_magnitude(reached + 1) <= parameters.refreshed_noise(adder));
  }
}

std::vector<Integer> drawn_noise(const dghv::Parameters& parameters, const SecretIndices& ones,
                                 SecretRandom& random) {
  const SecretIntegers noise = dghv::draw_key_bit_noise(parameters, ones, random);
  std::vector<Integer> result;
  for (std::size_t i = 0; i < noise.size(); ++i) result.push_back(noise[i]);
  return result;
}

// m = round(sum of s_i z_i) + c modulo 2, the z_i as fixed-point numbers.
bool decrypt_expanded(const Laid& laid, const std::vector<std::uint32_t>& z, const Integer& c) {
  std::uint64_t sum = 0;
  for (const std::uint32_t position : laid.secret.ones()) sum += z[position];
  const std::uint64_t half = std::uint64_t{1} << (laid.parameters.precision - 1);
  const std::uint64_t rounded = (sum + half) >> laid.parameters.precision;
  return (rounded % 2 != 0) != (mpz_odd_p(c.get_mpz_t()) != 0);
}

void check_expansion(const Laid& laid, const Integer& c) {
  const std::vector<Integer> u = squash_elements(laid.open);
  const auto z = expanded(laid.parameters, laid.open.squashed(), c);
  const WindowSpec spec{.modulus_bits = laid.parameters.kappa + 1,
                        .window_bits = static_cast<unsigned>(laid.parameters.precision) + 1};
  REQUIRE(z.size() == u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    CAPTURE(i);
    CHECK(z[i] == oracle::product_window(c, u[i], spec));
  }
}

// Corrections of `parameters.tau` elements of noise 0.
std::vector<Integer> corrections_of(const Laid& laid, std::string_view seed) {
  TestRandom random(seed);
  const SecretIntegers noise(laid.parameters.tau);
  return dghv::compress(laid.parameters.correction_bits(), laid.secret.p(),
                        laid.open.element_stream(), noise, *open_backend(), random, {});
}

// The largest noise of the table of adders (10 to 2000 runs each) and a little more.
struct AdderRow {
  std::string name;
  double toy_maximum;
};
const std::vector<AdderRow> kAdderRows{{"seq2", 484}, {"seq1", 484}, {"csa", 474},
                                       {"ctr", 472},  {"ctr2", 455}, {"sym", 438}};
constexpr double kALittle = 5;

double largest_refreshed_noise(const std::string& group, const std::string& adder, int rounds) {
  const Laid laid = laid_open(group);
  const auto key_context = laid.keys.public_key.context(open_backend(), {.adder = adder});
  const Encryptor encryptor = test_encryptor(laid.keys, adder);
  const double proven =
      laid.parameters.refreshed_noise(laid.parameters.adder_program(adder)).bits();
  double largest = 0;
  for (int i = 0; i < rounds; ++i) {
    const bool bit = i % 2 != 0;
    const Ciphertext refreshed = key_context->recrypt(encryptor.encrypt(bit), {});
    const double noise = measure_noise(laid.keys.secret_key, refreshed).bits();
    CHECK(laid.secret.decrypt(refreshed.value(), refreshed.noise()).bits.front() == bit);
    CHECK(refreshed.noise().bits() == proven);
    CHECK(noise <= proven);
    largest = std::max(largest, noise);
  }
  return largest;
}

}  // namespace

TEST_CASE("decryption agrees with the vectors", "[dghv]") {
  const nlohmann::json vectors = scheme_vectors("dghv_decrypt");
  REQUIRE_FALSE(vectors.empty());
  for (const auto& vector : vectors) {
    const Integer p = from_hex(vector.at("p"));
    const Integer c = from_hex(vector.at("c"));
    const dghv::DghvSecretMaterial secret = secret_of(p, bit_length(c) + 1);
    CHECK(secret.decrypt(c, NoiseBound()).bits.front() == (vector.at("m").get<int>() != 0));
    check_decryption(secret, c);
  }
}

TEST_CASE("decryption is the plain centred residue at every size of p", "[dghv]") {
  Operands random(1);
  for (const std::size_t bits : {2U, 3U, 16U, 63U, 64U, 65U, 127U, 128U, 129U, 576U, 988U}) {
    for (const std::size_t modulus_bits : {bits + 1, bits + 63, bits + 64, bits + 65, 3000UL}) {
      // All-ones and 10...01 are the ends of the range of a p with this many bits.
      for (const Integer& p : {Integer(all_ones(bits)), Integer(power_of_two(bits - 1) + 1),
                               Integer(random.exactly(bits) | 1)}) {
        const dghv::DghvSecretMaterial secret = secret_of(p, modulus_bits);
        for (const Integer& c : awkward_values(p, secret.modulus())) check_decryption(secret, c);
        for (int i = 0; i < 4; ++i) check_decryption(secret, random.below(secret.modulus()));
      }
    }
  }
}

TEST_CASE("decryption under real keys is the plain centred residue", "[dghv]") {
  Operands random(2);
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const Integer& x0 = laid.secret.modulus();
    CHECK(x0 == laid.keys.public_key.modulus());
    for (const Integer& c : awkward_values(laid.secret.p(), x0)) check_decryption(laid.secret, c);
    for (int i = 0; i < 50; ++i) check_decryption(laid.secret, random.below(x0));
  }
}

TEST_CASE("a secret prime has exactly eta bits and is odd, as the modulus is", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  const Integer& x0 = laid.secret.modulus();
  const auto has_flaw = [&](const Integer& p, const Integer& modulus) {
    return dghv::primes_flaw(laid.parameters, std::span(&p, 1), modulus).has_value();
  };
  const std::size_t eta = laid.parameters.eta;
  for (const Integer& p : {laid.secret.p(), Integer(power_of_two(eta - 1) + 1), all_ones(eta)}) {
    CHECK_FALSE(has_flaw(p, x0));
  }
  for (const Integer& p :
       {all_ones(eta - 1), Integer(power_of_two(eta) + 1), Integer(laid.secret.p() + 1)}) {
    CHECK(has_flaw(p, x0));
  }
  for (const Integer& modulus : {Integer(x0 >> 1 | 1), Integer(2 * x0 + 1), Integer(x0 - 1)}) {
    CHECK(has_flaw(laid.secret.p(), modulus));
  }
}

TEST_CASE("the bound of recryption covers the bit that is added last", "[dghv]") {
  // Of so small noise that 1 more is more than all roundings of the bound.
  for (const std::string& name : AdderProgram::names()) {
    CAPTURE(name);
    const AdderProgram adder = AdderProgram::named(name, 2, 2);
    const Integer reached = adder.run(
        std::vector<Integer>(adder.inputs(), 1),
        [](const Integer& x, const Integer& y) { return Integer(x + y); },
        [](const Integer& x, const Integer& y) { return Integer(x * y); });
    const NoiseBound bound = dghv::recrypted_noise(adder, std::vector<NoiseBound>(adder.inputs()));
    CHECK(NoiseBound::from_magnitude(reached + 1) <= bound);
  }
}

TEST_CASE("a check of keys tells primes from composite numbers", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  CHECK(dghv::check_prime(laid.secret).passed);
  const Integer product = (power_of_two(61) - 1) * (power_of_two(89) - 1);  // of two primes
  CHECK_FALSE(dghv::check_prime(secret_of(product, 1000)).passed);
}

TEST_CASE("a check of keys passes elements of rho bits of noise, and none of more", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  const std::size_t rho = laid.parameters.rho;
  const Integer noise = centered(public_elements(laid.open).front(), laid.secret.p());
  const auto passes = [&](const Integer& wanted) {
    std::vector<Integer> delta = laid.open.delta();
    delta.front() += noise - wanted;
    return dghv::check_elements("x", {laid.open.element_stream(), delta}, laid.secret,
                                *open_backend(), {})
        .passed;
  };
  for (const int sign : {1, -1}) {
    CHECK(passes(sign * all_ones(rho)));
    CHECK_FALSE(passes(sign * power_of_two(rho)));
  }
}

TEST_CASE("a modulus is a product of p and large primes, of exactly gamma bits", "[dghv]") {
  struct Sizes {
    std::size_t eta, gamma, prime_bits;
  };
  const BackendPtr backend = open_backend();
  for (const Sizes sizes : {Sizes{16, 64, 16}, Sizes{16, 65, 16}, Sizes{40, 40 + 3 * 20, 20},
                            Sizes{40, 40 + 3 * 20 + 1, 20}, Sizes{40, 40 + 4 * 20 - 1, 20},
                            Sizes{64, 1000, 17}, Sizes{65, 1001, 64}, Sizes{576, 9216, 32}}) {
    CAPTURE(sizes.eta, sizes.gamma, sizes.prime_bits);
    for (int seed = 0; seed < 10; ++seed) {
      TestRandom random("modulus " + std::to_string(seed));
      const dghv::Modulus modulus =
          dghv::generate_modulus(1, sizes.eta, sizes.gamma, sizes.prime_bits, *backend, random, {});
      check_modulus(modulus, sizes.eta, sizes.gamma);
      CHECK(has_no_factor_up_to((1UL << (std::min<std::size_t>(sizes.prime_bits, 18) - 1)) - 1,
                                modulus.x0 / modulus.primes.product()));
    }
  }
}

TEST_CASE("a special modulus is a little less than a power of two, and rough", "[dghv]") {
  struct Sizes {
    std::size_t eta, gamma, offset_bits, rough_bits;
  };
  const BackendPtr backend = open_backend();
  for (const Sizes sizes : {Sizes{16, 96, 32, 8}, Sizes{40, 1000, 64, 12}, Sizes{65, 1001, 100, 16},
                            Sizes{576, 9216, 64, 18}, Sizes{988, 147456, 64, 16}}) {
    CAPTURE(sizes.eta, sizes.gamma, sizes.offset_bits, sizes.rough_bits);
    std::set<Integer> offsets;
    for (int seed = 0; seed < 10; ++seed) {
      TestRandom random("special modulus " + std::to_string(seed));
      const dghv::Modulus modulus = dghv::generate_special_modulus(
          sizes.eta, sizes.gamma, {sizes.offset_bits, sizes.rough_bits}, *backend, random, {});
      const Integer& p = modulus.primes.product();
      check_modulus(modulus, sizes.eta, sizes.gamma);
      const Integer q0 = modulus.x0 / p;
      CHECK(has_no_factor_up_to(1UL << sizes.rough_bits, q0));
      // r = (2^gamma mod p) + k p with k of offset_bits bits.
      const Integer r = power_of_two(sizes.gamma) - modulus.x0;
      CHECK(bit_length(r) <= sizes.eta + sizes.offset_bits);
      const Integer k = power_of_two(sizes.gamma) / p - q0;
      CHECK(r == power_of_two(sizes.gamma) % p + k * p);
      CHECK((k >= 0 && bit_length(k) <= sizes.offset_bits));
      offsets.insert(k);
    }
    CHECK(offsets.size() == 10);
    CHECK(bit_length(*offsets.rbegin()) >= sizes.offset_bits - 2);  // all below: once in 10^6
  }
}

TEST_CASE("generation of a special modulus can be stopped", "[dghv]") {
  std::stop_source source;
  source.request_stop();
  Monitor monitor;
  monitor.stop = source.get_token();
  TestRandom random("stopped");
  CHECK_THROWS_MATCHES(
      dghv::generate_special_modulus(576, 9216, {64, 18}, *open_backend(), random, monitor), Error,
      HasCode(ErrorCode::stopped));
}

TEST_CASE("the moduli of keys have no small factor", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const Integer& x0 = laid.secret.modulus();
    CHECK(bit_length(laid.secret.p()) == laid.parameters.eta);
    CHECK(is_prime(laid.secret.p()));
    CHECK(bit_length(x0) == laid.parameters.gamma);
    CHECK(x0 % laid.secret.p() == 0);
    CHECK(gcd(x0 / laid.secret.p(), laid.secret.p()) == 1);
    CHECK(laid.parameters.lambda >= 8);
    CHECK(has_no_factor_up_to(1UL << 20, x0));
  }
}

TEST_CASE("s has one 1 in each block, the first at index 0", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const SecretIndices& ones = laid.secret.ones();
    REQUIRE(ones.size() == laid.parameters.theta);
    CHECK(ones[0] == 0);
    for (std::size_t k = 0; k < ones.size(); ++k) CHECK(ones[k] / laid.parameters.block() == k);
  }
}

TEST_CASE("the ones of s are uniform in their blocks", "[dghv]") {
  const dghv::Parameters parameters(ParameterSet::named("cnt-toy"));
  TestRandom random("ones");
  std::vector<Tally<std::uint32_t>> tallies(parameters.theta);
  for (int i = 0; i < 2000; ++i) {
    const SecretIndices ones = dghv::draw_ones(parameters, random);
    for (std::size_t k = 0; k < ones.size(); ++k) tallies[k].add(ones[k]);
  }
  CHECK(tallies[0].distinct() == 1);
  for (std::size_t k = 1; k < tallies.size(); ++k) {
    CHECK(tallies[k].lowest() == k * parameters.block());
    CHECK(tallies[k].is_uniform_over(parameters.block()));
  }
}

TEST_CASE("the selected u_i sum to the inverse of p", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const std::size_t kappa = laid.parameters.kappa;
    const std::vector<Integer> u = squash_elements(laid.open);
    REQUIRE(u.size() == laid.parameters.Theta);
    Integer sum;
    for (const std::uint32_t position : laid.secret.ones()) sum += u[position];
    const Integer inverse =
        (2 * power_of_two(kappa) + laid.secret.p()) / (2 * laid.secret.p());  // rounded
    CHECK(oracle::mod(sum, power_of_two(kappa + 1)) == inverse);
    for (const Integer& element : u) CHECK((element >= 0 && bit_length(element) <= kappa + 1));
  }
}

TEST_CASE("expansion equals the exact rounding of full products", "[dghv]") {
  Operands random(3);
  const Laid mini = laid_open("cnt-mini");
  const Laid toy = laid_open("cnt-toy");
  for (const Integer& c : {Integer(0), Integer(1), Integer(mini.secret.modulus() - 1)}) {
    check_expansion(mini, c);
  }
  for (int i = 0; i < 20; ++i) check_expansion(mini, random.below(mini.secret.modulus()));
  check_expansion(toy, Integer(toy.secret.modulus() - 1));
  for (int i = 0; i < 2; ++i) check_expansion(toy, random.below(toy.secret.modulus()));
}

TEST_CASE("the selected z_i decrypt every encryption", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const Encryptor encryptor = test_encryptor(laid.keys);
    std::vector<bool> bits(40);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i % 3 == 0;
    const std::vector<Ciphertext> ciphertexts = encryptor.encrypt(bits);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const Integer& c = ciphertexts[i].value();
      const auto z = expanded(laid.parameters, laid.open.squashed(), c);
      CHECK(decrypt_expanded(laid, z, c) == bits[i]);
    }
  }
}

TEST_CASE("corrections leave exactly the noise and hide p", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const Integer limit = power_of_two(laid.parameters.correction_bits());
    TestRandom random("corrections");
    SecretIntegers noise(laid.parameters.tau);
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = uniform_centered(random, 12);
    const PublicStream chi = laid.open.element_stream();
    const std::vector<Integer> corrections =
        dghv::compress(laid.parameters.correction_bits(), laid.secret.p(), chi, noise,
                       *open_backend(), random, {});
    REQUIRE(corrections.size() == noise.size());
    for (std::size_t i = 0; i < corrections.size(); ++i) {
      CHECK(centered(chi.element(i) - corrections[i], laid.secret.p()) == noise[i]);
      CHECK((corrections[i] >= 0 && corrections[i] < limit));
    }
  }
}

// Corrections below p, one range of p wide, would tell the leading bits of p by their maximum.
TEST_CASE("corrections are spread over multiples of p", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  const Integer multiples = power_of_two(laid.parameters.correction_bits()) / laid.secret.p();
  std::size_t below_p = 0;
  std::vector<std::size_t> quarters(4);
  for (int seed = 0; seed < 60; ++seed) {
    for (const Integer& correction : corrections_of(laid, std::to_string(seed))) {
      const Integer multiple = correction / laid.secret.p();
      CHECK(multiple < multiples);
      if (multiple == 0) ++below_p;
      ++quarters[Integer(4 * multiple / multiples).get_ui()];
    }
  }
  CHECK(below_p < 30);  // one in 2^lambda to 2^(lambda+1) of 1020
  CHECK(chi_square(quarters) < chi_square_limit(quarters.size()));
}

TEST_CASE("the corrections of keys are spread over multiples of p", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    const Laid laid = laid_open(group);
    const Integer limit = power_of_two(laid.parameters.correction_bits());
    std::vector<Integer> all = laid.open.delta();
    const std::vector<Integer>& sigma = laid.open.squashed().sigma;
    all.insert(all.end(), sigma.begin(), sigma.end());
    CHECK(*std::ranges::min_element(all) >= 0);
    CHECK(*std::ranges::min_element(all) < limit / 8);
    CHECK(*std::ranges::max_element(all) < limit);
    CHECK(*std::ranges::max_element(all) > limit / 8 * 7 - laid.secret.p());
    const auto below_p =
        std::ranges::count_if(all, [&](const Integer& delta) { return delta < laid.secret.p(); });
    CHECK(below_p <= 2);
  }
}

TEST_CASE("the noise of encrypted key bits keeps recryption within its bound", "[dghv]") {
  for (const std::string group : {"cnt-mini", "cnt-toy"}) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    std::vector<Integer> noise;
    for (const Integer& sigma : encrypted_key_bits(laid.open)) {
      noise.push_back(centered(sigma, laid.secret.p()));
    }
    check_key_bit_noise(laid.parameters, laid.secret.ones(), noise);
  }
}

TEST_CASE("a tight limit on the noise of key bits is kept by drawing again", "[dghv]") {
  dghv::Parameters parameters(ParameterSet::named("cnt-toy"));
  for (const std::size_t percent : {33U, 40U, 100U}) {
    CAPTURE(percent);
    parameters.key_noise_percent = percent;
    TestRandom random("key bits " + std::to_string(percent));
    for (int i = 0; i < 10; ++i) {
      const SecretIndices ones = dghv::draw_ones(parameters, random);
      check_key_bit_noise(parameters, ones, drawn_noise(parameters, ones, random));
    }
  }
  parameters.key_noise_percent = 60;
  CHECK(parameters.key_sum_noise(parameters.boxes()[3]) == Integer(power_of_two(27) * 6));
  parameters.key_noise_percent = 10;
  TestRandom random("hopeless");
  CHECK_THROWS_MATCHES(
      dghv::draw_key_bit_noise(parameters, dghv::draw_ones(parameters, random), random), Error,
      HasCode(ErrorCode::invalid_parameters, "key_noise_percent = 10"));
}

TEST_CASE("recryption with every adder keeps the bit within the proven noise", "[dghv]") {
  CHECK(kAdderRows.size() == AdderProgram::names().size());
  for (const AdderRow& row : kAdderRows) {
    CAPTURE(row.name);
    CHECK(largest_refreshed_noise("cnt-mini", row.name, 20) > 100);
    const double toy = largest_refreshed_noise("cnt-toy", row.name, 6);
    CHECK(toy <= row.toy_maximum + kALittle);
    CHECK(toy > 380);
  }
}

TEST_CASE("recryption is right up to its noise limit, on both sides of zero", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  const auto key_context = laid.keys.public_key.context(open_backend());
  const NoiseBound limit = key_context->noise_rule().refresh_limit;
  // Just below 2^limit; the limit is a whole number of bits but for its rounding.
  const auto whole_bits = static_cast<std::size_t>(limit.bits()) + 1;
  const Integer largest = power_of_two(whole_bits) - power_of_two(whole_bits - 7);
  Operands random(4);
  for (int i = 0; i < 200; ++i) {
    const Integer noise = random.with_random_sign(largest - random.bits(10));
    const Ciphertext c = with_noise(laid.keys, noise, random.bits(9000));
    CHECK(c.noise() <= limit);
    const Ciphertext refreshed = key_context->recrypt(c, {});
    CHECK(laid.secret.decrypt(refreshed.value(), refreshed.noise()).bits.front() ==
          (mpz_odd_p(noise.get_mpz_t()) != 0));
  }
}

TEST_CASE("recryption of the extreme representatives is right", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  const auto key_context = laid.keys.public_key.context(open_backend());
  for (const Integer& noise : {Integer(0), Integer(1), Integer(-1), Integer(-2)}) {
    const Ciphertext c = with_noise(laid.keys, noise, 0);  // 0, 1, x0 - 1, x0 - 2
    const Ciphertext refreshed = key_context->recrypt(c, {});
    CHECK(laid.secret.decrypt(refreshed.value(), refreshed.noise()).bits.front() ==
          (mpz_odd_p(noise.get_mpz_t()) != 0));
  }
}

TEST_CASE("an unknown adder is refused when a key is bound", "[dghv]") {
  const Laid laid = laid_open("cnt-mini");
  CHECK_THROWS_AS(laid.keys.public_key.context(open_backend(), {.adder = "kogge-stone"}), Error);
}

}  // namespace fhe::test

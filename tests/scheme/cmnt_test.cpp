// SPDX-License-Identifier: Apache-2.0
// CMNT: key generation, the quadratic encryption, recryption with both forms of the squashed key.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/cmnt/public_material.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/secret/integers.hpp"
#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/expanded.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/oracle.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

const std::vector<std::string> kBlockGroups{"cmnt-mini", "cmnt-toy"};
const std::vector<std::string> kProductGroups{"cmnt-mini-paper", "cmnt-toy-paper"};
const std::vector<std::string> kGroups{"cmnt-mini", "cmnt-toy", "cmnt-mini-paper",
                                       "cmnt-toy-paper"};

// The inside of a pair of test keys.
struct Laid {
  const KeyPair& keys;
  const cmnt::CmntPublicMaterial& open;
  const dghv::DghvSecretMaterial& secret;
  const cmnt::Parameters& parameters;
};

Laid laid_open(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  const cmnt::CmntPublicMaterial& open = cmnt_part(keys.public_key);
  return {keys, open, dghv_part(keys.secret_key), open.parameters()};
}

std::vector<Integer> public_elements(const cmnt::CmntPublicMaterial& key) {
  std::vector<Integer> all(key.rows().begin(), key.rows().end());
  const auto columns = key.columns().elements();
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

std::vector<bool> secret_bits(const Laid& laid) {
  std::vector<bool> bits(laid.parameters.key_bits());
  for (const std::uint32_t position : laid.secret.ones()) bits.at(position) = true;
  return bits;
}

// s in full: its bits, or the products of those of s0 and s1.
std::vector<bool> squashed_key(const Laid& laid) {
  std::vector<bool> bits = secret_bits(laid);
  if (laid.parameters.form == dghv::SquashForm::blocks) return bits;
  const std::size_t side = bits.size() / 2;
  std::vector<bool> products;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) products.push_back(bits[i] && bits[side + j]);
  }
  return products;
}

// m + 2r + 2 sum b_ij x_i0 x_j1 mod x0, term by term.
Integer double_sum(const cmnt::CmntPublicMaterial& key, const std::vector<DenseWeights>& b,
                   const Integer& r, int bit) {
  Integer sum = bit + 2 * r;
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      sum += 2 * b[i][j] * key.rows()[i] * key.columns().elements()[j];
    }
  }
  return oracle::mod(sum, key.modulus());
}

// m = round(sum of s_i z_i) + c modulo 2, the z_i as fixed-point numbers.
bool decrypt_expanded(const Laid& laid, const Integer& c) {
  const auto z = expanded(laid.parameters, laid.open.squashed(), c);
  const std::vector<bool> s = squashed_key(laid);
  REQUIRE(z.size() == s.size());
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < s.size(); ++i) sum += s[i] ? z[i] : 0U;
  const std::uint64_t half = std::uint64_t{1} << (laid.parameters.precision - 1);
  const std::uint64_t rounded = (sum + half) >> laid.parameters.precision;
  return (rounded % 2 != 0) != (mpz_odd_p(c.get_mpz_t()) != 0);
}

struct Noise {
  double mean = 0;
  double deviation = 0;
  double largest = 0;
};

// The noise of `rounds` recryptions of new encryptions, each of which must decrypt and stay within
// its bound.
Noise refreshed_noise(const std::string& group, const std::string& adder, int rounds) {
  const Laid laid = laid_open(group);
  const auto key = laid.keys.public_key.context(open_backend(), {.adder = adder});
  const Encryptor encryptor = test_encryptor(laid.keys, adder);
  Noise noise;
  for (int i = 0; i < rounds; ++i) {
    const bool bit = i % 2 != 0;
    const Ciphertext refreshed = key->recrypt(encryptor.encrypt(bit), {});
    const double bits = measure_noise(laid.keys.secret_key, refreshed).bits();
    CHECK(laid.secret.decrypt(refreshed.value(), refreshed.noise()).bits.front() == bit);
    CHECK(refreshed.noise() == laid.parameters.refreshed_noise(adder));
    CHECK(bits <= refreshed.noise().bits());
    noise.mean += bits / rounds;
    noise.largest = std::max(noise.largest, bits);
  }
  return noise;
}

// The number that a pair of boxes contributes, as noise: bits of random z select from both.
std::vector<Integer> random_box_products(const SecretIntegers& noise, const dghv::Box& rows,
                                         const dghv::Box& columns, std::size_t width,
                                         SecretRandom& random) {
  std::vector<Integer> sums(width);
  for (Integer& sum : sums) {
    for (std::size_t j = columns.first; j < columns.first + columns.size; ++j) {
      Integer row_sum;
      for (std::size_t i = rows.first; i < rows.first + rows.size; ++i) {
        if (uniform_index(random, 2) == 1) row_sum += noise[i];
      }
      sum += row_sum * noise[j];
    }
  }
  return sums;
}

// The noise terms of the encrypted key bits of a random key, good or bad: key generation would try
// them out with the group's own adder and draw some of them again.
SecretIntegers untried_key_noise(const cmnt::Parameters& parameters, SecretRandom& random) {
  const auto ones = dghv::draw_ones(parameters, random);
  SecretIntegers noise(parameters.key_bits());
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = 2 * uniform_centered(random, parameters.rho);
  }
  for (const std::uint32_t one : ones) noise[one] += 1;
  return noise;
}

// The noise of recryption with keys of product form under an adder, on random keys and random z:
// exact integers, without any modulus.
Noise simulated_noise(const cmnt::Parameters& parameters, const std::string& adder, int rounds) {
  TestRandom random("simulated noise");
  const AdderProgram program = parameters.adder_program(adder);
  const std::vector<dghv::Box> boxes = parameters.boxes();
  std::vector<double> samples;
  Noise result;
  for (int round = 0; round < rounds; ++round) {
    const SecretIntegers noise = untried_key_noise(parameters, random);
    std::vector<Integer> inputs;
    for (std::size_t l = dghv::kRowBoxes; l < boxes.size(); ++l) {
      for (std::size_t k = 0; k < dghv::kRowBoxes; ++k) {
        std::ranges::move(
            random_box_products(noise, boxes[k], boxes[l], parameters.precision + 1, random),
            std::back_inserter(inputs));
      }
    }
    const Integer sum = program.run(
        std::move(inputs), [](const Integer& x, const Integer& y) { return Integer(x + y); },
        [](const Integer& x, const Integer& y) { return Integer(x * y); });
    samples.push_back(NoiseBound::from_magnitude(sum).bits());
    result.mean += samples.back() / rounds;
    result.largest = std::max(result.largest, samples.back());
  }
  double squares = 0;
  for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
  result.deviation = std::sqrt(squares / rounds);
  return result;
}

// What two refreshed ciphertexts may have so that their AND can be refreshed again.
double and_budget(const cmnt::Parameters& parameters) {
  return parameters.noise_rule().refresh_limit.bits() / 2;
}

// ANDs of two refreshed ciphertexts in a row, refreshed by the evaluator, with the noise within
// its bound at every step.
void check_chain(const std::string& group, int length) {
  const KeyPair& keys = test_keys(group);
  const Encryptor encryptor = test_encryptor(keys, "chain");
  const Evaluator evaluator(keys.public_key);
  const Decryptor decryptor(keys.secret_key);
  Operands random(11);
  bool plain = true;
  Ciphertext chain = encryptor.encrypt(plain);
  for (int i = 0; i < length; ++i) {
    // Mostly ones, or the chain would be all zeros; and an XOR to get out of zero again.
    const bool bit = random.between(0, 3) != 0;
    const Ciphertext other = evaluator.recrypt(encryptor.encrypt(bit));
    chain = evaluator.and_gate(evaluator.recrypt(chain), other);
    plain = plain && bit;
    CHECK(decryptor.decrypt(chain) == plain);
    CHECK(measure_noise(keys.secret_key, chain) <= chain.noise());
    if (!plain) {
      chain = evaluator.not_gate(chain);
      plain = true;
    }
  }
}

void check_large_group(const std::string& group, double refreshed_bits) {
  const KeyPair& keys = test_keys(group);
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const double fresh = measure_noise(keys.secret_key, c).bits();
  const cmnt::Parameters& parameters = cmnt_part(keys.public_key).parameters();
  CHECK(fresh > static_cast<double>(parameters.rho_prime) - 10);
  CHECK(fresh <= c.noise().bits());
  const Ciphertext refreshed = keys.public_key.context(open_backend())->recrypt(c, {});
  CHECK(Decryptor(keys.secret_key).decrypt(refreshed));
  const double noise = measure_noise(keys.secret_key, refreshed).bits();
  CHECK(noise <= refreshed.noise().bits());
  CHECK(noise > refreshed_bits - 60);
  CHECK(noise < refreshed_bits + 60);
}

void check_refused(const GroupText& group, const std::string& message) {
  CAPTURE(message);
  CHECK_THROWS_MATCHES(group.parse(), Error, HasCode(ErrorCode::invalid_parameters, message));
}

}  // namespace

TEST_CASE("CMNT elements are near multiples of p with little noise of both signs", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const Integer& p = laid.secret.p();
    const Integer& x0 = laid.open.modulus();
    CHECK(bit_length(p) == laid.parameters.eta);
    CHECK(bit_length(x0) == laid.parameters.gamma);
    CHECK(x0 % p == 0);
    const std::vector<Integer> elements = public_elements(laid.open);
    REQUIRE(elements.size() == 2 * laid.parameters.beta);
    CHECK(std::set<Integer>(elements.begin(), elements.end()).size() == elements.size());
    std::set<Integer> noises;
    for (const Integer& x : elements) {
      CHECK((x >= 0 && x < x0));
      const Integer noise = centered(x, p);
      CHECK(bit_length(noise) <= laid.parameters.rho);
      CHECK(gcd(x, x0 / p) == 1);
      noises.insert(noise);
    }
    CHECK(noises.size() > elements.size() / 2);
    CHECK(*noises.begin() < 0);
    CHECK(*noises.rbegin() > 0);
  }
}

TEST_CASE("CMNT key bits are encrypted with little noise, none of them literally", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const std::vector<bool> bits = secret_bits(laid);
    const std::vector<Integer> sigma = encrypted_key_bits(laid.open);
    const Integer limit = power_of_two(laid.parameters.correction_bits());
    REQUIRE(sigma.size() == bits.size());
    std::size_t noiseless = 0;
    for (std::size_t i = 0; i < sigma.size(); ++i) {
      const Integer noise = centered(sigma[i], laid.secret.p());
      CHECK((mpz_odd_p(noise.get_mpz_t()) != 0) == bits[i]);
      CHECK(bit_length(noise) <= laid.parameters.rho + 1);
      CHECK(bit_length(sigma[i]) > laid.parameters.gamma - 40);
      CHECK((laid.open.squashed().sigma[i] >= 0 && laid.open.squashed().sigma[i] < limit));
      noiseless += noise == 0 || noise == 1 ? 1U : 0U;
    }
    CHECK(noiseless <= sigma.size() / 8);
  }
}

TEST_CASE("the secret bits of CMNT have one 1 in each box, and s has 15", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const std::vector<bool> bits = secret_bits(laid);
    std::size_t end = 0;
    for (const dghv::Box& box : laid.parameters.boxes()) {
      CHECK(box.first == end);
      end = box.first + box.size;
      CHECK(std::count(bits.begin() + box.first, bits.begin() + static_cast<std::ptrdiff_t>(end),
                       true) == 1);
      if (box.known) CHECK(bits[box.first]);
    }
    CHECK(end == bits.size());
    const std::vector<bool> s = squashed_key(laid);
    CHECK(s.size() == laid.parameters.Theta);
    CHECK(std::ranges::count(s, true) == 15);
    CHECK(s[0]);
    std::vector<std::uint32_t> selected;
    for (std::uint32_t i = 0; i < s.size(); ++i) {
      if (s[i]) selected.push_back(i);
    }
    auto computed = dghv::selected_elements(laid.parameters, laid.secret.ones());
    CHECK(computed[0] == 0);
    std::ranges::sort(computed);
    CHECK(std::ranges::equal(computed, selected));
  }
}

TEST_CASE("the boxes of the product form are 3 by 5, as equal as they can be", "[cmnt]") {
  struct Row {
    std::string group;
    std::size_t side;
    double log2_keys;  // of the possible secret keys
  };
  for (const Row& row : {Row{"cmnt-toy-paper", 12, 9.2}, Row{"cmnt-small-paper", 24, 15.3},
                         Row{"cmnt-medium-paper", 45, 20.5}, Row{"cmnt-large-paper", 89, 26.4}}) {
    CAPTURE(row.group);
    const cmnt::Parameters parameters = cmnt_parameters(row.group);
    CHECK(parameters.side() == row.side);
    CHECK(parameters.key_bits() == 2 * row.side);
    const std::vector<dghv::Box> boxes = parameters.boxes();
    REQUIRE(boxes.size() == 8);
    CHECK(boxes[3].first == row.side);
    double log2_keys = 0;
    for (const dghv::Box& box : boxes) log2_keys += box.known ? 0 : std::log2(box.size);
    CHECK(std::abs(log2_keys - row.log2_keys) < 0.2);
  }
}

TEST_CASE("the selected u_i of CMNT sum to the inverse of p", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const std::size_t kappa = laid.parameters.kappa;
    const std::vector<Integer> u = squash_elements(laid.open);
    const std::vector<bool> s = squashed_key(laid);
    REQUIRE(u.size() == s.size());
    Integer sum;
    for (std::size_t i = 0; i < u.size(); ++i) {
      if (s[i]) sum += u[i];
    }
    const Integer inverse = (2 * power_of_two(kappa) + laid.secret.p()) / (2 * laid.secret.p());
    CHECK(oracle::mod(sum, power_of_two(kappa + 1)) == inverse);
  }
}

TEST_CASE("CMNT encryption by rows equals the double sum, drawn in a fixed order", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-toy"}) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const std::size_t beta = laid.parameters.beta;
    const std::vector<bool> bits{true, false, true};
    HedgedRandom source = test_encryption_draws(laid.keys, bits, "formula");
    BufferedRandom random(source);
    std::vector<std::vector<DenseWeights>> weights(bits.size());
    for (std::vector<DenseWeights>& matrix : weights) {
      matrix.assign(beta, DenseWeights(beta));
      for (DenseWeights& row : matrix) {
        for (Integer& weight : row) weight = uniform_bits(random, laid.parameters.alpha);
      }
    }
    const auto made = test_encryptor(laid.keys, "formula").encrypt(bits);
    REQUIRE(made.size() == bits.size());
    for (std::size_t k = 0; k < bits.size(); ++k) {
      const Integer r = uniform_centered(random, laid.parameters.rho_prime);
      CHECK(made[k].value() == double_sum(laid.open, weights[k], r, bits[k] ? 1 : 0));
    }
  }
}

TEST_CASE("CMNT encryptions decrypt, with the noise doubled and within its bound", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    const Encryptor encryptor = test_encryptor(laid.keys);
    std::vector<bool> bits(60);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i % 3 == 0;
    std::vector<Ciphertext> made = encryptor.encrypt(bits);
    for (int i = 0; i < 4; ++i) {
      bits.push_back(i % 2 != 0);
      made.push_back(encryptor.encrypt(bits.back()));
    }
    CHECK(Decryptor(laid.keys.secret_key).decrypt(made) == bits);
    std::array<int, 2> halves{};
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const Integer noise = laid.secret.noise(made[i].value()).value();
      const double noise_bits = measure_noise(laid.keys.secret_key, made[i]).bits();
      CHECK(noise_bits <= static_cast<double>(4 * laid.parameters.lambda) + 2);
      CHECK(noise_bits <= made[i].noise().bits());
      CHECK(noise_bits > static_cast<double>(laid.parameters.rho_prime) - 12);
      const Integer half = (noise - (bits[i] ? 1 : 0)) / 2;
      ++halves[mpz_odd_p(half.get_mpz_t()) != 0 ? 1 : 0];
    }
    CHECK(halves[0] > 15);
    CHECK(halves[1] > 15);
  }
}

TEST_CASE("the bound of a new CMNT encryption is the proven one", "[cmnt]") {
  struct Row {
    std::string group;
    double worst;
  };
  for (const Row& row : {Row{"cmnt-toy", 169.1}, Row{"cmnt-small", 209.1},
                         Row{"cmnt-medium", 249.1}, Row{"cmnt-large", 289.1}}) {
    CAPTURE(row.group);
    const cmnt::Parameters parameters = cmnt_parameters(row.group);
    CHECK(parameters.fresh_noise().bits() < row.worst);
    CHECK(parameters.fresh_noise().bits() > row.worst - 0.2);
    CHECK(parameters.fresh_noise() == cmnt_parameters(row.group + "-paper").fresh_noise());
  }
}

TEST_CASE("a product of six new CMNT encryptions is still refreshable at Toy", "[cmnt]") {
  const KeyPair& keys = test_keys("cmnt-toy");
  const Encryptor encryptor = test_encryptor(keys);
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::never());
  Ciphertext product = encryptor.encrypt(true);
  for (int i = 1; i < 6; ++i) product = evaluator.and_gate(product, encryptor.encrypt(true));
  CHECK(product.noise() <= cmnt_parameters("cmnt-toy").noise_rule().refresh_limit);
  const Ciphertext refreshed = Evaluator(keys.public_key).recrypt(product);
  CHECK(Decryptor(keys.secret_key).decrypt(refreshed));
}

TEST_CASE("sparse encryption is refused by CMNT", "[cmnt]") {
  const Encryptor encryptor = test_encryptor(test_keys("cmnt-mini"));
  CHECK_THROWS_MATCHES(encryptor.encrypt(true, {.sparse = true}), Error,
                       HasCode(ErrorCode::unsupported, "no sparse encryption"));
  CHECK(encryptor.encrypt(std::vector<bool>{}).empty());
}

TEST_CASE("CMNT encryptions of one bit are all distinct", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    constexpr std::size_t kCount = 1200;
    std::set<Integer> values;
    const Encryptor encryptor(test_keys(group).public_key);
    for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>(kCount, true))) {
      values.insert(c.value());
    }
    CHECK(values.size() == kCount);
  }
}

TEST_CASE("a prepared CMNT encryptor makes the same ciphertexts", "[cmnt]") {
  const KeyPair& keys = test_keys("cmnt-toy");
  const Encryptor prepared = test_encryptor(keys);
  prepared.prepare();
  prepared.prepare();
  const Ciphertext c = prepared.encrypt(true);
  CHECK(c.value() == test_encryptor(keys).encrypt(true).value());
  CHECK(Decryptor(keys.secret_key).decrypt(c));
  CHECK_THROWS_MATCHES(test_encryptor(keys).prepare(stopped_monitor()), Error,
                       HasCode(ErrorCode::stopped));
}

TEST_CASE("the expansion of every CMNT encryption decrypts with s", "[cmnt]") {
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const Laid laid = laid_open(group);
    std::vector<bool> bits(20);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i % 3 == 0;
    const auto made = test_encryptor(laid.keys).encrypt(bits);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      CHECK(decrypt_expanded(laid, made[i].value()) == bits[i]);
    }
  }
}

TEST_CASE("CMNT recryption keeps the bit within the proven noise under every adder", "[cmnt]") {
  for (const std::string& adder : AdderProgram::names()) {
    CAPTURE(adder);
    for (const std::string& group : kBlockGroups) {
      CAPTURE(group);
      const cmnt::Parameters parameters = cmnt_parameters(group);
      // Proven to bootstrap, whatever the adder: eta has room for twice the degree.
      CHECK(parameters.refreshed_noise(adder).bits() < and_budget(parameters));
      CHECK(refreshed_noise(group, adder, group == "cmnt-mini" ? 20 : 4).largest > 100);
    }
    CHECK(refreshed_noise("cmnt-mini-paper", adder, 10).largest > 200);
  }
}

TEST_CASE("the product form of CMNT refreshes within its stated bound", "[cmnt]") {
  const cmnt::Parameters parameters = cmnt_parameters("cmnt-toy-paper");
  const NoiseBound stated = parameters.refreshed_noise("sym");
  CHECK(stated.bits() == 540);
  CHECK(stated == parameters.refreshed_noise(""));
  CHECK(stated < parameters.refreshed_noise(parameters.adder_program("sym")));
  CHECK(parameters.refreshed_noise("ctr2") ==
        parameters.refreshed_noise(parameters.adder_program("ctr2")));
  const Noise noise = refreshed_noise("cmnt-toy-paper", "sym", 20);
  CHECK(noise.mean > 495);
  CHECK(noise.mean < 525);
}

TEST_CASE("recryption of the extreme CMNT representatives is right", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    const KeyPair& keys = test_keys(group);
    const auto key = keys.public_key.context(open_backend());
    for (const Integer& noise : {Integer(0), Integer(1), Integer(-1), Integer(-2)}) {
      const Ciphertext refreshed = key->recrypt(with_noise(keys, noise, 0), {});
      CHECK(Decryptor(keys.secret_key).decrypt(refreshed) == (mpz_odd_p(noise.get_mpz_t()) != 0));
    }
  }
}

TEST_CASE("recryption of CMNT is right up to its noise limit, on both sides of zero", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    const KeyPair& keys = test_keys(group);
    const auto key = keys.public_key.context(open_backend());
    const auto whole_bits = static_cast<std::size_t>(key->noise_rule().refresh_limit.bits()) + 1;
    const Integer largest = power_of_two(whole_bits) - power_of_two(whole_bits - 7);
    Operands random(4);
    for (int i = 0; i < 60; ++i) {
      const Integer noise = random.with_random_sign(largest - random.bits(10));
      const Ciphertext c = with_noise(keys, noise, random.bits(8000));
      CHECK(c.noise() <= key->noise_rule().refresh_limit);
      const Ciphertext refreshed = key->recrypt(c, {});
      CHECK(dghv_part(keys.secret_key).decrypt(refreshed.value(), refreshed.noise()).bits.front() ==
            (mpz_odd_p(noise.get_mpz_t()) != 0));
    }
  }
}

TEST_CASE("a real noise past the stated bound of the product form is detected", "[cmnt]") {
  const KeyPair& keys = test_keys("cmnt-mini-paper");
  const NoiseBound stated = cmnt_parameters("cmnt-mini-paper").refreshed_noise("");
  const auto bits = static_cast<std::size_t>(stated.bits());
  const Ciphertext within = with_noise(keys, power_of_two(bits) - 1, 77);
  const Ciphertext past = with_noise(keys, power_of_two(bits + 1) + 1, 77);
  const Decryptor decryptor(keys.secret_key);
  CHECK(decryptor.decrypt(Ciphertext(within.value(), stated, within.key())));
  CHECK_THROWS_MATCHES(decryptor.decrypt(Ciphertext(past.value(), stated, past.key())), Error,
                       HasCode(ErrorCode::noise_exceeded));
}

// Why the product form takes `sym`: the noise of one AND of two refreshed ciphertexts must leave
// room for a recryption.
TEST_CASE("of the adders, sym and ctr2 bootstrap the product form and seq2 does not", "[cmnt]") {
  constexpr int kRounds = 60;
  const cmnt::Parameters toy = cmnt_parameters("cmnt-toy-paper");
  CHECK(simulated_noise(toy, "seq2", kRounds).mean > and_budget(toy));
  CHECK(simulated_noise(toy, "csa", kRounds).mean > and_budget(toy));
  const Noise ctr2 = simulated_noise(toy, "ctr2", kRounds);
  CHECK(ctr2.mean + 2.5 * ctr2.deviation < and_budget(toy));
  const Noise sym = simulated_noise(toy, "sym", kRounds);
  CHECK(sym.mean + 3.3 * sym.deviation < and_budget(toy));
}

TEST_CASE("the stated bounds of the product form hold in simulation", "[cmnt]") {
  struct Row {
    std::string group;
    double mean;
  };
  for (const Row& row : {Row{"cmnt-toy-paper", 510}, Row{"cmnt-small-paper", 766},
                         Row{"cmnt-medium-paper", 1020}, Row{"cmnt-large-paper", 1244}}) {
    CAPTURE(row.group);
    const cmnt::Parameters parameters = cmnt_parameters(row.group);
    const NoiseBound stated = parameters.refreshed_noise("");
    CHECK(stated.bits() <= and_budget(parameters));
    const Noise noise = simulated_noise(parameters, "sym", 60);
    CHECK(std::abs(noise.mean - row.mean) < 5);
    CHECK(noise.largest <= stated.bits());
    CHECK(noise.mean + 3 * noise.deviation < stated.bits());
  }
}

TEST_CASE("50 ANDs in a row with automatic recryption at cmnt-toy", "[cmnt]") {
  check_chain("cmnt-toy", 50);
}

TEST_CASE("10 ANDs in a row with automatic recryption at cmnt-small", "[cmnt]") {
  check_chain("cmnt-small", 10);
}

TEST_CASE("10 ANDs in a row with the product form at cmnt-toy-paper", "[cmnt]") {
  check_chain("cmnt-toy-paper", 10);
}

TEST_CASE("25 ANDs in a row with the product form at cmnt-small-paper", "[cmnt][long]") {
  check_chain("cmnt-small-paper", 25);
}

TEST_CASE("noise at cmnt-small is the expected one", "[cmnt]") {
  check_large_group("cmnt-small", 436);
}

TEST_CASE("noise at cmnt-small-paper is the expected one", "[cmnt]") {
  check_large_group("cmnt-small-paper", 766);
}

TEST_CASE("noise at cmnt-medium is the expected one", "[cmnt][long]") {
  check_large_group("cmnt-medium", 570);
}

TEST_CASE("noise at cmnt-large is the expected one", "[cmnt][long]") {
  check_large_group("cmnt-large", 690);
}

TEST_CASE("noise at cmnt-medium-paper is the expected one", "[cmnt][long]") {
  check_large_group("cmnt-medium-paper", 1020);
}

TEST_CASE("noise at cmnt-large-paper is the expected one", "[cmnt][long]") {
  check_large_group("cmnt-large-paper", 1244);
}

TEST_CASE("CMNT ciphertexts are the same on every backend", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper", "cmnt-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const std::vector<bool> bits{true, false, true};
    std::set<std::string> seen;
    for (const BackendPtr& backend : backends_under_test()) {
      const Encryptor encryptor(keys.public_key, backend, std::make_shared<TestRandom>("backends"));
      std::string values;
      for (const Ciphertext& c : encryptor.encrypt(bits)) values += c.value().get_str(16) + ' ';
      const auto key = keys.public_key.context(backend);
      values += key->recrypt(encryptor.encrypt(true), {}).value().get_str(16);
      seen.insert(values);
    }
    CHECK(backends_under_test().size() >= 3);
    CHECK(seen.size() == 1);
  }
}

TEST_CASE("CMNT keys and ciphertexts do not depend on the number of threads", "[cmnt]") {
  for (const std::string group : {"cmnt-toy", "cmnt-mini-paper"}) {
    const auto run = [&](std::size_t threads) {
      const ThreadLimit limit(threads);
      const KeyPair keys = KeyGenerator(ParameterSet::named(group)).generate(TestSeed{"threads"});
      const Encryptor encryptor = test_encryptor(keys);
      std::string text = to_hex(keys.public_key.id().digest);
      for (const Ciphertext& c : encryptor.encrypt({true, false, true})) {
        text += '\n' + c.value().get_str(16);
      }
      const auto key = keys.public_key.context(open_backend());
      return text + '\n' + key->recrypt(encryptor.encrypt(true), {}).value().get_str(16);
    };
    const std::string alone = run(1);
    CHECK(run(2) == alone);
    CHECK(run(3) == alone);
  }
}

TEST_CASE("a test seed makes the same CMNT keys, another seed others", "[cmnt]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) {
    const KeyGenerator generator(ParameterSet::named(group));
    const KeyPair first = generator.generate(TestSeed{"one"});
    const KeyPair again = generator.generate(TestSeed{"one"});
    const KeyPair other = generator.generate(TestSeed{"two"});
    CHECK(first.public_key.id() == again.public_key.id());
    CHECK(
        std::ranges::equal(dghv_part(first.secret_key).ones(), dghv_part(again.secret_key).ones()));
    CHECK(public_elements(cmnt_part(first.public_key)) ==
          public_elements(cmnt_part(again.public_key)));
    CHECK(first.public_key.id() != other.public_key.id());
    CHECK(first.public_key.modulus() != other.public_key.modulus());
    CHECK(generator.generate().public_key.id() != generator.generate().public_key.id());
  }
}

TEST_CASE("without randomness CMNT produces nothing", "[cmnt]") {
  struct FailingRandom final : SecretRandom {
    void fill(std::span<std::byte>) override { throw Error(ErrorCode::randomness, "broken"); }
    [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t) const override {
      return std::make_unique<FailingRandom>();
    }
    [[nodiscard]] bool is_test() const override { return false; }
  };
  const Encryptor encryptor(test_keys("cmnt-mini").public_key, open_backend(),
                            std::make_shared<FailingRandom>());
  CHECK_THROWS_AS(encryptor.encrypt(true), Error);
  FailingRandom random;
  CHECK_THROWS_AS(
      cmnt::generate_keys(cmnt_parameters("cmnt-mini"), *open_backend(), {}, random, {}), Error);
}

TEST_CASE("a public key file of CMNT is its contents and the stated header", "[cmnt]") {
  const TemporaryDirectory directory;
  for (const std::string& group : kGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const cmnt::Parameters p = cmnt_parameters(group);
    save(directory / group, keys.public_key);
    const std::size_t contents = bytes_for_bits(p.gamma) + bytes_for_bits(p.kappa + 1) +
                                 2 * bytes_for_bits(p.beta * p.gamma) +
                                 bytes_for_bits(p.key_bits() * p.correction_bits());
    const std::size_t header = 168 + 48 * 7 + 32 + keys.public_key.parameters().to_toml().size();
    CHECK(std::filesystem::file_size(directory / group) == header + contents);

    const PublicKey loaded = load_public_key(directory / group);
    CHECK(loaded.id() == keys.public_key.id());
    CHECK(public_elements(cmnt_part(loaded)) == public_elements(cmnt_part(keys.public_key)));
    const Encryptor encryptor(loaded, open_backend(), std::make_shared<TestRandom>("encryption"));
    CHECK(encryptor.encrypt(true).value() == test_encryptor(keys).encrypt(true).value());
  }
}

TEST_CASE("CMNT groups have the published sizes", "[cmnt][parameters]") {
  struct Row {
    std::string size;
    std::size_t lambda, rho, eta, gamma, beta, Theta, square;
  };
  for (const Row& row : {Row{"toy", 42, 16, 1088, 160'000, 12, 144, 144},
                         Row{"small", 52, 24, 1632, 860'000, 23, 533, 576},
                         Row{"medium", 62, 32, 2176, 4'200'000, 44, 1972, 2025},
                         Row{"large", 72, 39, 2652, 19'000'000, 88, 7897, 7921}}) {
    for (const std::string form : {"", "-paper"}) {
      CAPTURE(row.size, form);
      const cmnt::Parameters p = cmnt_parameters("cmnt-" + row.size + form);
      CHECK(p.lambda == row.lambda);
      CHECK(p.rho == row.rho);
      CHECK(p.eta == row.eta);
      CHECK(p.gamma == row.gamma);
      CHECK(p.beta == row.beta);
      CHECK(p.alpha == row.lambda);
      CHECK(p.rho_prime == 4 * row.lambda);
      CHECK(p.theta == 15);
      CHECK((p.kappa + 1) % 64 == 0);
      CHECK(p.kappa >= p.gamma + 6);
      CHECK(p.kappa < p.gamma + 6 + 64);
      CHECK((p.form == dghv::SquashForm::product) == !form.empty());
      CHECK(p.Theta == (form.empty() ? (row.Theta + 14) / 15 * 15 : row.square));
    }
  }
}

TEST_CASE("CMNT groups that do not fit together are refused", "[cmnt][parameters]") {
  const auto blocks = [](const std::string& field, const std::string& value) {
    return GroupText("cmnt-toy").set(field, value);
  };
  const auto product = [](const std::string& field, const std::string& value) {
    return GroupText("cmnt-toy-paper").set(field, value);
  };
  for (const std::string field : {"beta", "alpha", "rho_prime"}) {
    check_refused(GroupText("cmnt-toy").without(field), "'" + field + "' is missing");
    check_refused(blocks(field, "0"), field + " = 0 must be between");
    check_refused(blocks(field, "-1"), field + " = -1 must be between");
    check_refused(blocks(field, "9223372036854775807"), "must be between");
  }
  check_refused(GroupText("cmnt-toy").without("squash"), "'squash' is missing");
  check_refused(blocks("squash", R"("diagonal")"), "squash is 'blocks' or 'product'");
  check_refused(blocks("squash", "3"), "must be a word");
  check_refused(blocks("Theta", "151"), "must be a multiple of theta = 15");
  check_refused(blocks("rho_prime", "1082"), "past the 1082.0 that can be refreshed");
  check_refused(blocks("alpha", "1046"), "past the 1082.0 that can be refreshed");

  check_refused(product("Theta", "145"), "Theta = 145 must be a square");
  check_refused(product("Theta", "16"), "a square of at least 25");
  check_refused(product("theta", "16"), "theta = 16 must be 15");
  check_refused(GroupText("cmnt-toy-paper").without("refreshed_noise"),
                "'refreshed_noise' is missing");
  check_refused(product("refreshed_noise", "0"), "must be between");
  check_refused(product("refreshed_noise", "541"), "past the 1082.0 that can be refreshed");
  CHECK_NOTHROW(product("refreshed_noise", "539").parse());
  // A proven bound is not overruled by a stated one.
  CHECK(cmnt::Parameters(blocks("refreshed_noise", "1").parse()).refreshed_noise("") ==
        cmnt_parameters("cmnt-toy").refreshed_noise(""));
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Every secret that key generation and encryption draw, seen with the secret key: it has the size
// that it should have and is spread over its range. Here the randomness is the system's; what a
// test seed leads to is pinned by the vectors of tests/verifier. The secrets of a switching key are
// looked at in modulus_switch_test.cpp, the samplers themselves in tests/random.
#include "tests/support/secret_draws.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/noise_polynomial.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/public_key.hpp"
#include "libfhe/scheme/she/randomizer.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using Values = std::vector<Integer>;

void add_all(Values& values, const Values& more) {
  values.insert(values.end(), more.begin(), more.end());
}

// What `look` appends to each list for each of some new keys.
template <class Look>
std::vector<Values> seen_in_keys(const std::string& group, std::size_t lists, const Look& look,
                                 const KeyOptions& options = {}) {
  constexpr int kKeys = 12;
  const KeyGenerator generator(ParameterSet::named(group), open_backend(), options);
  std::vector<Values> seen(lists);
  for (int i = 0; i < kKeys; ++i) look(generator.generate(), seen);
  return seen;
}

// r_i of elements that are factor r_i + own(i) modulo p.
Values noise_terms(
    const Values& elements, const Integer& p, unsigned long factor,
    const std::function<Integer(std::size_t)>& own = [](std::size_t) { return Integer(0); }) {
  Values noise;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Integer multiple = centered(elements[i], p) - own(i);
    CHECK(mpz_divisible_ui_p(multiple.get_mpz_t(), factor) != 0);
    noise.emplace_back(multiple / factor);
  }
  return noise;
}

// Numbers that should be uniform in [0, bound), scaled to (-2^bits, 2^bits).
Values scaled(const Values& numbers, const Integer& bound, std::size_t bits) {
  Values result;
  for (const Integer& x : numbers) result.emplace_back(((2 * x + 1 - bound) << bits) / bound);
  return result;
}

auto secret_bit(const SecretIndices& ones) {
  return [&ones](std::size_t i) {
    return Integer(std::ranges::count(ones, static_cast<std::uint32_t>(i)));
  };
}

// The corrections of a list, which should be uniform in [0, 2^bits).
Values spread_of(std::span<const Integer> corrections, std::size_t bits) {
  return scaled({corrections.begin(), corrections.end()}, power_of_two(bits), 64);
}

// For keys over one prime: noise and corrections of the encrypted key bits.
template <class Material>
void look_at_key_bits(const KeyPair& keys, const Material& open, std::vector<Values>& seen) {
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const dghv::Parameters& p = open.parameters();
  const auto bit = secret_bit(secret.ones());
  add_all(seen[0], noise_terms(encrypted_key_bits(open), secret.p(), p.key_bit_factor(), bit));
  add_all(seen[1], spread_of(open.squashed().sigma, p.correction_bits()));
  if (!p.has_digit_set()) return;
  const Values digits =
      corrected(dghv::key_digit_stream(p, open.squashed().seed), open.squashed().digit_sigma);
  add_all(seen[2], noise_terms(digits, secret.p(), 32, bit));
}

void check_key_bits(const std::vector<Values>& seen, std::size_t rho) {
  check_fills(seen[0], rho);
  check_fills(seen[1], 64);
  if (!seen[2].empty()) check_fills(seen[2], rho);
}

// The noise terms of ciphertexts that the owner of a key makes.
Values owner_noise_of(const KeyPair& keys) {
  const std::vector<bool> bits(64, true);
  const CompressedCiphertexts made = SecretEncryptor(keys.secret_key, open_backend()).encrypt(bits);
  Values elements;
  for (const Ciphertext& c : expand(made, keys.public_key)) elements.push_back(c.value());
  Values noise;
  for (const Integer& p : dghv_part(keys.secret_key).primes().span()) {
    add_all(noise, noise_terms(elements, p, 2, [](std::size_t) { return Integer(1); }));
  }
  return noise;
}

}  // namespace

TEST_CASE("secret primes and moduli fill their ranges", "[draws]") {
  SystemRandom random;
  for (const std::string group : {"cnt-mini", "cnt-mini-special"}) {
    CAPTURE(group);
    const cnt::Parameters p = cnt_parameters(group);
    const Integer least = power_of_two(p.eta - 1);
    Values primes;
    Values offsets;
    std::set<Integer> cofactors;
    for (int draw = 0; draw < 60; ++draw) {
      const dghv::Modulus made = generate_modulus(p, *open_backend(), random, {});
      const Integer& prime = made.primes.product();
      const Integer q0 = made.x0 / prime;
      primes.emplace_back(prime - least);
      offsets.emplace_back(power_of_two(p.gamma) / prime - q0);
      cofactors.insert(q0);
    }
    check_fills(scaled(primes, least, p.eta), p.eta);
    CHECK(cofactors.size() == primes.size());
    if (!p.special) continue;
    const std::size_t bits = p.special->offset_bits;
    check_fills(scaled(offsets, power_of_two(bits), bits), bits);
  }
}

TEST_CASE("secrets of CNT keys fill their ranges", "[draws]") {
  for (const std::string group : {"cnt-mini", "cnt-mini-digits", "cnt-mini-special"}) {
    CAPTURE(group);
    const cnt::Parameters p = cnt_parameters(group);
    const auto seen = seen_in_keys(group, 5, [&](const KeyPair& keys, std::vector<Values>& lists) {
      const cnt::CntPublicMaterial& open = cnt_part(keys.public_key);
      look_at_key_bits(keys, open, lists);
      add_all(lists[3], noise_terms(public_elements(open), dghv_part(keys.secret_key).p(), 1));
      add_all(lists[4], spread_of(open.delta(), p.correction_bits()));
    });
    check_key_bits(seen, p.rho);
    check_fills(seen[3], p.rho);
    check_fills(seen[4], 64);
  }
}

TEST_CASE("secrets of CMNT keys fill their ranges", "[draws]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-digits"}) {
    CAPTURE(group);
    const cmnt::Parameters p = cmnt_parameters(group);
    const auto seen = seen_in_keys(group, 5, [&](const KeyPair& keys, std::vector<Values>& lists) {
      const cmnt::CmntPublicMaterial& open = cmnt_part(keys.public_key);
      look_at_key_bits(keys, open, lists);
      const Integer& prime = dghv_part(keys.secret_key).p();
      Values elements(open.rows().begin(), open.rows().end());
      for (std::size_t i = 0; i < p.beta; ++i) elements.push_back(open.columns().element(i));
      add_all(lists[3], noise_terms(elements, prime, 1));
      add_all(lists[4], scaled(elements, open.modulus(), 64));
    });
    check_key_bits(seen, p.rho);
    check_fills(seen[3], p.rho);
    check_fills(seen[4], 64);
  }
}

TEST_CASE("secrets of batch DGHV keys fill their ranges in every slot", "[draws]") {
  const bdghv::Parameters p(ParameterSet::named("bdghv-mini"));
  const SlotPermutation zeta = SlotPermutation::rotation(p.slots, 1);
  const auto look = [&](const KeyPair& keys, std::vector<Values>& seen) {
    const auto& open = dynamic_cast<const bdghv::BdghvPublicMaterial&>(keys.public_key.material());
    const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
    const StreamSeed& seed = open.squashed().seed;
    for (std::size_t j = 0; j < p.slots; ++j) {
      const Integer& prime = secret.primes()[j];
      const auto own = [j](const Integer& more) {
        return [j, more](std::size_t i) { return i == j ? more : Integer(0); };
      };
      add_all(seen[0], noise_terms(corrected(x_stream(p, seed), open.elements().x), prime, 2));
      add_all(seen[1], noise_terms(corrected(unit_stream(p, seed), open.elements().units), prime, 2,
                                   own(1)));
      add_all(seen[2], noise_terms(corrected(noise_stream(p, seed), open.elements().noise), prime,
                                   2, own(power_of_two(p.rho_prime + 1))));
      add_all(seen[3], noise_terms(encrypted_key_bits(open), prime, 2, secret_bit(secret.ones(j))));
      add_all(seen[4], noise_terms(corrected(permuted_stream(p, seed, 0), open.permuted_sigma(0)),
                                   prime, 2, secret_bit(secret.ones(zeta.sources()[j]))));
    }
    add_all(seen[5], spread_of(open.elements().x, p.correction_bits()));
    add_all(seen[6], spread_of(open.permuted_sigma(0), p.correction_bits()));
  };
  const auto seen = seen_in_keys("bdghv-mini", 7, look, {.permutations = {zeta}});
  check_fills(seen[0], p.rho_prime - 1);
  for (const std::size_t list : {1U, 2U, 3U, 4U}) check_fills(seen[list], p.rho);
  for (const std::size_t list : {5U, 6U}) check_fills(seen[list], 64);
}

TEST_CASE("ciphertexts of owners have noise that fills its range", "[draws]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "bdghv-mini"}) {
    CAPTURE(group);
    const KeyPair keys = KeyGenerator(ParameterSet::named(group)).generate();
    check_fills(owner_noise_of(keys), dghv_part(keys.secret_key).parameters().rho);
  }
}

TEST_CASE("secret positions are spread over their boxes", "[draws]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini-paper", "bdghv-mini"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const dghv::Parameters& p = dghv_part(keys.secret_key).parameters();
    const std::vector<dghv::Box> boxes = p.boxes();
    SystemRandom random;
    Values offsets;
    for (int draw = 0; draw < 200; ++draw) {
      const SecretIndices ones = dghv::draw_ones(p, random);
      for (std::size_t k = 0; k < boxes.size(); ++k) {
        if (boxes[k].known) continue;
        // With a uniform fraction, since sizes may be odd.
        const Integer fine = (Integer(ones[k] - boxes[k].first) << 20) + uniform_bits(random, 20);
        add_all(offsets, scaled({fine}, Integer(boxes[k].size) << 20, 20));
      }
    }
    check_halves(offsets, 20);
  }
}

TEST_CASE("secrets of GH keys fill their ranges", "[draws]") {
  const gh::Parameters p(ParameterSet::named("gh-mini"));
  SystemRandom random;
  Values generators;
  for (int key = 0; key < 4; ++key) {
    const SecretIntegers v = generate_lattice(p, open_backend(), random, {}).v;
    add_all(generators, {v.span().begin(), v.span().end()});
  }
  check_fills(generators, p.t - 1);
  Values chosen;
  for (int key = 0; key < 40; ++key) {
    for (const std::uint32_t index : draw_chosen_elements(p, random)) chosen.emplace_back(index);
  }
  check_halves(scaled(chosen, Integer(p.S), 20), 20);
  Values positions;
  Values signs;
  for (int draw = 0; draw < 100; ++draw) {
    const gh::NoisePolynomial noise = gh::NoisePolynomial::draw(random, p.n, p.h);
    CHECK(noise.terms().size() == p.h);
    for (const auto& term : noise.terms()) {
      positions.emplace_back(term.exponent);
      signs.emplace_back(term.negative ? -1 : 1);
    }
  }
  check_halves(scaled(positions, Integer(p.n), 20), 20);
  check_signs(signs);
}

TEST_CASE("secrets of numbers in slots fill their ranges", "[draws]") {
  const she::SecretKey key = she::KeyGenerator(ParameterSet::named("she-mini")).generate();
  const she::Parameters p(key.group());
  const std::vector<she::SlotNumbers> rows(40, she::SlotNumbers(p.slots, 1));
  const she::CompressedSlots made = she::Encryptor(key).encrypt_compressed(rows);
  Values elements;
  for (const she::Slots& x : made.expand(key.group())) elements.push_back(x.value());
  for (const Integer& prime : key.contents()->primes()) {
    check_fills(noise_terms(elements, prime, p.plaintext, [](std::size_t) { return Integer(1); }),
                p.rho);
  }
  check_fills(spread_of(made.corrections(), p.correction_bits()), 64);
}

TEST_CASE("secrets of public keys for sums fill their ranges", "[draws]") {
  const ParameterSet group = tiny_tally().parse();
  const she::Parameters p(group);
  Values noise;
  Values corrections;
  for (int i = 0; i < 12; ++i) {
    const she::KeyPair keys = she::KeyGenerator(group).generate_pair();
    const she::PublicKey& open = keys.public_key;
    add_all(noise, noise_terms(corrected(public_elements(p, open.seed()), open.corrections()),
                               keys.secret_key.contents()->product(), p.plaintext));
    add_all(corrections, spread_of(open.corrections(), p.correction_bits()));
  }
  check_fills(noise, p.rho);
  check_fills(corrections, 64);
}

// Zeros that are powers of 2^w show the weights of w bits in the hidden answer.
TEST_CASE("the weights that hide an answer fill their range", "[draws][hiding]") {
  const ParameterSet group =
      GroupText("she-mini").head("name", "\"one-slot\"").set("slots", "1").parse();
  const she::SecretKey key = she::KeyGenerator(group).generate();
  const she::Parameters p(group);
  constexpr std::size_t bits = 8;
  STATIC_REQUIRE(she::kZeroWeightBits == bits);
  const std::size_t count = she::zeros_needed(group, she::Hiding::estimated) - 1;
  REQUIRE(count * bits < p.gamma - 1);
  const Integer modulus = power_of_two(p.gamma) - 1;
  std::vector<she::Slots> zeros{she::Slots(modulus, p.fresh_noise(), key.id())};
  Integer offset;
  for (std::size_t i = 0; i < count; ++i) {
    zeros.emplace_back(power_of_two(bits * i), p.fresh_noise(), key.id());
    offset += power_of_two(bits * i + bits - 1);
  }
  const she::Randomizer randomizer(group, zeros);
  const she::Slots answer(0, 0, key.id());
  Values weights;
  for (int draw = 0; draw < 20; ++draw) {
    Integer sum = randomizer.randomize(answer).value() + offset;
    if (sum >= modulus) sum -= modulus;
    for (std::size_t i = 0; i < count; ++i) {
      weights.emplace_back(2 * low_bits(sum >> (bits * i), bits) - 255);
    }
  }
  check_fills(weights, bits);
}

}  // namespace fhe::test

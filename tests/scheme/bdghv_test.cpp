// SPDX-License-Identifier: Apache-2.0
// Batch DGHV: what its keys are in every slot, encryption, recryption and permutation of all slots,
// and files of its keys.
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <sys/resource.h>

#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/bdghv/public_material.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "libfhe/storage/digest.hpp"
#include "tests/catch.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

bdghv::Parameters bdghv_parameters(const std::string& group) {
  return bdghv::Parameters(ParameterSet::named(group));
}

const bdghv::BdghvPublicMaterial& bdghv_part(const PublicKey& key) {
  return dynamic_cast<const bdghv::BdghvPublicMaterial&>(key.material());
}

// Keys with the given permutations, the same in every run.
KeyPair keys_with(const std::string& group, std::vector<SlotPermutation> permutations,
                  const std::string& seed = "permuted") {
  const KeyGenerator generator(ParameterSet::named(group), open_backend(),
                               {.permutations = std::move(permutations)});
  return generator.generate(TestSeed{seed});
}

SlotBits random_slots(SecretRandom& random, std::size_t slots) {
  SlotBits bits;
  for (std::size_t j = 0; j < slots; ++j) bits.push_back(uniform_index(random, 2) == 1);
  return bits;
}

SlotPermutation random_permutation(SecretRandom& random, std::size_t moved, std::size_t slots) {
  const SlotPermutation identity = SlotPermutation::identity(slots);
  std::vector<std::uint32_t> sources(identity.sources().begin(), identity.sources().end());
  for (std::size_t j = moved; j > 1; --j) {
    std::swap(sources[j - 1], sources[uniform_index(random, static_cast<std::uint32_t>(j))]);
  }
  return SlotPermutation(std::move(sources));
}

// What each element is modulo each prime: term(i, j) and something even, of less than 2^bits.
template <class Term>
void check_element_residues(const std::vector<Integer>& elements, const dghv::SecretPrimes& primes,
                            std::size_t bits, const Term& term) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = 0; j < primes.size(); ++j) {
      const Integer even = centered(elements[i], primes[j]) - term(i, j);
      if (mpz_odd_p(even.get_mpz_t()) != 0 || bit_length(even) > bits) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

bool is_one(const dghv::DghvSecretMaterial& secret, std::size_t slot, std::size_t i) {
  return std::ranges::find(secret.ones(slot), i) != secret.ones(slot).end();
}

// Whether the noise in every slot is at most the claim, and the bits are these.
void check_slots(const KeyPair& keys, const Ciphertext& c, const SlotBits& expected) {
  CHECK(Decryptor(keys.secret_key).decrypt_slots(c) == expected);
  CHECK(measure_noise(keys.secret_key, c) <= c.noise());
}

// Gates at random on a few ciphertexts, with a permutation now and then, beside the same in clear.
void check_slot_chain(const KeyPair& keys, const std::vector<SlotPermutation>& permutations,
                      std::size_t gates, const std::string& seed) {
  TestRandom random(seed);
  const std::size_t slots = keys.public_key.slots();
  const Evaluator evaluator(keys.public_key);
  std::vector<SlotBits> plain;
  for (int k = 0; k < 4; ++k) plain.push_back(random_slots(random, slots));
  std::vector<Ciphertext> encrypted = test_encryptor(keys, seed).encrypt_slots(plain);
  for (std::size_t k = 0; k < gates; ++k) {
    const auto [to, a, b] =
        std::tuple(uniform_index(random, 4), uniform_index(random, 4), uniform_index(random, 4));
    if (uniform_index(random, 4) == 0) {
      const SlotPermutation& permutation =
          permutations[uniform_index(random, static_cast<std::uint32_t>(permutations.size()))];
      encrypted[to] = evaluator.permute(encrypted[a], permutation);
      plain[to] = permutation.apply(plain[a]);
      continue;
    }
    const NamedGate& gate = named_gates()[uniform_index(random, 3)];
    encrypted[to] = gate.inputs == 1 ? gate.apply(evaluator, {encrypted[a]})
                                     : gate.apply(evaluator, {encrypted[a], encrypted[b]});
    SlotBits result;
    for (std::size_t j = 0; j < slots; ++j)
      result.push_back(gate.plain({plain[a][j], plain[b][j]}));
    plain[to] = result;
  }
  for (std::size_t k = 0; k < encrypted.size(); ++k) check_slots(keys, encrypted[k], plain[k]);
}

void append(std::string& bytes, std::span<const std::byte> more) {
  bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
}

void append_number(std::string& bytes, std::uint64_t number, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(number >> (8 * i)));
}

std::string zero_padded(std::string text, std::size_t width) {
  text.resize(width);
  return text;
}

// The head of the file of a public key (FORMAT.md) of a group, with all digests as they must be,
// and its first sections up to the modulus. All that follows is claimed and not there.
std::string head_of_key(const ParameterSet& group) {
  const bdghv::Parameters p(group);
  const std::string params = group.to_toml();
  std::string seed = zero_padded(std::string(kAesCtrGenerator), 16) + std::string(16, 's');
  std::string x0(bytes_for_bits(p.gamma), '\0');
  x0.front() = 1;
  x0.back() = static_cast<char>(1U << ((p.gamma - 1) % 8));
  const std::vector<std::string> names{"seed",     "x0",       "u0",   "delta",
                                       "delta.x'", "delta.Pi", "sigma"};
  const std::vector<std::uint64_t> lengths = bdghv::BdghvPublicMaterial::section_bytes(p);
  REQUIRE(names.size() == lengths.size());
  const auto digest = [](const std::string& text) { return sha256(text); };
  std::string table;
  for (std::size_t i = 0; i < names.size(); ++i) {
    table += zero_padded(names[i], 8);
    append_number(table, lengths[i], 8);
    append(table, digest(i == 0 ? seed : i == 1 ? x0 : std::string()));
  }
  std::string id_text;
  append(id_text, group.digest());
  std::string head(
      "\x89"
      "FHE\r\n\x1a\n",
      8);
  append_number(head, 1, 2);
  append_number(head, 1, 2);
  append_number(head, 0, 4);
  head += zero_padded("bdghv", 16) + zero_padded(group.name(), 32);
  append(head, group.digest());
  append(head, digest(id_text + table));
  append_number(head, 1 + names.size(), 4);
  append_number(head, 0, 4);
  head += zero_padded("params", 8);
  append_number(head, params.size(), 8);
  append(head, digest(params));
  head += table;
  append(head, digest(head));
  return head + params + seed + x0;
}

long largest_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// Does `work` once to learn its phases, and once more for each of them, where it is stopped as that
// phase begins. Returns the phases.
template <class Work, class Check>
std::set<std::string> stop_in_each_phase(const Work& work, const Check& check_stopped) {
  std::set<std::string> phases;
  work(Monitor{.stop = {},
               .progress = [&](std::string_view phase, double) { phases.emplace(phase); }});
  for (const std::string& phase : phases) {
    CAPTURE(phase);
    std::stop_source source;
    const Monitor monitor{.stop = source.get_token(),
                          .progress = [&](std::string_view reached, double) {
                            if (reached == phase) source.request_stop();
                          }};
    CHECK_THROWS_MATCHES(work(monitor), Error, HasCode(ErrorCode::stopped));
    check_stopped();
  }
  return phases;
}

struct Published {
  std::string name;
  std::size_t slots, gamma, tau;
  double key_bytes;  // as the authors' source prints it
};

const std::vector<Published> kPublished{{"bdghv-toy", 10, 157336, 188, 660e3},
                                        {"bdghv-small", 37, 900679, 661, 13.6e6},
                                        {"bdghv-medium", 138, 4545530, 2410, 254e6},
                                        {"bdghv-large", 531, 21008588, 8713, 4.57e9}};

}  // namespace

TEST_CASE("the groups have the published values and the published size of keys", "[bdghv]") {
  for (const Published& row : kPublished) {
    CAPTURE(row.name);
    const bdghv::Parameters p = bdghv_parameters(row.name);
    CHECK(p.slots == row.slots);
    CHECK(p.gamma == row.gamma);
    CHECK(p.tau == row.tau);
    CHECK(p.tau == p.gamma / p.alpha);
    CHECK(p.rho_prime == p.rho + p.lambda);
    CHECK(p.alpha == p.eta - p.rho - 3 * p.lambda);
    CHECK(p.alpha_prime == p.alpha + p.lambda);
    CHECK(p.Theta == 15 * p.slots);
    CHECK(p.block() == p.slots);
    CHECK(p.kappa >= p.gamma + 6);
    CHECK((p.kappa + 1) % 64 == 0);
    CHECK(std::abs(p.fresh_noise().bits() - static_cast<double>(p.eta - p.lambda + 2)) < 0.1);
    const std::uint64_t bytes = sizes_of(ParameterSet::named(row.name))->public_key_file;
    CHECK(std::abs(static_cast<double>(bytes) / row.key_bytes - 1) < 0.01);
    const std::size_t formula =
        ((p.tau + 2 * p.slots + p.Theta) * p.correction_bits() + (1 + p.slots) * p.gamma) / 8;
    const std::size_t longer = p.slots * (p.kappa + 1 - p.gamma) / 8;
    CHECK(bytes >= formula + longer);
    CHECK(bytes < formula + longer + 8192);
  }
}

TEST_CASE("a modulus of several slots is a multiple of different primes of eta bits", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const bdghv::Parameters p = bdghv_parameters(group);
    const dghv::SecretPrimes& primes = dghv_part(keys.secret_key).primes();
    REQUIRE(primes.size() == p.slots);
    Integer product = 1;
    for (const Integer& prime : primes.span()) {
      CHECK(bit_length(prime) == p.eta);
      CHECK(mpz_probab_prime_p(prime.get_mpz_t(), 20) != 0);
      product *= prime;
    }
    CHECK(product == primes.product());
    CHECK(std::set(primes.span().begin(), primes.span().end()).size() == p.slots);
    CHECK(keys.public_key.modulus() % product == 0);
    CHECK(bit_length(keys.public_key.modulus()) == p.gamma);
    CHECK(keys.public_key.slots() == p.slots);
    CHECK(keys.secret_key.slots() == p.slots);
  }
}

TEST_CASE("every public element is what it must be modulo every prime", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    CAPTURE(group);
    const std::vector<SlotPermutation> zeta{
        SlotPermutation::rotation(bdghv_parameters(group).slots, 3)};
    const KeyPair keys = keys_with(group, zeta);
    const bdghv::BdghvPublicMaterial& open = bdghv_part(keys.public_key);
    const bdghv::Parameters& p = open.parameters();
    const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
    const dghv::SecretPrimes& primes = secret.primes();
    const StreamSeed& seed = open.squashed().seed;
    const auto zero = [](std::size_t, std::size_t) { return Integer(0); };
    check_element_residues(corrected(bdghv::x_stream(p, seed), open.elements().x), primes,
                           p.rho_prime, zero);
    const auto unit = [](std::size_t i, std::size_t j) { return Integer(i == j ? 1 : 0); };
    check_element_residues(corrected(bdghv::unit_stream(p, seed), open.elements().units), primes,
                           p.rho + 1, unit);
    const auto noise = [&](std::size_t i, std::size_t j) {
      return i == j ? power_of_two(p.rho_prime + 1) : Integer(0);
    };
    check_element_residues(corrected(bdghv::noise_stream(p, seed), open.elements().noise), primes,
                           p.rho + 1, noise);
    const auto bit = [&](std::size_t i, std::size_t j) {
      return Integer(is_one(secret, j, i) ? 1 : 0);
    };
    check_element_residues(encrypted_key_bits(open), primes, p.rho + 1, bit);
    const auto permuted = [&](std::size_t i, std::size_t j) {
      return Integer(is_one(secret, zeta[0].sources()[j], i) ? 1 : 0);
    };
    check_element_residues(corrected(bdghv::permuted_stream(p, seed, 0), open.permuted_sigma(0)),
                           primes, p.rho + 1, permuted);
  }
}

TEST_CASE("the chosen u_i of every slot add up to 2^kappa / p", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
    const bdghv::Parameters p = bdghv_parameters(group);
    const std::vector<Integer> u = squash_elements(bdghv_part(keys.public_key));
    REQUIRE(u.size() == p.Theta);
    for (std::size_t j = 0; j < p.slots; ++j) {
      REQUIRE(secret.ones(j).size() == p.theta);
      CHECK(secret.ones(j).front() == j);
      Integer sum;
      for (const std::uint32_t i : secret.ones(j)) sum += u[i];
      const Integer& prime = secret.primes()[j];
      CHECK(low_bits(sum, p.kappa + 1) == (2 * power_of_two(p.kappa) + prime) / (2 * prime));
    }
  }
}

TEST_CASE("combined remainders are those of plain Chinese remaindering", "[bdghv]") {
  TestRandom random("remainders");
  for (const std::size_t slots : {1U, 2U, 3U, 7U}) {
    SecretIntegers drawn(slots);
    for (Integer& prime : drawn.span()) prime = uniform_prime(random, 80);
    const dghv::SecretPrimes primes(std::move(drawn));
    dghv::SlotIntegers residues;
    for (std::size_t j = 0; j < slots; ++j) {
      SecretIntegers& own = residues.emplace_back(20);
      for (Integer& residue : own.span()) residue = uniform_centered(random, 30);
    }
    const dghv::ChineseRemainders remainders(primes, {});
    const SecretIntegers combined = remainders.combine(residues, 0, 20, {});
    const dghv::SlotIntegers back =
        remainders.residues(remainders.combine(residues, 0, 20, {}), {});
    for (std::size_t i = 0; i < combined.size(); ++i) {
      // Garner: one prime after the other.
      Integer x;
      Integer product = 1;
      for (std::size_t j = 0; j < slots; ++j) {
        Integer inverse;
        mpz_invert(inverse.get_mpz_t(), product.get_mpz_t(), primes[j].get_mpz_t());
        x += product * centered((residues[j][i] - x) * inverse, primes[j]);
        product *= primes[j];
      }
      CHECK(combined[i] == centered(x, product));
      for (std::size_t j = 0; j < slots; ++j) CHECK(back[j][i] == residues[j][i]);
      if (slots == 1) CHECK(combined[i] == residues[0][i]);
    }
  }
}

TEST_CASE("the bits of slots come back, and each slot stands for itself", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy", "bdghv-small"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const std::size_t slots = keys.public_key.slots();
    TestRandom random("slots " + group);
    std::vector<SlotBits> rows;
    for (int k = 0; k < 20; ++k) rows.push_back(random_slots(random, slots));
    for (const std::size_t flipped : {std::size_t{0}, slots / 2, slots - 1}) {
      rows.push_back(rows.front());
      rows.back()[flipped] = !rows.back()[flipped];
    }
    rows.emplace_back(slots, false);
    rows.emplace_back(slots, true);
    const Encryptor encryptor = test_encryptor(keys);
    const std::vector<Ciphertext> cs = encryptor.encrypt_slots(rows);
    const Evaluator evaluator(keys.public_key);
    for (std::size_t k = 0; k < rows.size(); ++k) check_slots(keys, cs[k], rows[k]);
    CHECK(Decryptor(keys.secret_key).decrypt_slots(cs) == rows);
    check_slots(keys, evaluator.recrypt(cs[0]), rows[0]);
    check_slots(keys, evaluator.recrypt(cs[20]), rows[20]);
    check_slots(keys, encryptor.encrypt(true), SlotBits(slots, true));
    check_slots(keys, encryptor.encrypt_slots(rows[1]), rows[1]);
  }
}

TEST_CASE("more noise than is claimed is refused in whichever slot it is", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    const KeyPair& keys = test_keys(group);
    const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
    const Decryptor decryptor(keys.secret_key);
    const NoiseBound claim = NoiseBound::from_bits(40);
    // With this noise in one slot, and little in the others.
    const auto ciphertext = [&](std::size_t slot, const Integer& noise) {
      dghv::SlotIntegers residues;
      for (std::size_t j = 0; j < secret.slots(); ++j) {
        residues.emplace_back(1)[0] = j == slot ? noise : Integer(2 * j);
      }
      const SecretIntegers combined = secret.remainders({}).combine(residues, 0, 1, {});
      return Ciphertext(combined[0] + 3 * secret.p(), claim, keys.public_key.id());
    };
    for (std::size_t j = 0; j < secret.slots(); ++j) {
      CAPTURE(group, j);
      SlotBits expected(secret.slots());
      expected[j] = true;
      for (const Integer& sign : {Integer(1), Integer(-1)}) {
        const Integer most = power_of_two(40) - 1;
        CHECK(decryptor.decrypt_slots(ciphertext(j, sign * most)) == expected);
        CHECK_THROWS_MATCHES(decryptor.decrypt_slots(ciphertext(j, sign * (most + 2))), Error,
                             HasCode(ErrorCode::noise_exceeded, "more noise than it claims"));
      }
    }
  }
}

TEST_CASE("one bit is in all slots, and only then one can be asked for", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const Encryptor encryptor = test_encryptor(keys);
  const Decryptor decryptor(keys.secret_key);
  for (const bool bit : {false, true}) {
    CHECK(decryptor.decrypt(encryptor.encrypt(bit)) == bit);
    CHECK(decryptor.decrypt(encryptor.encrypt_slots(SlotBits(4, bit))) == bit);
  }
  CHECK_THROWS_MATCHES(
      decryptor.decrypt(encryptor.encrypt_slots(SlotBits{true, false, true, true})), Error,
      HasCode(ErrorCode::unsupported, "decrypt its slots"));
  CHECK_THROWS_MATCHES(encryptor.encrypt_slots(SlotBits(3)), Error,
                       HasCode(ErrorCode::invalid_argument, "3 bits for a ciphertext of 4 slots"));
  // A key without slots has one.
  const KeyPair& plain = test_keys("cnt-mini");
  CHECK(plain.public_key.slots() == 1);
  check_slots(plain, test_encryptor(plain).encrypt_slots(SlotBits{true}), SlotBits{true});
}

TEST_CASE("encryptions of slots that were prepared are right, and none repeats", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const Encryptor encryptor(keys.public_key);
  encryptor.prepare(4);
  std::set<Integer> values;
  for (int k = 0; k < 12; ++k) {
    const Ciphertext c = encryptor.encrypt_slots(SlotBits{true, true, false, k % 2 == 0});
    check_slots(keys, c, SlotBits{true, true, false, k % 2 == 0});
    values.insert(c.value());
  }
  CHECK(values.size() == 12);
}

TEST_CASE("a mask keeps the slots that it names", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const std::size_t slots = keys.public_key.slots();
    const Evaluator evaluator(keys.public_key);
    TestRandom random("masks");
    const SlotBits bits = random_slots(random, slots);
    const SlotBits mask = random_slots(random, slots);
    const Ciphertext public_mask = evaluator.constant(mask);
    check_slots(keys, public_mask, mask);
    CHECK(public_mask.noise().bits() < 8 + static_cast<double>(bdghv_parameters(group).rho));
    SlotBits kept;
    for (std::size_t j = 0; j < slots; ++j) kept.push_back(bits[j] && mask[j]);
    const Ciphertext c = evaluator.recrypt(test_encryptor(keys).encrypt_slots(bits));
    check_slots(keys, evaluator.and_gate(c, public_mask), kept);
    CHECK_THROWS_MATCHES(evaluator.constant(SlotBits(slots + 1)), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("the noise of no slot exceeds the claim of an encryption or recryption", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const Encryptor encryptor = test_encryptor(keys);
  const Evaluator evaluator(keys.public_key);
  TestRandom random("noise");
  std::vector<SlotBits> rows;
  for (int k = 0; k < 1000; ++k) rows.push_back(random_slots(random, 4));
  const std::vector<Ciphertext> cs = encryptor.encrypt_slots(rows);
  std::size_t over = 0;
  for (const Ciphertext& c : cs) over += measure_noise(keys.secret_key, c) > c.noise() ? 1U : 0U;
  for (const Ciphertext& c : evaluator.recrypt({cs.begin(), cs.begin() + 200})) {
    over += measure_noise(keys.secret_key, c) > c.noise() ? 1U : 0U;
  }
  CHECK(over == 0);
}

TEST_CASE("chained gates and permutations are right in every slot", "[bdghv]") {
  for (const char* seed : {"a", "b", "c", "d", "e"}) {
    const std::vector<SlotPermutation> zeta{SlotPermutation::rotation(4, 1),
                                            SlotPermutation({2, 0, 1, 3})};
    check_slot_chain(keys_with("bdghv-mini", zeta, seed), zeta, 100, seed);
  }
  const std::vector<SlotPermutation> zeta{SlotPermutation::rotation(10, 7)};
  check_slot_chain(keys_with("bdghv-toy", zeta), zeta, 40, "toy");
}

TEST_CASE("thousands of ciphertexts claim no less noise than they have in any slot",
          "[bdghv][long]") {
  for (const auto& [group, count] : {std::pair("bdghv-mini", 4000), std::pair("bdghv-toy", 1000)}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Evaluator evaluator(keys.public_key);
    TestRandom random("noise of thousands");
    std::vector<SlotBits> rows;
    for (int k = 0; k < count; ++k) rows.push_back(random_slots(random, keys.public_key.slots()));
    const std::vector<Ciphertext> fresh = test_encryptor(keys).encrypt_slots(rows);
    const std::vector<Ciphertext> refreshed = evaluator.recrypt(fresh);
    std::size_t over = 0;
    std::size_t wrong = 0;
    const Decryptor decryptor(keys.secret_key);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::size_t other = (k + 1) % rows.size();
      SlotBits both;
      for (std::size_t j = 0; j < rows[k].size(); ++j) {
        both.push_back(rows[k][j] && rows[other][j]);
      }
      const Ciphertext product = evaluator.and_gate(refreshed[k], refreshed[other]);
      for (const Ciphertext* c : {&fresh[k], &refreshed[k], &product}) {
        for (const NoiseBound& slot : measure_slot_noise(keys.secret_key, *c)) {
          over += slot > c->noise() ? 1U : 0U;
        }
      }
      wrong += decryptor.decrypt_slots(refreshed[k]) != rows[k] ? 1U : 0U;
      wrong += decryptor.decrypt_slots(product) != both ? 1U : 0U;
    }
    CHECK(over == 0);
    CHECK(wrong == 0);
  }
}

// Needs 8 GB of memory and as much room for temporary files; with two threads a quarter of an hour.
TEST_CASE("a large key is made, saved, read, checked, and used in all slots", "[.large][bdghv]") {
  const TemporaryDirectory directory;
  const SlotPermutation zeta = SlotPermutation::rotation(531, 400);
  {
    const KeyPair keys = keys_with("bdghv-large", {zeta});
    save(directory / "public", directory / "secret", keys);
  }
  const KeyPair keys{load_public_key(directory / "public"), load_secret_key(directory / "secret")};
  CHECK(all_passed(check_key_pair(keys.public_key, keys.secret_key)));
  TestRandom random("large");
  const Evaluator evaluator(keys.public_key);
  const std::vector<SlotBits> rows{random_slots(random, 531), random_slots(random, 531)};
  const std::vector<Ciphertext> cs = test_encryptor(keys).encrypt_slots(rows);
  const Ciphertext product = evaluator.and_gate(cs[0], cs[1]);
  SlotBits both;
  for (std::size_t j = 0; j < 531; ++j) both.push_back(rows[0][j] && rows[1][j]);
  check_slots(keys, product, both);
  check_slots(keys, evaluator.and_gate(evaluator.recrypt(product), cs[0]), both);
  // Gate, permutation, recryption, gate.
  const SlotBits moved = zeta.apply(both);
  const Ciphertext permuted = evaluator.recrypt(evaluator.permute(product, zeta));
  check_slots(keys, permuted, moved);
  for (std::size_t j = 0; j < 531; ++j) both[j] = moved[j] && rows[1][j];
  check_slots(keys, evaluator.and_gate(permuted, cs[1]), both);
}

TEST_CASE("long chains of gates and permutations are right in every slot", "[bdghv][long]") {
  for (const char* seed : {"a", "b", "c", "d", "e"}) {
    const std::vector<SlotPermutation> zeta{SlotPermutation::rotation(10, 7)};
    check_slot_chain(keys_with("bdghv-toy", zeta, seed), zeta, 100, seed);
  }
  const std::vector<SlotPermutation> zeta{SlotPermutation::rotation(37, 5)};
  check_slot_chain(keys_with("bdghv-small", zeta), zeta, 20, "small");
}

TEST_CASE("a medium key permutes, recrypts and multiplies all slots", "[bdghv][long]") {
  const std::vector<SlotPermutation> zeta{SlotPermutation::rotation(138, 100)};
  check_slot_chain(keys_with("bdghv-medium", zeta), zeta, 6, "medium");
}

TEST_CASE("a permutation followed by its inverse changes no bit", "[bdghv]") {
  const SlotPermutation zeta({3, 1, 0, 2});
  const KeyPair keys = keys_with("bdghv-mini", {zeta, zeta.inverse()});
  const Evaluator evaluator(keys.public_key);
  const SlotBits bits{true, false, false, true};
  const Ciphertext c = test_encryptor(keys).encrypt_slots(bits);
  const Ciphertext permuted = evaluator.permute(c, zeta);
  check_slots(keys, permuted, zeta.apply(bits));
  check_slots(keys, evaluator.permute(permuted, zeta.inverse()), bits);
  CHECK(evaluator.counts().recryptions == 2);
  CHECK(evaluator.permute(c, SlotPermutation::identity(4)).value() == c.value());
  CHECK_THROWS_MATCHES(evaluator.permute(c, SlotPermutation({1, 0, 2, 3})), Error,
                       HasCode(ErrorCode::unsupported, "neither this permutation nor"));
  CHECK_THROWS_MATCHES(evaluator.permute(c, SlotPermutation::identity(3)), Error,
                       HasCode(ErrorCode::invalid_argument, "of 3 slots for ciphertexts of 4"));
}

TEST_CASE("a network of rotations does every permutation of four slots", "[bdghv]") {
  const KeyPair keys = keys_with("bdghv-mini", network_rotations(4));
  const Evaluator evaluator(keys.public_key);
  const std::vector<SlotBits> rows{
      {true, false, false, false}, {false, true, false, false}, {false, false, true, false}};
  const std::vector<Ciphertext> cs = test_encryptor(keys).encrypt_slots(rows);
  std::vector<std::uint32_t> sources{0, 1, 2, 3};
  do {
    const SlotPermutation permutation(sources);
    const std::uint64_t before = evaluator.counts().recryptions;
    const std::vector<Ciphertext> permuted = evaluator.permute(cs, permutation);
    CHECK(evaluator.counts().recryptions - before <= 3 * 2 * 3);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      check_slots(keys, permuted[k], permutation.apply(rows[k]));
    }
  } while (std::ranges::next_permutation(sources).found);
}

TEST_CASE("a network does what the direct permutation does", "[bdghv]") {
  TestRandom random("network");
  const SlotPermutation zeta = random_permutation(random, 8, 10);
  std::vector<SlotPermutation> held = network_rotations(10);
  const KeyPair network = keys_with("bdghv-toy", held);
  const KeyPair direct = keys_with("bdghv-toy", {zeta});
  const SlotBits bits = random_slots(random, 10);
  const Evaluator by_network(network.public_key);
  const Evaluator directly(direct.public_key);
  const Ciphertext a = test_encryptor(network).encrypt_slots(bits);
  const Ciphertext b = test_encryptor(direct).encrypt_slots(bits);
  check_slots(network, by_network.permute(a, zeta), zeta.apply(bits));
  check_slots(direct, directly.permute(b, zeta), zeta.apply(bits));
  CHECK(directly.counts().recryptions == 1);
  CHECK(by_network.counts().recryptions <= 2 * 5 + 2);
  CHECK_THROWS_MATCHES(by_network.permute(a, SlotPermutation::rotation(10, 3)), Error,
                       HasCode(ErrorCode::unsupported, "the first 8 of 10 slots"));
}

TEST_CASE("permutations that a key cannot have are refused", "[bdghv]") {
  const auto generator = [](const std::string& group, std::vector<SlotPermutation> permutations) {
    return KeyGenerator(ParameterSet::named(group), open_backend(),
                        {.permutations = std::move(permutations)});
  };
  const SlotPermutation turn = SlotPermutation::rotation(4, 1);
  CHECK_THROWS_MATCHES(generator("bdghv-mini", {SlotPermutation::rotation(5, 1)}), Error,
                       HasCode(ErrorCode::invalid_argument, "of 5 slots, and ciphertexts have 4"));
  CHECK_THROWS_MATCHES(generator("bdghv-mini", {turn, turn}), Error,
                       HasCode(ErrorCode::invalid_argument, "twice"));
  CHECK_THROWS_MATCHES(generator("bdghv-mini", {SlotPermutation::identity(4)}), Error,
                       HasCode(ErrorCode::invalid_argument, "moves nothing"));
  CHECK_THROWS_MATCHES(generator("cnt-mini", {turn}), Error,
                       HasCode(ErrorCode::invalid_argument, "ciphertexts have 1"));
  CHECK_THROWS_MATCHES(SlotPermutation({0, 0}), Error,
                       HasCode(ErrorCode::invalid_argument, "not 0 twice"));
  CHECK_THROWS_MATCHES(SlotPermutation({0, 2}), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(SlotPermutation({}), Error, HasCode(ErrorCode::invalid_argument));
}

TEST_CASE("the owner encrypts slots in short ciphertexts", "[bdghv]") {
  for (const std::string group : {"bdghv-mini", "bdghv-toy"}) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const std::size_t slots = keys.public_key.slots();
    TestRandom random("owner");
    std::vector<SlotBits> rows;
    for (int k = 0; k < 10; ++k) rows.push_back(random_slots(random, slots));
    // Noise right below the claim is measured above it, by up to two units: the same in every run.
    const SecretEncryptor encryptor(keys.secret_key, open_backend(),
                                    std::make_shared<TestRandom>("the owner's noise"));
    const std::vector<Ciphertext> cs = expand(encryptor.encrypt_slots(rows), keys.public_key);
    REQUIRE(cs.size() == rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) check_slots(keys, cs[k], rows[k]);
    const std::vector<Ciphertext> bits = expand(encryptor.encrypt({true, false}), keys.public_key);
    CHECK(Decryptor(keys.secret_key).decrypt(bits) == std::vector<bool>{true, false});
    CHECK_THROWS_MATCHES(encryptor.encrypt_slots({SlotBits(slots + 1)}), Error,
                         HasCode(ErrorCode::invalid_argument));
  }
}

TEST_CASE("with one slot the scheme is a DGHV", "[bdghv]") {
  const ParameterSet group =
      GroupText("bdghv-mini").head("name", "\"one-slot\"").set("slots", 1).parse();
  const KeyPair keys = KeyGenerator(group).generate(TestSeed{"one slot"});
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const bdghv::Parameters p(group);
  CHECK(p.correction_bits() == p.eta + p.lambda);
  CHECK(secret.primes().size() == 1);
  CHECK(secret.p() == secret.primes()[0]);
  CHECK(bdghv_part(keys.public_key).squashed().solved.size() == 1);
  // The secret key is drawn and stored as that of CNT.
  const ParameterSet cnt = GroupText("cnt-mini")
                               .head("name", "\"one-slot-cnt\"")
                               .set("lambda", p.lambda)
                               .set("gamma", p.gamma)
                               .set("kappa", p.kappa)
                               .set("tau", 23)
                               .parse();
  const KeyPair other = KeyGenerator(cnt).generate(TestSeed{"one slot"});
  CHECK(dghv_part(other.secret_key).p() == secret.p());
  CHECK(other.public_key.modulus() == keys.public_key.modulus());
  CHECK(scheme_named("cnt").shape(cnt).secret_sections ==
        scheme_named("bdghv").shape(group).secret_sections);
  const Encryptor encryptor = test_encryptor(keys);
  const Evaluator evaluator(keys.public_key);
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      const Ciphertext product = evaluator.and_gate(encryptor.encrypt(a), encryptor.encrypt(b));
      check_slots(keys, product, SlotBits{a && b});
      CHECK(Decryptor(keys.secret_key).decrypt(evaluator.recrypt(product)) == (a && b));
    }
  }
}

TEST_CASE("keys of slots can be stopped in every phase, and nothing is left behind", "[bdghv]") {
  const TemporaryDirectory directory;
  const KeyGenerator generator(ParameterSet::named("bdghv-mini"), open_backend(),
                               {.permutations = {SlotPermutation::rotation(4, 1)}});
  const auto made = stop_in_each_phase(
      [&](const Monitor& monitor) {
        const KeyPair keys = generator.generate(TestSeed{"stopped"}, monitor);
        save(directory / "public", directory / "secret", keys, monitor);
        std::filesystem::remove_all(directory / "public");
        std::filesystem::remove_all(directory / "secret");
      },
      [&] { CHECK(std::filesystem::is_empty(directory.path())); });
  for (const char* phase : {"secret primes", "factors of q0", "elements of all slots",
                            "squashed key", "key id", "write the public key"}) {
    CAPTURE(phase);
    CHECK(made.contains(phase));
  }
  const KeyPair keys = generator.generate(TestSeed{"stopped"});
  save(directory / "public", directory / "secret", keys);
  const auto used = stop_in_each_phase(
      [&](const Monitor& monitor) {
        const PublicKey key = load_public_key(directory / "public", {}, monitor);
        CHECK(key.id() == keys.public_key.id());
        const auto findings = check_key_pair(key, keys.secret_key, open_backend(), monitor);
        CHECK(all_passed(findings));
      },
      [] {});
  for (const char* phase : {"read the public key", "public elements", "elements of slots",
                            "elements of noise", "encrypted key bits", "permuted key bits"}) {
    CAPTURE(phase);
    CHECK(used.contains(phase));
  }
}

TEST_CASE("a small file that claims to be a key of gigabytes is refused at once", "[bdghv]") {
  const TemporaryDirectory directory;
  for (const std::string group : {"bdghv-mini", "bdghv-large"}) {
    CAPTURE(group);
    const std::string head = head_of_key(ParameterSet::named(group));
    const std::string kilobyte = head.substr(0, 1024);
    const long before = largest_memory();
    for (const std::string& cut : {kilobyte, head}) {
      // A file and bytes have another size than the header says; a pipe has not until it ends.
      CHECK_THROWS_MATCHES(load_public_key(Source(std::as_bytes(std::span(cut)))), Error,
                           HasCode(ErrorCode::malformed_file, "truncated"));
      std::istringstream in(cut);
      CHECK_THROWS_MATCHES(load_public_key(Source(in)), Error,
                           HasCode(ErrorCode::malformed_file, "truncated"));
    }
    constexpr long kMostKib = 64 * 1024;
    CHECK(largest_memory() - before < (kSanitized ? 4 : 1) * kMostKib);
  }
}

TEST_CASE("values of slots that no key has are refused", "[bdghv]") {
  const TemporaryDirectory directory;
  const KeyPair keys = keys_with("bdghv-mini", {});
  save(directory / "public", directory / "secret", keys);
  const bdghv::Parameters& p = bdghv_part(keys.public_key).parameters();
  const auto public_flaw = [&](const auto& change) {
    const bdghv::BdghvPublicMaterial& good = bdghv_part(keys.public_key);
    bdghv::Elements elements = good.elements();
    dghv::SquashedKey squashed = good.squashed();
    Integer x0 = good.modulus();
    change(x0, elements, squashed);
    return bdghv::BdghvPublicMaterial(p, x0, elements, squashed, {}).flaw();
  };
  using Squashed = dghv::SquashedKey;
  CHECK(public_flaw([](Integer&, bdghv::Elements&, Squashed&) {}) == std::nullopt);
  // u_j and corrections out of range, one slot too few, values of two slots that are equal.
  CHECK(public_flaw([&](Integer&, bdghv::Elements&, Squashed& key) {
          key.solved[2] = power_of_two(p.kappa + 1);
        })->find("'u0'") != std::string::npos);
  CHECK(public_flaw([](Integer&, bdghv::Elements&, Squashed& key) {
          key.solved.pop_back();
        })->find("'u0' must hold 4") != std::string::npos);
  CHECK(public_flaw([&](Integer&, bdghv::Elements& elements, Squashed&) {
          elements.units[1] = power_of_two(p.correction_bits());
        })->find("delta.x'") != std::string::npos);
  CHECK(public_flaw([](Integer&, bdghv::Elements& elements, Squashed&) {
          elements.noise[3] = -1;
        })->find("delta.Pi") != std::string::npos);
  CHECK(public_flaw([](Integer&, bdghv::Elements& elements, Squashed&) {
          elements.noise[3] = elements.units[0];
        })->find("equal") != std::string::npos);
  CHECK(public_flaw([](Integer& x0, bdghv::Elements&, Squashed&) { x0 *= 2; }).has_value());

  // Ciphertexts of a key of another number of slots, and a correction that is too long for theirs.
  const KeyPair& others = test_keys("bdghv-toy");
  save(directory / "c", SecretEncryptor(keys.secret_key).encrypt({true, false}), keys.secret_key);
  CHECK_THROWS_MATCHES(load_ciphertexts(directory / "c", others.public_key), Error,
                       HasCode(ErrorCode::wrong_key));
  Draft draft(directory / "c");
  draft["seeded"][16] ^= std::byte{1};  // bits of a correction
  draft.write(directory / "forged");
  CHECK_THROWS_MATCHES(load_ciphertexts(directory / "forged", keys.public_key), Error,
                       HasCode(ErrorCode::malformed_file));
}

TEST_CASE("the modulus is a multiple of the prime of every slot", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const dghv::DghvSecretMaterial& good = dghv_part(keys.secret_key);
  const std::size_t slots = good.slots();
  for (std::size_t wrong = 0; wrong <= slots; ++wrong) {
    CAPTURE(wrong);
    SecretIntegers primes(slots);
    for (std::size_t j = 0; j < slots; ++j) primes[j] = good.primes()[j];
    if (wrong < slots) primes[wrong] -= 2;
    const auto ones = good.all_ones();
    const dghv::DghvSecretMaterial secret(good.parameters(), dghv::SecretPrimes(std::move(primes)),
                                          {ones.begin(), ones.end()}, good.modulus());
    CHECK(secret.flaw().has_value() == (wrong < slots));
  }
}

TEST_CASE("a check of keys looks at the bit of every slot", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const bdghv::BdghvPublicMaterial& good = bdghv_part(keys.public_key);
  const dghv::DghvSecretMaterial& secret = dghv_part(keys.secret_key);
  const std::size_t last = secret.slots() - 1;
  // 1 in the last slot and 0 in the others.
  const Integer& p = secret.primes()[last];
  const Integer others = secret.p() / p;
  Integer inverse;
  REQUIRE(mpz_invert(inverse.get_mpz_t(), others.get_mpz_t(), p.get_mpz_t()) != 0);
  // All key bits of that slot become 0: it recrypts to c mod 2.
  dghv::SquashedKey squashed = good.squashed();
  for (const std::uint32_t one : secret.ones(last)) squashed.sigma[one] += others * inverse;
  const PublicKey forged(
      keys.public_key.parameters(), keys.public_key.id(),
      std::make_shared<bdghv::BdghvPublicMaterial>(
          good.parameters(), good.modulus(), good.elements(), squashed, bdghv::PermutedKeyBits{}));
  const auto recrypts = [&] {
    const auto findings = check_key_pair(forged, keys.secret_key);
    return std::ranges::find(findings, "recryption", &KeyFinding::what)->passed;
  };
  // Right once in four times.
  int passed = 0;
  while (passed < 40 && recrypts()) ++passed;
  CHECK(passed < 40);
}

TEST_CASE("slots that hold different bits are no single bit", "[bdghv]") {
  const KeyPair& keys = test_keys("bdghv-mini");
  const Encryptor encryptor = test_encryptor(keys);
  const Decryptor decryptor(keys.secret_key);
  for (const SlotBits& bits : {SlotBits{true, false, false, false}, {false, true, true, true}}) {
    CHECK_THROWS_MATCHES(decryptor.decrypt(encryptor.encrypt_slots(bits)), Error,
                         HasCode(ErrorCode::unsupported, "hold different bits"));
  }
  CHECK(decryptor.decrypt(encryptor.encrypt_slots(SlotBits(4, true))));
}

TEST_CASE("the noise of a ciphertext is the largest of its slots", "[bdghv]") {
  const dghv::DghvSecretMaterial& secret = dghv_part(test_keys("bdghv-mini").secret_key);
  for (std::size_t j = 0; j < secret.slots(); ++j) {
    CAPTURE(j);
    const Integer& c = secret.primes()[j];  // without noise in this slot alone
    const std::vector<NoiseBound> noise = secret.measure_slot_noise(c);
    CHECK(noise[j] == NoiseBound());
    CHECK(secret.measure_noise(c) == std::ranges::max(noise));
    CHECK(secret.measure_noise(c) > NoiseBound());
  }
}

TEST_CASE("groups whose slots do not fit are refused", "[bdghv]") {
  const auto refused = [](const GroupText& group, const std::string& why) {
    CHECK_THROWS_MATCHES(group.parse(), Error, HasCode(ErrorCode::invalid_parameters, why));
  };
  refused(GroupText("bdghv-mini").set("slots", 5), "must be at least slots = 5");
  refused(GroupText("bdghv-mini").set("slots", 0), "slots");
  refused(GroupText("bdghv-mini").set("gamma", 2300).set("kappa", 2367), "slots * eta");
  refused(GroupText("bdghv-mini").set("tau", 22), "tau = 22");
  refused(GroupText("bdghv-mini").set("alpha", 512).set("tau", 23), "gamma / alpha = 24");
  refused(GroupText("bdghv-mini").set("alpha", 545), "new encryption");
  refused(GroupText("cnt-mini").set("slots", 2), "slots");
  refused(GroupText("bdghv-mini")
              .set("adder", "\"digits\"")
              .set("digit_key_sets", 1)
              .set("noise_failure_bits", 40),
          "digits");
}

TEST_CASE("keys with slots come back from their files", "[bdghv]") {
  const TemporaryDirectory directory;
  for (const bool with_permutations : {false, true}) {
    CAPTURE(with_permutations);
    const KeyPair keys = keys_with(
        "bdghv-mini", with_permutations ? network_rotations(4) : std::vector<SlotPermutation>());
    save(directory / "public", directory / "secret", keys);
    const PublicKey public_key = load_public_key(directory / "public");
    const SecretKey secret_key = load_secret_key(directory / "secret");
    CHECK(public_key.id() == keys.public_key.id());
    CHECK(std::ranges::equal(bdghv_part(public_key).permutations(),
                             bdghv_part(keys.public_key).permutations()));
    for (const auto& findings :
         {check_key(public_key), check_key(secret_key), check_key_pair(public_key, secret_key)}) {
      for (const KeyFinding& finding : findings) {
        CAPTURE(finding.what, finding.detail);
        CHECK(finding.passed);
      }
    }
    const SlotBits bits{true, false, true, true};
    const Ciphertext c = Encryptor(public_key).encrypt_slots(bits);
    CHECK(Decryptor(secret_key).decrypt_slots(c) == bits);
    if (!with_permutations) {
      CHECK(std::filesystem::file_size(directory / "public") ==
            sizes_of(ParameterSet::named("bdghv-mini"))->public_key_file);
    }
  }
}

TEST_CASE("altered keys with slots are refused or found", "[bdghv]") {
  const TemporaryDirectory directory;
  const KeyPair keys = keys_with("bdghv-mini", {SlotPermutation::rotation(4, 1)});
  save(directory / "public", directory / "secret", keys);
  const auto refused = [&](const char* file, const std::string& why, const auto& change) {
    Draft draft(directory / file);
    change(draft);
    if (std::string(file) == "public") draft.fit_key_id();
    draft.write(directory / "forged");
    const auto load = [&] {
      if (std::string(file) == "public") {
        static_cast<void>(load_public_key(directory / "forged"));
      } else {
        static_cast<void>(load_secret_key(directory / "forged"));
      }
    };
    CHECK_THROWS_MATCHES(load(), Error, HasCode(ErrorCode::malformed_file, why));
  };
  const std::vector<std::string> lists{"u0", "delta", "delta.x'", "delta.Pi", "sigma", "sigma.z"};
  for (const std::string& list : lists) {
    CAPTURE(list);
    refused("public", "", [&](Draft& d) { d[list].pop_back(); });
    refused("public", "", [&](Draft& d) { d[list].push_back(std::byte{0}); });
    refused("public", "", [&](Draft& d) {
      std::erase_if(d.sections, [&](const auto& section) { return section.name == list; });
    });
  }
  for (const std::string list : {"delta", "delta.x'", "delta.Pi", "sigma", "sigma.z"}) {
    CAPTURE(list);
    refused("public", "equal", [&](Draft& d) { std::ranges::fill(d[list], std::byte{0}); });
  }
  refused("public", "", [](Draft& d) { std::swap(d["delta.x'"], d["sigma"]); });
  // More permutations than the section holds, and one that is none.
  refused("public", "does not hold", [](Draft& d) { d["zeta"][0] = std::byte{200}; });
  refused("public", "", [](Draft& d) { d["zeta"][0] = std::byte{0}; });
  refused("public", "a permutation of 4 slots", [](Draft& d) { d["zeta"][4] = std::byte{9}; });
  refused("public", "a permutation of 4 slots", [](Draft& d) { d["zeta"][4] = std::byte{2}; });
  refused("secret", "", [](Draft& d) { d["p"].pop_back(); });
  refused("secret", "not an odd multiple",  // two equal primes
          [](Draft& d) { std::copy_n(d["p"].begin(), 72, d["p"].begin() + 72); });
  refused("secret", "exactly one 1 in each box", [](Draft& d) { d["s"][4] = std::byte{1}; });

  const auto found = [&](const std::string& list, std::size_t byte) {
    Draft draft(directory / "public");
    draft[list].at(byte) ^= std::byte{1};
    draft.fit_key_id();
    draft.write(directory / "forged");
    const PublicKey forged = load_public_key(directory / "forged");
    const PublicKey posing(forged.parameters(), keys.public_key.id(),
                           std::shared_ptr<const PublicMaterial>(
                               std::make_shared<PublicKey>(forged), &forged.material()));
    return !all_passed(check_key_pair(posing, keys.secret_key));
  };
  for (const std::string& list : lists) {
    CAPTURE(list);
    CHECK(found(list, 0));
  }
}

}  // namespace fhe::test

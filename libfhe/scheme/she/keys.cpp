// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/keys.hpp"

#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/dghv/modulus.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/scheme/she/public_sections.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/scheme/test_seed.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::she {

namespace {

void require_numbers(const SlotNumbers& numbers, const Parameters& p) {
  if (numbers.size() > p.slots) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} numbers are more than the {} slots of a ciphertext: encrypt the "
                            "rest in another one",
                            numbers.size(), p.slots));
  }
  require_below(numbers, p.plaintext);
}

// Q r_i for the elements of a public key.
SecretIntegers draw_element_noise(const Parameters& p, SecretRandom& random) {
  const Integer modulus = to_integer(p.plaintext);
  SecretIntegers noise(p.tau);
  for (Integer& term : noise.span()) {
    term = uniform_centered(random, p.rho);
    term *= modulus;
  }
  return noise;
}

// A claim that anybody can break protects nobody, so only test keys are made of such a group.
void require_kept_claim(const ParameterSet& group, const SecretRandom& random) {
  if (random.is_test()) return;
  const security::Estimate estimate = estimate_of(group).value();
  const std::size_t claimed = Parameters(group).lambda;
  if (estimate.verdict() != security::Verdict::broken ||
      estimate.core() >= static_cast<double>(claimed))
    return;
  throw group.invalid(
      fmt::format("claims lambda = {} bits and is {}: only test keys are made of it; "
                  "find a group with fhe params search",
                  claimed, security::reason_in_words(estimate)));
}

}  // namespace

SecretKey::SecretKey(KeyId id, std::shared_ptr<const SecretSlots> contents)
    : id_(std::move(id)), contents_("the secret key", std::move(contents)) {}

const ParameterSet& SecretKey::group() const {
  return contents_->group();
}

KeyGenerator::KeyGenerator(ParameterSet group, BackendPtr backend)
    : group_(std::move(group)),
      backend_("the key generator", required(std::move(backend), "the backend")) {
  require_family(group_, GroupPurpose::slots);
  reporting_memory([&] {
    if (const auto flaw = group_.flaw()) throw group_.invalid(*flaw);
  });
}

SecretKey KeyGenerator::generate(const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    SystemRandom random;
    return generate(random, monitor);
  });
}

SecretKey KeyGenerator::generate(const TestSeed& seed, const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    TestRandom random("slots key generation " + seed.text);
    return generate(random, monitor);
  });
}

KeyPair KeyGenerator::generate_pair(const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    StreamSeed seed;
    fill_public(seed);
    SystemRandom random;
    return generate_pair(seed, random, monitor);
  });
}

KeyPair KeyGenerator::generate_pair(const TestSeed& seed, const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    TestRandom random("slots key generation " + seed.text);
    return generate_pair(test_stream_seed(seed), random, monitor);
  });
}

SecretKey KeyGenerator::generate(SecretRandom& random, const Monitor& monitor) const {
  require_kept_claim(group_, random);
  const Parameters parameters(group_);
  if (parameters.has_public_keys()) throw group_.invalid("its keys come in pairs: generate_pair");
  auto contents = std::make_shared<const SecretSlots>(
      group_, dghv::generate_primes(parameters.slots, parameters.eta, *backend_, random, monitor),
      monitor);
  // Two equal primes: of 150 bits once in 2^120 keys.
  if (contents->flaw()) {
    throw group_.invalid("two of the primes drawn are equal: eta is too small for so many slots");
  }
  KeyId id{group_.name(), contents->digest(), random.is_test()};
  return {std::move(id), std::move(contents)};
}

KeyPair KeyGenerator::generate_pair(const StreamSeed& seed, SecretRandom& random,
                                    const Monitor& monitor) const {
  require_kept_claim(group_, random);
  const Parameters p(group_);
  if (!p.has_public_keys()) throw group_.invalid("it has no public keys: generate a secret key");
  auto contents = std::make_shared<const SecretSlots>(
      group_, dghv::generate_primes(p.slots, p.eta, *backend_, random, monitor), monitor);
  BufferedRandom draws(random);
  std::vector<Integer> corrections =
      dghv::compress(p.correction_bits(), contents->product(), public_elements(p, seed),
                     draw_element_noise(p, draws), *backend_, draws, monitor);
  KeyIdHasher hasher;
  write_public_sections(hasher, seed, corrections, p.correction_bits());
  const KeyId id{group_.name(), hasher.finish(group_.digest()), random.is_test()};
  return {PublicKey(group_, id, seed, std::move(corrections)), SecretKey(id, std::move(contents))};
}

Encryptor::Encryptor(const SecretKey& key)
    : Encryptor(key, reporting_memory([] { return std::make_shared<SystemRandom>(); })) {}

Encryptor::Encryptor(const SecretKey& key, std::shared_ptr<SecretRandom> random)
    : id_(reporting_memory([&] { return key.id(); })),
      contents_("the encryptor", key.contents()),
      random_("the encryptor", random_for(id_, std::move(random))) {}

CompressedSlots Encryptor::encrypt_compressed(const std::vector<SlotNumbers>& rows,
                                              const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    for (const SlotNumbers& row : rows) require_numbers(row, contents_->parameters());
    return contents_->encrypt(rows, id_, *random_, monitor);
  });
}

std::vector<Slots> Encryptor::encrypt_all(const std::vector<SlotNumbers>& rows,
                                          const Monitor& monitor) const {
  return encrypt_compressed(rows, monitor).expand(contents_->group(), monitor);
}

Slots Encryptor::encrypt(const SlotNumbers& numbers, const Monitor& monitor) const {
  return reporting_memory([&] { return std::move(encrypt_all({numbers}, monitor).front()); });
}

Decryptor::Decryptor(const SecretKey& key)
    : id_(reporting_memory([&] { return key.id(); })), contents_("the decryptor", key.contents()) {}

SlotNumbers Decryptor::decrypt(const Slots& x) const {
  const SecretWork work;
  return reporting_memory([&] {
    require_slots_of(id_, contents_->parameters(), x);
    SecretSlots::Decryption result = contents_->decrypt(x.value(), x.noise());
    if (result.within_claim) return std::move(result.numbers);
    throw Error(ErrorCode::noise_exceeded,
                "refused: the ciphertext has more noise than it claims, so it was altered, and its "
                "numbers would be meaningless");
  });
}

std::vector<SlotNumbers> Decryptor::decrypt_all(const std::vector<Slots>& xs,
                                                const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    std::vector<SlotNumbers> rows;
    Progress progress(monitor, "decrypt", xs.size());
    for (const Slots& x : xs) {
      try {
        rows.push_back(decrypt(x));
      } catch (const Error& error) {
        throw Error(error.code(), fmt::format("ciphertext {} of {}, counted from 0: {}",
                                              rows.size(), xs.size(), error.what()));
      }
      progress.advance();
    }
    return rows;
  });
}

Integer measure_noise(const SecretKey& key, const Slots& x) {
  const SecretWork work;
  return reporting_memory([&] {
    require_slots_of(key.id(), key.contents()->parameters(), x);
    return key.contents()->measure_noise(x.value());
  });
}

}  // namespace fhe::she

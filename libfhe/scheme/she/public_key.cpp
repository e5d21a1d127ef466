// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/public_key.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/hedged_random.hpp"
#include "libfhe/scheme/dghv/encrypt.hpp"
#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/scheme/test_seed.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::she {

namespace {

constexpr std::size_t kBatch = 32;

// A sum of elements is longer than one of them: with a number alone everybody could read it.
void require_masked_numbers(const std::vector<Integer>& values, std::size_t count,
                            std::size_t bits) {
  const auto is_masked = [&](const Integer& c) { return c > 0 && bit_length(c) >= bits; };
  if (values.size() == count && std::ranges::all_of(values, is_masked)) return;
  throw Error(ErrorCode::wrong_result,
              "an encryption would have shown its number: the public key was altered, or the "
              "backend or the memory of this machine is faulty (use another backend; `ntl` is the "
              "reference); nothing is returned");
}

}  // namespace

PublicKey::PublicKey(ParameterSet group, KeyId id, const StreamSeed& seed,
                     std::vector<Integer> corrections)
    : contents_("the public key",
                std::make_shared<const Contents>(
                    Contents{std::move(group), std::move(id), seed, std::move(corrections)})) {}

PublicStream public_elements(const Parameters& parameters, const StreamSeed& seed) {
  return {seed, StreamPurpose::public_elements, 0, parameters.tau, parameters.gamma};
}

PublicEncryptor::PublicEncryptor(const PublicKey& key, BackendPtr backend)
    : PublicEncryptor(key, std::move(backend),
                      reporting_memory([] { return std::make_shared<SystemRandom>(); })) {}

PublicEncryptor::PublicEncryptor(const PublicKey& key, BackendPtr backend,
                                 std::shared_ptr<SecretRandom> random)
    : key_(reporting_memory([&] { return key; })),
      parameters_(reporting_memory([&] { return Parameters(key.group()); })),
      backend_("the encryptor", required(std::move(backend), "the backend")),
      random_("the encryptor", random_for(key.id(), std::move(random))) {}

// sum_i b_i (chi_i - delta_i) for as many draws of the b_i.
std::vector<Integer> PublicEncryptor::masks(std::size_t count, SecretRandom& random,
                                            const Monitor& monitor) const {
  const dghv::SecretWeights weights(count, parameters_.tau, parameters_.alpha, random);
  std::vector<Integer> sums =
      backend_->weighted_sums(public_elements(parameters_, key_.seed()), weights.sets(), monitor);
  for (std::size_t k = 0; k < sums.size(); ++k) {
    SecretInteger correction;
    for (std::size_t i = 0; i < parameters_.tau; ++i) {
      mpz_addmul(correction.value().get_mpz_t(), key_.corrections()[i].get_mpz_t(),
                 weights.sets()[k][i].get_mpz_t());
    }
    sums[k] -= correction.value();
  }
  return sums;
}

std::vector<Slots> PublicEncryptor::encrypt_all(const std::vector<std::uint64_t>& numbers,
                                                const Monitor& monitor) const {
  const SecretWork work;
  return reporting_memory([&] {
    require_below(numbers, parameters_.plaintext);
    HedgedRandom hedged(*random_, encryption_context(key_.id().digest, std::span(&numbers, 1)));
    BufferedRandom draws(hedged);
    std::vector<Slots> made;
    made.reserve(numbers.size());
    for (std::size_t first = 0; first < numbers.size(); first += kBatch) {
      const std::size_t count = std::min(kBatch, numbers.size() - first);
      std::vector<Integer> values = masks(count, draws, monitor);
      require_masked_numbers(values, count, parameters_.gamma);
      for (std::size_t k = 0; k < count; ++k) {
        values[k] += to_integer(numbers[first + k]);
        made.emplace_back(std::move(values[k]), parameters_.public_noise(), key_.id());
      }
    }
    return made;
  });
}

Slots PublicEncryptor::encrypt(std::uint64_t number, const Monitor& monitor) const {
  return reporting_memory([&] { return std::move(encrypt_all({number}, monitor).front()); });
}

}  // namespace fhe::she

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/check.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/held.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/prime_search.hpp"
#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/scheme/she/public_sections.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::she {

namespace {

constexpr std::size_t kTrials = 8;  // encryptions under a public key

KeyFinding finding(std::string what, bool passed, std::string_view good, std::string_view bad) {
  return {std::move(what), passed, std::string(passed ? good : bad)};
}

KeyFinding check_primes(const SecretSlots& contents, const Monitor& monitor) {
  const std::span<const Integer> primes = contents.primes();
  const std::size_t bits = contents.parameters().eta;
  std::atomic<std::size_t> wrong = 0;
  Progress progress(monitor, "check primes", primes.size());
  parallel_for(primes.size(), [&](std::size_t j) {
    if (bit_length(primes[j]) != bits || !is_probable_prime(primes[j])) ++wrong;
    progress.advance();
  });
  return finding(
      "secret primes", wrong == 0, fmt::format("{} of {} bits, all prime", primes.size(), bits),
      fmt::format("{} of {} are not primes of {} bits", wrong.load(), primes.size(), bits));
}

KeyFinding check_different(const SecretSlots& contents) {
  const auto flaw = contents.flaw();
  return finding("different primes", !flaw, "no two have a factor in common", flaw.value_or(""));
}

KeyFinding check_id(const SecretKey& key) {
  return finding("key id", key.contents()->digest() == key.id().digest, "it is that of the primes",
                 "it is not that of the primes");
}

KeyFinding check_id(const PublicKey& key) {
  KeyIdHasher hasher;
  write_public_sections(hasher, key.seed(), key.corrections(),
                        Parameters(key.group()).correction_bits());
  return finding("key id", hasher.finish(key.group().digest()) == key.id().digest,
                 "it is that of the contents", "it is not that of the contents");
}

SlotNumbers random_numbers(std::size_t count, std::uint64_t modulus) {
  SystemRandom random;
  BufferedRandom draws(random);
  SlotNumbers numbers(count);
  for (std::uint64_t& number : numbers) {
    number = uniform_below(draws, to_integer(modulus)).get_ui();
  }
  return numbers;
}

// Whether x decrypts to these numbers, with no more noise than it claims.
bool comes_back(const SecretKey& key, const Slots& x, const SlotNumbers& numbers) {
  try {
    return Decryptor(key).decrypt(x) == numbers;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::noise_exceeded) return false;
    throw;
  }
}

// combine(x_j, y_j) mod Q in every slot; Q is at most 2^32.
template <class Combine>
SlotNumbers slot_by_slot(const SlotNumbers& xs, const SlotNumbers& ys, std::uint64_t modulus,
                         const Combine& combine) {
  SlotNumbers results(xs.size());
  for (std::size_t j = 0; j < xs.size(); ++j) results[j] = combine(xs[j], ys[j]) % modulus;
  return results;
}

KeyFinding about_numbers(std::string what, bool passed) {
  return finding(std::move(what), passed,
                 "random numbers come back within the noise that is claimed",
                 "random numbers do not come back within the noise that is claimed");
}

void check_use(std::vector<KeyFinding>& findings, const SecretKey& key, const Monitor& monitor) {
  const Parameters& p = key.contents()->parameters();
  const SlotNumbers a = random_numbers(p.slots, p.plaintext);
  const SlotNumbers b = random_numbers(p.slots, p.plaintext);
  const std::vector<Slots> fresh = Encryptor(key).encrypt_all({a, b}, monitor);
  findings.push_back(
      about_numbers("encryption", comes_back(key, fresh[0], a) && comes_back(key, fresh[1], b)));
  const Arithmetic arithmetic(key.group());
  const SlotNumbers sums = slot_by_slot(a, b, p.plaintext, std::plus());
  findings.push_back(
      about_numbers("sum", comes_back(key, arithmetic.add(fresh[0], fresh[1]), sums)));
  if (p.depth == 0) return;
  monitor.throw_if_stopped();
  const SlotNumbers products = slot_by_slot(a, b, p.plaintext, std::multiplies());
  findings.push_back(
      about_numbers("product", comes_back(key, arithmetic.multiply(fresh[0], fresh[1]), products)));
}

KeyFinding check_corrections(const PublicKey& key) {
  const Parameters p(key.group());
  const auto& corrections = key.corrections();
  const auto fits = [&](const Integer& x) {
    return x >= 0 && bit_length(x) <= p.correction_bits();
  };
  const bool sound = corrections.size() == p.tau && std::ranges::all_of(corrections, fits) &&
                     all_different({corrections});
  return finding(
      "corrections", sound, fmt::format("{} of {} bits, all different", p.tau, p.correction_bits()),
      fmt::format("they are not {} different ones of {} bits", p.tau, p.correction_bits()));
}

KeyFinding check_trial(const PublicKey& key, const BackendPtr& backend, const Monitor& monitor) {
  const std::string what = "trial encryption";
  try {
    const std::vector<Slots> fresh = PublicEncryptor(key, backend).encrypt_all({0, 1}, monitor);
    return finding(what, fresh[0].value() != fresh[1].value(),
                   "it runs; only the secret key can tell whether its numbers are right",
                   "two encryptions are equal: do not encrypt with this key");
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_result) throw;
    return {what, false, "its results hide nothing: do not encrypt with this key"};
  }
}

KeyFinding check_one_pair(const PublicKey& public_key, const SecretKey& secret_key) {
  return finding("one pair",
                 public_key.id() == secret_key.id() && public_key.group() == secret_key.group(),
                 fmt::format("both are {}", public_key.id().text()),
                 fmt::format("the public key is of another pair than the secret key: {} and {}",
                             public_key.id().text(), secret_key.id().text()));
}

// Whether x_i modulo p, in (-p/2, p/2), is Q r_i with |r_i| < 2^rho.
KeyFinding check_elements(const PublicKey& key, const SecretSlots& secret,
                          const BackendPtr& backend, const Monitor& monitor) {
  const Parameters& parameters = secret.parameters();
  const Integer& p = secret.primes().front();
  const Integer most = to_integer(parameters.plaintext) * (power_of_two(parameters.rho) - 1);
  std::vector<Integer> residues =
      backend->residues(public_elements(parameters, key.seed()), p, monitor);
  for (std::size_t i = 0; i < residues.size(); ++i) {
    SecretInteger noise(std::exchange(residues[i], 0) - key.corrections()[i]);
    Integer& value = noise.value();
    mpz_fdiv_r(value.get_mpz_t(), value.get_mpz_t(), p.get_mpz_t());
    if (2 * value > p) value -= p;
    if (abs(value) <= most && mpz_divisible_ui_p(value.get_mpz_t(), parameters.plaintext) != 0) {
      continue;
    }
    return {"public elements", false,
            fmt::format("number {} does not encrypt 0 with the noise of the group", i)};
  }
  return {"public elements", true,
          fmt::format("{} encryptions of 0 with the noise of the group", residues.size())};
}

void check_use(std::vector<KeyFinding>& findings, const PublicKey& public_key,
               const SecretKey& secret_key, const BackendPtr& backend, const Monitor& monitor) {
  const Parameters& p = secret_key.contents()->parameters();
  const SlotNumbers numbers = random_numbers(kTrials, p.plaintext);
  const std::vector<Slots> fresh =
      PublicEncryptor(public_key, backend).encrypt_all(numbers, monitor);
  bool all = true;
  for (std::size_t i = 0; i < kTrials; ++i) {
    all = all && comes_back(secret_key, fresh[i], {numbers[i]});
  }
  findings.push_back(about_numbers("encryption", all));
  // As many as the group is made for.
  const auto count =
      p.additions < kTrials ? std::min(kTrials, std::size_t{1} << p.additions) : kTrials;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += numbers[i];
  const Slots total = Arithmetic(public_key.group(), backend)
                          .sum({fresh.begin(), fresh.begin() + static_cast<std::ptrdiff_t>(count)});
  findings.push_back(about_numbers("sum", comes_back(secret_key, total, {sum % p.plaintext})));
}

}  // namespace

std::vector<KeyFinding> check_key(const SecretKey& key, const Monitor& monitor) {
  const SecretWork work;
  return reporting_memory([&] {
    const SecretSlots& contents = *key.contents();
    std::vector<KeyFinding> findings{check_primes(contents, monitor), check_different(contents)};
    if (!contents.parameters().has_public_keys()) findings.push_back(check_id(key));
    check_use(findings, key, monitor);
    return findings;
  });
}

std::vector<KeyFinding> check_key(const PublicKey& key, const BackendPtr& backend,
                                  const Monitor& monitor) {
  return reporting_memory([&] {
    static_cast<void>(required(backend, "the backend"));
    std::vector<KeyFinding> findings{check_corrections(key)};
    if (!all_passed(findings)) return findings;
    findings.push_back(check_id(key));
    findings.push_back(check_trial(key, backend, monitor));
    return findings;
  });
}

std::vector<KeyFinding> check_key_pair(const PublicKey& public_key, const SecretKey& secret_key,
                                       const BackendPtr& backend, const Monitor& monitor) {
  const SecretWork work;
  return reporting_memory([&] {
    static_cast<void>(required(backend, "the backend"));
    std::vector<KeyFinding> findings{check_one_pair(public_key, secret_key)};
    if (!all_passed(findings)) return findings;
    findings.push_back(check_elements(public_key, *secret_key.contents(), backend, monitor));
    check_use(findings, public_key, secret_key, backend, monitor);
    return findings;
  });
}

}  // namespace fhe::she

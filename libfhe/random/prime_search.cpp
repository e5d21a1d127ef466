// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/prime_search.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "libfhe/random/buffered_random.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

namespace {

// Shorter candidates are tested at once: they could be small primes themselves.
constexpr std::size_t kLeastBits = 32;

// Small primes are those below this: about where a division costs what it saves in tests, whose
// cost grows with the cube of the length.
constexpr std::size_t kLeastSieve = 64;
constexpr std::size_t kSieveShift = 17;
static_assert(kLeastSieve < std::size_t{1} << (kLeastBits - 1));
std::size_t sieve_bound(std::size_t bits) {
  return std::max(kLeastSieve, bits * bits * bits >> kSieveShift);
}

// The Baillie-PSW test and one by powers more, as uniform_prime() has it of GMP, where candidates
// without small factors are short enough for our own to be faster.
bool is_prime(const Integer& candidate) {
  if (bit_length(candidate) > kMostLucasBits) return is_probable_prime(candidate);
  return passes_power_test(candidate, 2) && passes_lucas_test(candidate) &&
         passes_power_test(candidate, 3);
}

}  // namespace

// The candidates of one search that have no small factor.
class PrimeSearch::Candidates {
 public:
  Candidates(const PrimeSearch& search, SecretRandom& random) : search_(search), random_(random) {}

  // Puts the next one there. Throws what uniform_prime() throws when none is found.
  void draw(std::span<Limb> candidate) {
    const std::size_t top = search_.bits_ - 1;
    const auto low = candidate.first(limbs_for_bits(top));
    do {
      if (draws_++ == prime_attempts(search_.bits_ + 1)) throw no_prime_found(search_.bits_ + 1);
      candidate.back() = 0;
      uniform_bits(random_, top, low);
      candidate[top / kLimbBits] |= Limb{1} << top % kLimbBits;
    } while (candidate[0] % 2 == 0 || search_.has_small_factor(candidate));
  }

 private:
  const PrimeSearch& search_;
  SecretRandom& random_;
  std::size_t draws_ = 0;
};

PrimeSearch::PrimeSearch(const Backend& backend, std::size_t bits) : bits_(bits) {
  if (bits < kLeastBits) return;
  test_ = backend.fermat_test(bits);
  if (test_ == nullptr) return;
  small_primes_ = primes_below(sieve_bound(bits));
  small_primes_.erase(small_primes_.begin());  // candidates are odd
  groups_ = prime_groups(small_primes_);
}

bool PrimeSearch::has_small_factor(std::span<const Limb> candidate) const {
  return std::ranges::any_of(groups_, [&](const PrimeGroup& group) {
    const Limb rest =
        mpn_mod_1(candidate.data(), static_cast<mp_size_t>(candidate.size()), group.product);
    const auto primes = std::span(small_primes_).subspan(group.first, group.count);
    return std::ranges::any_of(primes, [&](std::uint32_t prime) { return rest % prime == 0; });
  });
}

SecretInteger PrimeSearch::prime(SecretRandom& random, const Monitor& monitor) const {
  // Who makes keys again from a test seed draws on after the prime, where uniform_prime() ends.
  if (random.is_test()) return SecretInteger(uniform_prime(random, bits_));
  BufferedRandom buffered(random);
  SecretRandom* const source = &buffered;
  SecretIntegers primes = this->primes(std::span(&source, 1), monitor);
  return SecretInteger(std::move(primes[0]));
}

SecretIntegers PrimeSearch::primes(std::span<SecretRandom* const> sources,
                                   const Monitor& monitor) const {
  if (test_ != nullptr) return side_by_side(sources, monitor);
  SecretIntegers primes(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    monitor.throw_if_stopped();
    primes[i] = uniform_prime(*sources[i], bits_);
  }
  return primes;
}

// The searches that go on take turns: where they are few, several candidates of each are tested at
// once, of which the first prime counts.
SecretIntegers PrimeSearch::side_by_side(std::span<SecretRandom* const> sources,
                                         const Monitor& monitor) const {
  SecretIntegers primes(sources.size());
  std::deque<Candidates> searches;
  std::deque<std::size_t> open;
  for (SecretRandom* const source : sources) {
    open.push_back(searches.size());
    searches.emplace_back(*this, *source);
  }
  const std::size_t limbs = limbs_for_bits(bits_);
  SecretVector<Limb> candidates(test_->width() * limbs);
  std::vector<std::size_t> owners(test_->width());
  const auto candidate = [&](std::size_t k) {
    return std::span(candidates).subspan(k * limbs, limbs);
  };
  while (!open.empty()) {
    monitor.throw_if_stopped();
    for (std::size_t k = 0; k < owners.size(); ++k) {
      owners[k] = open.front();
      searches[owners[k]].draw(candidate(k));
      open.pop_front();
      open.push_back(owners[k]);
    }
    const std::vector<bool> passes = test_->passes(candidates);
    for (std::size_t k = 0; k < owners.size(); ++k) {
      Integer& prime = primes[owners[k]];
      if (!passes[k] || prime != 0) continue;
      SecretInteger found(from_limbs(candidate(k)));
      if (is_prime(found.value())) std::swap(prime, found.value());
    }
    std::erase_if(open, [&](std::size_t i) { return primes[i] != 0; });
  }
  return primes;
}

}  // namespace fhe

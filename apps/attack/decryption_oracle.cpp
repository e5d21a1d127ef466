// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "libfhe/error.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// Multiples of one prime have others, small ones, in common with each other by chance.
constexpr unsigned long kSmallCommon = 1UL << 12;

bool is_decrypted(const DecryptionOracle& owner, const Integer& value, Finding& finding) {
  ++finding.samples;
  return owner.decrypt(value).has_value();
}

// The value that the owner is asked for: a ciphertext is reduced where there is a modulus.
Integer asked(const Integer& value, const Samples& samples) {
  if (samples.modulus == 0) return value;
  Integer reduced;
  mpz_fdiv_r(reduced.get_mpz_t(), value.get_mpz_t(), samples.modulus.get_mpz_t());
  return reduced;
}

// The largest noise of x in any slot, where it is less than 2^noise_bits.
Integer largest_noise(const Samples& samples, const Integer& x, std::size_t noise_bits,
                      const DecryptionOracle& owner, Finding& finding) {
  Integer decrypted = owner.limit - power_of_two(noise_bits);
  Integer refused = owner.limit + power_of_two(noise_bits);
  while (refused - decrypted > 1) {
    const Integer middle = (decrypted + refused) / 2;
    const bool is_low = is_decrypted(owner, asked(x + middle, samples), finding);
    (is_low ? decrypted : refused) = middle;
  }
  return owner.limit - decrypted;
}

// Adds what a new multiple of some prime has in common with x0, or with earlier multiples.
void add_primes_of(Finding& finding, const Samples& samples, const Integer& multiple,
                   const Integers& earlier) {
  const auto add = [&](const Integer& other) {
    const Integer common = without_small_factors(gcd(multiple, other), kSmallCommon);
    if (bit_length(common) != samples.eta) return;
    if (std::ranges::find(finding.primes, common) != finding.primes.end()) return;
    finding.primes.push_back(common);
  };
  if (samples.modulus != 0) {
    add(samples.modulus);
  } else {
    std::ranges::for_each(earlier, add);
  }
}

// Samples, and then sums of two of them.
Integer sum_of_samples(const Samples& samples, std::size_t index) {
  const std::size_t count = samples.x.size();
  if (index < count) return samples.x[index];
  const std::size_t apart = index / count;  // of the two
  return samples.x[index % count] + samples.x[(index % count + apart) % count];
}

// What is known of |w|: low <= |w| <= high.
struct Between {
  Integer low;
  Integer high;
};

// A ciphertext c for which c |w| / d is `odd` / 2 in the middle of what is known, and at most 3/4
// away from that everywhere.
struct Question {
  Integer c;
  Integer odd;
};

Question question_about(const Between& known, const Integer& d) {
  const Integer twice_middle = known.low + known.high;
  const Integer odd = (twice_middle / (2 * (known.high - known.low)) + 1) | 1;
  return {(odd * d + twice_middle / 2) / twice_middle, odd};
}

// What is known after the answer.
Between narrowed(Between known, const Question& question, const std::optional<bool>& answer,
                 const IdealNumbers& key, const Integer& limit) {
  const Integer middle = question.odd * key.d / (2 * question.c);
  if (answer) {
    // With round(c |w| / d) = odd / 2 -+ 1/2: all of c |w|, d and |w| but c are odd.
    const bool is_odd = *answer != (question.c % 2 != 0);
    const bool odd_below = (question.odd - 1) / 2 % 2 != 0;
    if (is_odd == odd_below) {
      known.high = std::min(known.high, middle);
    } else {
      known.low = std::max(known.low, Integer(middle + 1));
    }
    return known;
  }
  // c |w| / d is within this, in units of 2^-inverse_bits, of odd / 2.
  const Integer within = power_of_two(key.inverse_bits - 1) - limit + 1;
  const Integer point = question.odd * key.d << (key.inverse_bits - 1);
  const Integer unit = question.c << key.inverse_bits;
  Integer low;
  Integer high;
  mpz_cdiv_q(low.get_mpz_t(), Integer(point - within * key.d).get_mpz_t(), unit.get_mpz_t());
  mpz_fdiv_q(high.get_mpz_t(), Integer(point + within * key.d).get_mpz_t(), unit.get_mpz_t());
  return {std::max(known.low, low), std::min(known.high, high)};
}

}  // namespace

Finding decryption_oracle(const Samples& samples, const DecryptionOracle& owner,
                          const Monitor& monitor) {
  Finding finding;
  const Integer p =
      finding.step("the key's owner is asked to decrypt, and refuses or does not", [&] {
        Integer refused = owner.limit;  // or one more
        Integer decrypted = 3 * power_of_two(samples.eta - 2);
        Progress progress(monitor, "answers", samples.eta);
        while (decrypted - refused > 1) {
          const Integer middle = (refused + decrypted) / 2;
          (is_decrypted(owner, middle, finding) ? decrypted : refused) = middle;
          progress.advance();
        }
        return Integer(decrypted + owner.limit);
      });
  finding.note(fmt::format("{} answers show where p is", finding.samples));
  if (samples.modulus % p == 0) finding.primes = {p};
  return finding;
}

Finding decryption_oracle_of_slots(const Samples& samples, const DecryptionOracle& owner,
                                   const Monitor& monitor) {
  constexpr std::size_t kSumsOfSlot = 8;
  if (samples.slots > kMostAskedSlots) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this laboratory asks for at most {} slots, and there are {}",
                            kMostAskedSlots, samples.slots));
  }
  Finding finding;
  const std::size_t noise_bits = samples.rho + 2;  // of a sum of two
  const std::size_t most =
      std::min(kSumsOfSlot * samples.slots + kSumsOfSlot, samples.x.size() * samples.x.size());
  Integers multiples;
  finding.step("the key's owner refuses sums of samples and numbers: the largest noise is known",
               [&] {
                 Progress progress(monitor, "sums", most);
                 for (std::size_t i = 0; i < most && finding.primes.size() < samples.slots; ++i) {
                   const Integer x = sum_of_samples(samples, i);
                   for (const Integer& y : {x, Integer(-x)}) {
                     const Integer noise = largest_noise(samples, y, noise_bits, owner, finding);
                     const Integer multiple = abs(y - noise);
                     add_primes_of(finding, samples, multiple, multiples);
                     multiples.push_back(multiple);
                   }
                   progress.advance();
                 }
                 return 0;
               });
  finding.note(fmt::format("{} answers give {} multiples of some prime, and their common divisors",
                           finding.samples, multiples.size()));
  return finding;
}

Finding decryption_oracle_of_ideal(const IdealNumbers& key, const DecryptionOracle& owner,
                                   const Monitor& monitor) {
  Finding finding;
  const Integer w =
      finding.step("the key's owner is asked for bits of products of w and chosen numbers", [&] {
        Between known{1, key.d >> key.inverse_bits};
        Progress progress(monitor, "answers", bit_length(known.high));
        for (;;) {
          const Integer width = known.high - known.low;
          if (width <= 0) break;
          const Question question = question_about(known, key.d);
          ++finding.samples;
          known = narrowed(known, question, owner.decrypt(question.c), key, owner.limit);
          if (known.high - known.low >= width) break;  // such answers has nobody who decrypts
          progress.advance();
        }
        return known.low;
      });
  finding.note(fmt::format("{} answers show where w is", finding.samples));
  if (is_inverse(w, key)) finding.inverse = w;
  return finding;
}

}  // namespace fhe::attack

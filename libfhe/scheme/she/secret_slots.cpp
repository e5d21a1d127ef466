// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/secret_slots.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/random/buffered_random.hpp"
#include "libfhe/random/hedged_random.hpp"
#include "libfhe/scheme/dghv/compression.hpp"
#include "libfhe/scheme/she/numbers.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::she {

namespace {

// x mod Q for a secret x that is used up, in time that depends on its length and on Q; `scratch`
// has mpn_sec_div_r_itch() limbs.
std::uint64_t residue_of(std::span<Limb> x, std::uint64_t modulus, Limb* scratch) {
  if ((modulus & (modulus - 1)) == 0) return x[0] & (modulus - 1);
  const Limb divisor = modulus;
  mpn_sec_div_r(x.data(), static_cast<mp_size_t>(x.size()), &divisor, 1, scratch);
  return x[0];
}

// -x mod Q instead of x in [0, Q) if `negative` is 1, and x if it is 0.
std::uint64_t with_sign(std::uint64_t x, Limb negative, std::uint64_t modulus) {
  const std::uint64_t other = modulus - x;  // Q for 0
  const std::uint64_t is_zero = (x - 1) >> 63 & 1;
  const std::uint64_t replace = 0 - (negative & (1 - is_zero));
  return x ^ ((x ^ other) & replace);
}

}  // namespace

// The residues of one integer in (-p_j/2, p_j/2). That of -c is the other one of c. Each is looked
// at once.
class SecretSlots::Residues {
 public:
  Residues(const ResidueTree& tree, const Integer& c)
      : tree_(tree), negative_(c < 0 ? 1 : 0), limbs_(tree.residues(abs(c))) {}

  // Calls look(slot, absolute value, whether it is negative, scratch) for slots [first, first +
  // count); `scratch` has as many limbs as a residue and those that a division by one limb needs.
  template <class Look>
  void each(std::size_t first, std::size_t count, const Look& look) {
    const std::size_t size = tree_.residue_limbs();
    const auto more = mpn_sec_div_r_itch(static_cast<mp_size_t>(size), 1);
    SecretVector<Limb> scratch(2 * size + static_cast<std::size_t>(more));
    for (std::size_t j = first; j < first + count; ++j) {
      const auto residue = std::span(limbs_).subspan(j * size, size);
      const Limb negative = dghv::centre(residue, limbs_of(tree_[j]), scratch);
      look(j, residue, negative ^ negative_, scratch.data());
    }
  }

 private:
  const ResidueTree& tree_;
  Limb negative_;
  SecretVector<Limb> limbs_;
};

SecretSlots::SecretSlots(const ParameterSet& group, SecretIntegers primes, const Monitor& monitor)
    : group_(group),
      parameters_(group),
      tree_(std::move(primes), parameters_.most_bits(), open_backend(), monitor) {}

// The number that is 1 modulo all of them is 1 just when no two have a factor in common.
std::optional<std::string> SecretSlots::flaw() const {
  std::vector<Integer> ones(parameters_.slots, 1);
  if (combine(ones, {}).value() == 1) return std::nullopt;
  return "two of the secret primes have a factor in common";
}

Digest SecretSlots::digest() const {
  Hasher hasher;
  hasher.update("fhe slots key");
  hasher.update(group_.digest());
  for (const Integer& p : primes()) hasher.update(std::as_bytes(limbs_of(p)));
  return hasher.finish();
}

// As uniform_centered() for each slot, with the words of all drawn at once: a word of rho + 1 bits
// is a term less 2^rho - 1, but for the largest one, once in 2^(rho+1).
SecretInteger SecretSlots::drawn(const SlotNumbers& numbers, SecretRandom& random,
                                 const Monitor& monitor) const {
  const std::size_t bits = parameters_.rho + 1;
  const std::size_t limbs = limbs_for_bits(bits);
  const Integer middle = power_of_two(parameters_.rho) - 1;
  SecretVector<Limb> words(parameters_.slots * limbs);
  random.fill(std::as_writable_bytes(std::span(words)));
  SecretIntegers residues(parameters_.slots);
  for (std::size_t j = 0; j < residues.size(); ++j) {
    Integer& term = residues[j];
    const auto word = std::span(words).subspan(j * limbs, limbs);
    word.back() &= ~Limb{0} >> (limbs * kLimbBits - bits);
    std::ranges::copy(word, mpz_limbs_write(term.get_mpz_t(), static_cast<mp_size_t>(limbs)));
    mpz_limbs_finish(term.get_mpz_t(), static_cast<mp_size_t>(limbs));
    term -= middle;
    if (term > middle) term = uniform_centered(random, parameters_.rho);
    mpz_mul_ui(term.get_mpz_t(), term.get_mpz_t(), parameters_.plaintext);
    if (j < numbers.size()) mpz_add_ui(term.get_mpz_t(), term.get_mpz_t(), numbers[j]);
  }
  return combine(residues.span(), monitor);
}

CompressedSlots SecretSlots::encrypt(std::span<const SlotNumbers> rows, const KeyId& key,
                                     SecretRandom& random, const Monitor& monitor) const {
  HedgedRandom hedged(random, encryption_context(std::as_bytes(limbs_of(product())), rows));
  BufferedRandom draws(hedged);
  StreamSeed seed;
  draws.fill(seed);
  const PublicStream chi(seed, StreamPurpose::ciphertexts, 0, rows.size(), parameters_.gamma);
  const dghv::Corrector corrector(parameters_.correction_bits(), product());
  std::vector<Integer> corrections;
  corrections.reserve(rows.size());
  Progress progress(monitor, "encrypt", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SecretInteger noise = drawn(rows[i], draws, monitor);
    SecretInteger base = tree_.remainder(chi.element(i));
    base.value() -= noise.value();
    corrections.push_back(corrector.correction(base.value(), draws));
    progress.advance();
  }
  return {seed, std::move(corrections), key};
}

SecretSlots::Decryption SecretSlots::decrypt(const Integer& c, const Integer& claim) const {
  constexpr std::size_t kTogether = 64;
  Residues residues(tree_, c);
  const SecretLimbs bound(claim, tree_.residue_limbs());
  const std::uint64_t modulus = parameters_.plaintext;
  Decryption result{.numbers = SlotNumbers(parameters_.slots), .within_claim = false};
  std::vector<Limb> beyond(parameters_.slots);
  parallel_for((parameters_.slots + kTogether - 1) / kTogether, [&](std::size_t block) {
    const std::size_t first = block * kTogether;
    residues.each(first, std::min(kTogether, parameters_.slots - first),
                  [&](std::size_t j, std::span<Limb> residue, Limb negative, Limb* scratch) {
                    const auto size = static_cast<mp_size_t>(residue.size());
                    beyond[j] = mpn_sub_n(scratch, bound.data(), residue.data(), size);
                    const std::uint64_t number = residue_of(residue, modulus, scratch);
                    result.numbers[j] = with_sign(number, negative, modulus);
                  });
  });
  Limb any = 0;
  for (const Limb one : beyond) any |= one;
  result.within_claim = any == 0;
  return result;
}

Integer SecretSlots::measure_noise(const Integer& c) const {
  Residues residues(tree_, c);
  SecretInteger largest;
  residues.each(0, parameters_.slots,
                [&](std::size_t /*slot*/, std::span<Limb> residue, Limb /*negative*/, Limb*) {
                  SecretInteger magnitude(from_limbs(residue));
                  if (magnitude.value() > largest.value()) largest = std::move(magnitude);
                });
  return std::move(largest.value());
}

}  // namespace fhe::she

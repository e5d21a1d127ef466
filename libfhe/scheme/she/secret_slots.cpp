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

// x mod Q for a secret x that is used up, in time that depends on its length and on Q.
std::uint64_t residue_of(SecretLimbs& x, std::uint64_t modulus) {
  if ((modulus & (modulus - 1)) == 0) return x[0] & (modulus - 1);
  const auto size = static_cast<mp_size_t>(x.size());
  const Limb divisor = modulus;
  SecretLimbs scratch(static_cast<std::size_t>(mpn_sec_div_r_itch(size, 1)));
  mpn_sec_div_r(x.data(), size, &divisor, 1, scratch.data());
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

// The residues of one integer in (-p_j/2, p_j/2). That of -c is the other one of c.
class SecretSlots::Residues {
 public:
  Residues(const ResidueTree& tree, const Integer& c)
      : tree_(tree), negative_(c < 0 ? 1 : 0), limbs_(tree.residues(abs(c))) {}

  [[nodiscard]] dghv::CenteredResidue centered(std::size_t slot) const {
    const std::size_t size = tree_.residue_limbs();
    SecretLimbs residue(size);
    std::copy_n(limbs_.data() + slot * size, size, residue.data());
    dghv::CenteredResidue result =
        dghv::centered(std::move(residue), SecretLimbs(tree_[slot], size));
    result.negative ^= negative_;
    return result;
  }

 private:
  const ResidueTree& tree_;
  Limb negative_;
  SecretVector<Limb> limbs_;
};

SecretSlots::SecretSlots(Parameters parameters, SecretIntegers primes, const Monitor& monitor)
    : parameters_(std::move(parameters)),
      tree_(std::move(primes), parameters_.most_bits(), open_backend(), monitor) {}

// The number that is 1 modulo all of them is 1 just when no two have a factor in common.
std::optional<std::string> SecretSlots::flaw() const {
  std::vector<Integer> ones(parameters_.slots, 1);
  if (combine(ones, {}).value() == 1) return std::nullopt;
  return "two of the secret primes have a factor in common";
}

Digest SecretSlots::digest(const Digest& group) const {
  Hasher hasher;
  hasher.update("fhe slots key");
  hasher.update(group);
  for (const Integer& p : primes()) hasher.update(std::as_bytes(limbs_of(p)));
  return hasher.finish();
}

// The key, and all that is encrypted.
SecretBytes SecretSlots::context_of(std::span<const SlotNumbers> rows) const {
  const auto key = std::as_bytes(limbs_of(product()));
  SecretBytes context(key.begin(), key.end());
  for (const SlotNumbers& row : rows) {
    const std::uint64_t count = row.size();
    const auto length = std::as_bytes(std::span(&count, 1));
    const auto numbers = std::as_bytes(std::span(row));
    context.insert(context.end(), length.begin(), length.end());
    context.insert(context.end(), numbers.begin(), numbers.end());
  }
  return context;
}

SecretInteger SecretSlots::drawn(const SlotNumbers& numbers, SecretRandom& random,
                                 const Monitor& monitor) const {
  const Integer modulus = to_integer(parameters_.plaintext);
  SecretIntegers residues(parameters_.slots);
  for (std::size_t j = 0; j < residues.size(); ++j) {
    residues[j] = uniform_centered(random, parameters_.rho);
    residues[j] *= modulus;
    if (j < numbers.size()) residues[j] += to_integer(numbers[j]);
  }
  return combine(residues.span(), monitor);
}

CompressedSlots SecretSlots::encrypt(std::span<const SlotNumbers> rows, const KeyId& key,
                                     const Backend& backend, SecretRandom& random,
                                     const Monitor& monitor) const {
  HedgedRandom hedged(random, context_of(rows));
  BufferedRandom draws(hedged);
  StreamSeed seed;
  draws.fill(seed);
  const PublicStream chi(seed, StreamPurpose::ciphertexts, 0, rows.size(), parameters_.gamma);
  std::vector<Integer> corrections;
  corrections.reserve(rows.size());
  Progress progress(monitor, "encrypt", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SecretIntegers residues(1);
    residues[0].swap(drawn(rows[i], draws, monitor).value());
    std::vector<Integer> made =
        dghv::compress(parameters_.correction_bits(), product(), chi.part(i, 1), residues, backend,
                       draws, Monitor{.stop = monitor.stop, .progress = {}});
    corrections.push_back(std::move(made.front()));
    progress.advance();
  }
  return {seed, std::move(corrections), key};
}

SecretSlots::Decryption SecretSlots::decrypt(const Integer& c, const Integer& claim) const {
  const Residues residues(tree_, c);
  Decryption result{.numbers = SlotNumbers(parameters_.slots), .within_claim = false};
  std::vector<Limb> within(parameters_.slots);
  parallel_for(parameters_.slots, [&](std::size_t j) {
    dghv::CenteredResidue residue = residues.centered(j);
    within[j] = residue.magnitude.at_most(claim);
    const std::uint64_t number = residue_of(residue.magnitude, parameters_.plaintext);
    result.numbers[j] = with_sign(number, residue.negative, parameters_.plaintext);
  });
  Limb all = 1;
  for (const Limb one : within) all &= one;
  result.within_claim = all != 0;
  return result;
}

Integer SecretSlots::measure_noise(const Integer& c) const {
  const Residues residues(tree_, c);
  SecretInteger largest;
  for (std::size_t j = 0; j < parameters_.slots; ++j) {
    SecretInteger magnitude = residues.centered(j).magnitude.to_integer();
    if (magnitude.value() > largest.value()) largest = std::move(magnitude);
  }
  return std::move(largest.value());
}

}  // namespace fhe::she

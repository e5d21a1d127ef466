// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/squash.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/gh/encryption.hpp"

namespace fhe::gh {

namespace {

// Bits of a quotient below the last one that is looked at.
constexpr std::size_t kQuotientGuardBits = 64;
// How much longer than the quotient the leading part of the divisor is.
constexpr std::size_t kDivisorExcess = 64;

// floor(y 2^bits / d) for 0 <= y < d.
Integer exact_quotient(const Integer& y, const Integer& d, std::size_t bits) {
  return (y << bits) / d;
}

// The same, possibly 1 too small: from Y = floor(y / 2^t) and D = floor(d / 2^t) of
// bits + kDivisorExcess bits as floor(Y 2^bits / (D + 1)), because
//
//   Y 2^bits / (D + 1)  <=  y 2^bits / d  <  (Y + 1) 2^bits / D  <=  Y 2^bits / (D + 1) + 2^(2 -
//   excess).
Integer leading_quotient(const Integer& y, const Integer& d, std::size_t bits) {
  const std::size_t kept = bits + kDivisorExcess;
  if (bit_length(d) <= kept) return exact_quotient(y, d, bits);
  const std::size_t cut = bit_length(d) - kept;
  const Integer divisor = (d >> cut) + 1;
  return ((y >> cut) << bits) / divisor;
}

// floor(y 2^bits / d) for 0 <= y < d, nearly always from the leading bits alone.
Integer quotient(const Integer& y, const Integer& d, std::size_t bits) {
  const Integer low = leading_quotient(y, d, bits + kQuotientGuardBits);
  const Integer high = low + 1;
  const Integer result = low >> kQuotientGuardBits;
  return result == high >> kQuotientGuardBits ? result : exact_quotient(y, d, bits);
}

// Bits [first, first + count) of x >= 0; count <= 32.
std::uint32_t bits_at(const Integer& x, std::size_t first, std::size_t count) {
  const auto limbs = limbs_of(x);
  const std::size_t at = first / kLimbBits;
  const std::size_t shift = first % kLimbBits;
  Limb window = at < limbs.size() ? limbs[at] >> shift : 0;
  if (shift != 0 && at + 1 < limbs.size()) window |= limbs[at + 1] << (kLimbBits - shift);
  return static_cast<std::uint32_t>(window & ((Limb{1} << count) - 1));
}

}  // namespace

Pair pair_at(std::size_t index, std::size_t c) {
  std::size_t a = 0;
  while (index >= c - 1 - a) {
    index -= c - 1 - a;
    ++a;
  }
  return {a, a + 1 + index};
}

std::size_t rows_of_block(const Parameters& p) {
  return pair_at(p.S - 1, p.c).a + 1;
}

ChosenElements draw_chosen_elements(const Parameters& parameters, SecretRandom& random) {
  ChosenElements chosen(parameters.s);
  for (std::uint32_t& index : chosen) {
    index = uniform_index(random, static_cast<std::uint32_t>(parameters.S));
  }
  return chosen;
}

std::vector<Integer> solve_elements(const Parameters& p, const Ring& ring, const SecretInteger& w,
                                    const ChosenElements& chosen, const StreamSeed& seed) {
  const std::size_t bits = bit_length(ring.modulus()) + kLimbBits;
  const PublicStream stream(seed, StreamPurpose::squash, 0, p.s - 1, bits);
  std::vector<Integer> x(p.s);
  SecretInteger rest(w.value());
  for (std::size_t k = 0; k + 1 < p.s; ++k) {
    x[k] = ring.reduce(stream.element(k));
    rest.value() -= ring.reduce(x[k] << (p.log_R * chosen[k]));
  }
  const Integer half = (ring.modulus() + 1) / 2;
  const SecretInteger scale(power(ring, half, p.log_R * chosen[p.s - 1]));
  x.back() = ring.multiply(ring.reduce(rest.value()), scale.value());
  return x;
}

std::vector<Integer> encrypt_choice(const Parameters& p, const Powers& powers,
                                    const ChosenElements& chosen,
                                    const std::vector<NoisePolynomial>& noise,
                                    const Monitor& monitor) {
  const auto is_chosen = [&](std::size_t i) {
    const Pair pair = pair_at(chosen[i / p.c], p.c);
    return i % p.c == pair.a || i % p.c == pair.b;
  };
  return encrypt_bits(powers, noise, is_chosen, "key bits", monitor);
}

std::vector<std::uint32_t> expand_block(const Parameters& p, const Integer& d, const Integer& y) {
  const std::size_t fraction = p.precision + 1;
  const Integer expansion = quotient(y, d, p.log_R * (p.S - 1) + fraction);
  std::vector<std::uint32_t> z(p.S);
  for (std::size_t j = 0; j < p.S; ++j) {
    const std::uint32_t window = bits_at(expansion, p.log_R * (p.S - 1 - j), fraction + 1);
    const std::uint32_t leading = window & ((1U << fraction) - 1);
    const std::uint32_t parity = j == 0 ? mpz_odd_p(y.get_mpz_t()) : window >> fraction;
    z[j] = (leading + 1) >> 1 ^ parity << p.precision;
  }
  return z;
}

std::vector<std::uint32_t> expand(const Parameters& p, const KeyOperands& key, const Ring& ring,
                                  const Integer& c, const Monitor& monitor) {
  const Operand factor = ring.prepare(c);
  std::vector<RingOperation> operations;
  operations.reserve(key.x.size());
  for (const Operand& x : key.x) {
    operations.push_back({.kind = RingOperation::Kind::multiply, .a = factor, .b = x});
  }
  Progress progress(monitor, "expand", p.s);
  const std::vector<Operand> y = ring.compute_all(operations, progress);
  std::vector<std::uint32_t> z(p.s * p.S);
  parallel_for(p.s, [&](std::size_t k) {
    const auto block = expand_block(p, ring.modulus(), y[k].value());
    std::ranges::copy(block, z.begin() + static_cast<std::ptrdiff_t>(k * p.S));
  });
  return z;
}

KeyOperands::KeyOperands(const std::shared_ptr<const void>& owner, const SquashedKey& key) {
  const auto operand_of = [&](const Integer& value) {
    return Operand(std::shared_ptr<const Integer>(owner, &value));
  };
  std::ranges::transform(key.x, std::back_inserter(x), operand_of);
  std::ranges::transform(key.eta, std::back_inserter(eta), operand_of);
}

KeyOperands KeyOperands::kept_by(const Ring& ring) const {
  KeyOperands kept;
  kept.x = ring.keep_all(x);
  kept.eta = ring.keep_all(eta);
  return kept;
}

}  // namespace fhe::gh

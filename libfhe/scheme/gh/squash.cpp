// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/squash.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/gh/encryption.hpp"

namespace fhe::gh {

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

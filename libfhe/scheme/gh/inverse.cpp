// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/gh/lattice.hpp"

namespace fhe::gh {

namespace {

using Factors = std::span<const SecretIntegers* const>;

// The bits of a coefficient of f(x) v(-x), a sum of v.size() products, for the longest f.
std::size_t product_bits(Factors factors, const SecretIntegers& v) {
  std::size_t longest = 0;
  for (const SecretIntegers* f : factors) longest = std::max(longest, longest_bits(*f));
  return longest + longest_bits(v) + static_cast<std::size_t>(std::bit_width(v.size()));
}

// The even half of f(x) v(-x), which is f_even v_even - x f_odd v_odd, for every factor f, of which
// v is the first.
std::vector<SecretIntegers> even_halves(Factors factors, const Backend& backend) {
  const SecretIntegers& v = *factors.front();
  const KroneckerRing ring(v.size() / 2, product_bits(factors, v));
  std::vector<SecretInteger> halves(2 * factors.size());
  parallel_for(halves.size(),
               [&](std::size_t i) { halves[i] = ring.pack(*factors[i / 2], i % 2, 2); });
  std::vector<SecretInteger> products(halves.size());
  parallel_for(products.size(), [&](std::size_t i) {
    products[i] = SecretInteger(backend.multiply(halves[i].value(), halves[i % 2].value()));
  });
  std::vector<SecretIntegers> results;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const SecretInteger odd = ring.times_x(products[2 * k + 1].value());
    const SecretInteger sum(products[2 * k].value() - odd.value());
    results.push_back(ring.unpack(sum.value()));
  }
  return results;
}

// sign times the coefficients f[first], f[first + 2], ...
SecretIntegers half_of(const SecretIntegers& f, std::size_t first, int sign) {
  SecretIntegers half(f.size() / 2);
  for (std::size_t i = 0; i < half.size(); ++i) half[i] = sign * f[first + 2 * i];
  return half;
}

// v and the two u of one dimension.
struct Chains {
  SecretIntegers v;
  SecretIntegers u0;  // from 1
  SecretIntegers u1;  // from 1/x
};

// The first step: the even halves of v(-x) and of v(-x)/x need no product.
Chains first_halving(const SecretIntegers& v, const Backend& backend) {
  const std::array factors{&v};
  return {.v = std::move(even_halves(factors, backend).front()),
          .u0 = half_of(v, 0, 1),
          .u1 = half_of(v, 1, -1)};
}

Chains halving(const Chains& chains, const Backend& backend) {
  const std::array factors{&chains.v, &chains.u0, &chains.u1};
  std::vector<SecretIntegers> halves = even_halves(factors, backend);
  return {.v = std::move(halves[0]), .u0 = std::move(halves[1]), .u1 = std::move(halves[2])};
}

}  // namespace

ScaledInverse scaled_inverse(const SecretIntegers& v, const Backend& backend, Progress& progress) {
  Chains chains = first_halving(v, backend);
  progress.advance();
  while (chains.v.size() > 1) {
    chains = halving(chains, backend);
    progress.advance();
  }
  return {.d = chains.v[0],
          .w0 = SecretInteger(std::move(chains.u0[0])),
          .w1 = SecretInteger(std::move(chains.u1[0]))};
}

}  // namespace fhe::gh

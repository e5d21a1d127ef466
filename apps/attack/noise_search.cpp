// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <NTL/ZZ_pX.h>
#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/ntl.hpp"
#include "libfhe/error.hpp"

namespace fhe::attack {

namespace {

// Chance gives x0 and a sample, or products of many, small factors in common: below this many times
// the number of guesses.
constexpr unsigned long kSmallFactor = 64;

void require_searchable(const Samples& samples, std::size_t most) {
  if (samples.rho <= most) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("this search is for noise of at most {} bits, and there are {}", most,
                          samples.rho));
}

// Adds what a sample has in common with x0 once a noise of it is right: the prime of a slot, or of
// more than one, which tell no prime.
void add_prime(Finding& finding, const Samples& samples, const Integer& divisor) {
  if (bit_length(divisor) < samples.eta) return;
  const Integer prime = without_small_factors(divisor, kSmallFactor << samples.rho);
  if (bit_length(prime) != samples.eta) return;
  if (std::ranges::find(finding.primes, prime) != finding.primes.end()) return;
  finding.primes.push_back(prime);
}

// Of the noises first, first + 1, ..., first + count - 1.
void try_each(Finding& finding, const Samples& samples, const Integer& first, std::int64_t count) {
  for (std::int64_t i = 0; i < count && finding.primes.size() < samples.slots; ++i) {
    add_prime(finding, samples,
              gcd(samples.x.front() - first - Integer(static_cast<long>(i)), samples.modulus));
  }
}

// Polynomials whose roots are the points of a node: the whole at 1, halves of node k at 2k, 2k + 1.
std::vector<NTL::ZZ_pX> product_tree(const NTL::vec_ZZ_p& points) {
  const auto leaves = static_cast<std::size_t>(points.length());
  std::vector<NTL::ZZ_pX> tree(2 * leaves);
  for (std::size_t i = 0; i < leaves; ++i) {
    NTL::SetCoeff(tree[leaves + i], 1, 1);
    NTL::SetCoeff(tree[leaves + i], 0, -points[static_cast<long>(i)]);
  }
  for (std::size_t k = leaves; k-- > 1;) tree[k] = tree[2 * k] * tree[2 * k + 1];
  return tree;
}

// The values of f at the points of the tree: the remainder by a node, from that by the node above.
std::vector<NTL::ZZ> values_at(const NTL::ZZ_pX& f, std::vector<NTL::ZZ_pX> tree,
                               const Monitor& monitor) {
  const std::size_t leaves = tree.size() / 2;
  Progress progress(monitor, "polynomial at many points", tree.size() - 1);
  NTL::rem(tree[1], f, tree[1]);
  for (std::size_t k = 2; k < tree.size(); ++k) {
    NTL::rem(tree[k], tree[k / 2], tree[k]);
    progress.advance();
  }
  std::vector<NTL::ZZ> values;
  for (std::size_t i = 0; i < leaves; ++i) {
    values.push_back(NTL::rep(NTL::coeff(tree[leaves + i], 0)));
  }
  return values;
}

Finding chen_nguyen(const Samples& samples, const Monitor& monitor) {
  require_searchable(samples, kMostSearchedBits);
  Finding finding{.samples = 1};
  const NTL::ZZ modulus = to_ntl(samples.modulus);
  const NTL::ZZ_pPush push(modulus);
  const std::size_t log_points = (samples.rho + 1) / 2;
  const auto points = std::int64_t{1} << log_points;
  const std::int64_t degree = std::int64_t{1} << (samples.rho + 1 - log_points);
  const Integer least = -power_of_two(samples.rho);
  const auto first_noise = [&](std::int64_t k) -> Integer {
    return least + Integer(static_cast<long>(k)) * static_cast<long>(degree);
  };
  const NTL::ZZ_pX f = finding.step(
      fmt::format("a polynomial of degree {}, the product of X - i, is made", degree), [&] {
        NTL::vec_ZZ_p roots;
        for (long i = 0; i < degree; ++i) roots.append(NTL::conv<NTL::ZZ_p>(i));
        return NTL::BuildFromRoots(roots);
      });
  const std::vector<NTL::ZZ> values =
      finding.step(fmt::format("it is evaluated at {} points x - r modulo x0", points), [&] {
        NTL::vec_ZZ_p at;
        for (std::int64_t k = 0; k < points; ++k) {
          at.append(NTL::conv<NTL::ZZ_p>(to_ntl(samples.x.front() - first_noise(k))));
        }
        return values_at(f, product_tree(at), monitor);
      });
  finding.step("a value that has a factor with x0 in common leads to the noise, and that to p",
               [&] {
                 for (std::int64_t k = 0; k < points; ++k) {
                   monitor.throw_if_stopped();
                   if (finding.primes.size() == samples.slots) break;
                   if (NTL::GCD(values[static_cast<std::size_t>(k)], modulus) == 1) continue;
                   try_each(finding, samples, first_noise(k), degree);
                 }
                 return 0;
               });
  return finding;
}

// prod_r (x - r) for all r of rho bits, pairs of factors first.
Integer product_of_guesses(const Integer& x, std::size_t rho) {
  std::vector<Integer> factors;
  const long end = 1L << rho;
  for (long r = -end; r < end; ++r) factors.emplace_back(x - r);
  for (; factors.size() > 1; factors.resize(factors.size() / 2)) {
    for (std::size_t i = 0; 2 * i < factors.size(); ++i) {
      factors[i] = factors[2 * i] * factors[2 * i + 1];
    }
  }
  return factors.front();
}

Finding search_without_modulus(const Samples& samples, const Monitor& monitor) {
  constexpr std::size_t kProducts = 3;  // in which chance has nothing long in common
  require_searchable(samples, kMostSecretBits);
  if (samples.x.size() <= kProducts) {
    throw Error(ErrorCode::invalid_argument, "without x0 this search takes four samples");
  }
  Finding finding{.samples = kProducts + 1};
  const Integer common =
      finding.step(fmt::format("{} products of 2^{} factors x - r are made, and their gcd",
                               kProducts, samples.rho + 1),
                   [&] {
                     Integer divisor = 0;
                     for (std::size_t i = 0; i < kProducts; ++i) {
                       monitor.throw_if_stopped();
                       divisor = gcd(divisor, product_of_guesses(samples.x[i + 1], samples.rho));
                     }
                     return divisor;
                   });
  finding.step("the gcd with each x - r of another sample, less small factors, is tried as p", [&] {
    const long end = 1L << samples.rho;
    for (long r = -end; r < end && finding.primes.size() < samples.slots; ++r) {
      if (r % 256 == 0) monitor.throw_if_stopped();
      add_prime(finding, samples, gcd(samples.x.front() - r, common));
    }
    return 0;
  });
  return finding;
}

Finding search_one_by_one(const Samples& samples, const Monitor& monitor) {
  require_searchable(samples, kMostExhaustiveBits);
  if (samples.modulus == 0) {
    throw Error(ErrorCode::invalid_argument, "this search needs x0, and none is published");
  }
  constexpr std::int64_t kTogether = 1024;
  Finding finding{.samples = 1};
  finding.step(
      fmt::format("x - r is multiplied modulo x0 for up to 2^{} values of r", samples.rho + 1),
      [&] {
        const std::int64_t end = std::int64_t{1} << samples.rho;
        const std::int64_t together = std::min(kTogether, end);
        Progress progress(monitor, "noise search", static_cast<std::size_t>(2 * end / together));
        for (std::int64_t first = -end; first < end; first += together) {
          Integer product = 1;
          for (std::int64_t r = first; r < first + together; ++r) {
            product =
                product * (samples.x.front() - Integer(static_cast<long>(r))) % samples.modulus;
          }
          if (gcd(product, samples.modulus) != 1) {
            try_each(finding, samples, Integer(static_cast<long>(first)), together);
          }
          if (finding.primes.size() == samples.slots) break;
          progress.advance();
        }
        return 0;
      });
  return finding;
}

// One sample after the other, as long as that tells more: where two slots have one residue, the
// first one tells neither of their primes.
Finding search_in_samples(Samples samples, const Monitor& monitor,
                          Finding (*search)(const Samples&, const Monitor&)) {
  constexpr std::size_t kMostSamples = 4;
  Finding finding = search(samples, monitor);
  for (std::size_t i = 1; i < std::min(kMostSamples, samples.x.size()); ++i) {
    if (finding.primes.empty() || finding.primes.size() == samples.slots) break;
    std::ranges::rotate(samples.x, samples.x.begin() + 1);
    Finding more = search(samples, monitor);
    std::ranges::move(more.steps, std::back_inserter(finding.steps));
    for (const Integer& prime : more.primes) add_prime(finding, samples, prime);
  }
  return finding;
}

}  // namespace

Finding exhaustive_noise_search(const Samples& samples, const Monitor& monitor) {
  return search_in_samples(samples, monitor, search_one_by_one);
}

Finding noise_search(const Samples& samples, const Monitor& monitor) {
  return search_in_samples(samples, monitor,
                           samples.modulus == 0 ? search_without_modulus : chen_nguyen);
}

}  // namespace fhe::attack

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <NTL/ZZXFactoring.h>
#include <NTL/ZZ_p.h>
#include <NTL/mat_ZZ.h>
#include <NTL/mat_ZZ_p.h>
#include <NTL/mat_poly_ZZ.h>
#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/ntl.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/error.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

constexpr unsigned long kSmallIndex = 1UL << 12;

// How many independent vectors are orthogonal to all relations: the residues of the samples in each
// slot, and without a modulus the samples themselves.
std::size_t orthogonal_rank(const Samples& samples) {
  return samples.slots + (samples.modulus == 0 ? 1 : 0);
}

// Modulo a prime, the vectors w that are orthogonal to all relations: w_k = sum_(b < rank) A_kb w_b
// for k >= rank, as the rows of A. Nothing where that cannot be.
std::optional<NTL::mat_ZZ_p> orthogonal_vectors(const std::vector<Integers>& relations,
                                                std::size_t rank) {
  const long rows = static_cast<long>(relations.size());
  NTL::mat_ZZ_p free;
  NTL::mat_ZZ_p square;
  free.SetDims(rows, static_cast<long>(rank));
  square.SetDims(rows, rows);
  for (long i = 0; i < rows; ++i) {
    const Integers& u = relations[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < u.size(); ++j) {
      const long k = static_cast<long>(j);
      NTL::conv(j < rank ? free[i][k] : square[i][k - static_cast<long>(rank)], to_ntl(u[j]));
    }
  }
  NTL::ZZ_p determinant;
  NTL::mat_ZZ_p inverse;
  NTL::inv(determinant, inverse, square);
  if (NTL::IsZero(determinant)) return std::nullopt;
  return -(inverse * free);
}

// The first entries of l short vectors that are orthogonal to all relations: what the residues in
// all slots are combinations of.
std::optional<NTL::mat_ZZ> residue_space(const std::vector<Integers>& relations,
                                         const Samples& samples, const Monitor& monitor) {
  constexpr std::size_t kSpareEntries = 8;
  const std::size_t rank = orthogonal_rank(samples);
  const std::size_t more = std::min(relations.size(), rank + kSpareEntries);
  NTL::ZZ prime;
  NTL::NextPrime(prime, NTL::power2_ZZ(static_cast<long>(8 * samples.rho + 128)));
  const NTL::ZZ_pPush push(prime);
  const auto space = orthogonal_vectors(relations, rank);
  if (!space) return std::nullopt;
  std::vector<RelationLattice::Numbers> lists(more);
  for (std::size_t k = 0; k < more; ++k) {
    lists[k].modulus = from_ntl(prime);
    for (std::size_t b = 0; b < rank; ++b) {
      lists[k].x.push_back(
          from_ntl(NTL::rep((*space)[static_cast<long>(k)][static_cast<long>(b)])));
    }
  }
  RelationLattice lattice(lists);
  lattice.reduce(0, monitor);
  NTL::mat_ZZ vectors;
  vectors.SetDims(static_cast<long>(samples.slots), static_cast<long>(rank + more));
  for (std::size_t j = 0; j < samples.slots; ++j) {
    NTL::vec_ZZ& vector = vectors[static_cast<long>(j)];
    const Relation& row = lattice.rows()[j];
    for (std::size_t b = 0; b < rank; ++b) vector[static_cast<long>(b)] = to_ntl(row.u[b]);
    for (std::size_t k = 0; k < more; ++k) vector[static_cast<long>(rank + k)] = to_ntl(row.v[k]);
  }
  return vectors;
}

// P, of which the distance of each sample from what its residues are of the residues of the first l
// samples is a multiple.
std::optional<Integer> product_of_primes(const std::vector<Integers>& relations,
                                         const Samples& samples, const Monitor& monitor) {
  const auto vectors = residue_space(relations, samples, monitor);
  if (!vectors) return std::nullopt;
  const long l = static_cast<long>(samples.slots);
  NTL::mat_ZZ leading;
  leading.SetDims(l, l);
  for (long j = 0; j < l; ++j) {
    for (long b = 0; b < l; ++b) leading[b][j] = (*vectors)[j][b];
  }
  NTL::ZZ determinant;
  NTL::mat_ZZ inverse;
  NTL::inv(determinant, inverse, leading);
  if (NTL::IsZero(determinant)) return std::nullopt;
  Integer common = samples.modulus;
  for (long i = l; i < vectors->NumCols(); ++i) {
    NTL::vec_ZZ entries;
    for (long j = 0; j < l; ++j) entries.append((*vectors)[j][i]);
    const NTL::vec_ZZ coefficients = entries * inverse;
    Integer distance = from_ntl(determinant) * samples.x[static_cast<std::size_t>(i)];
    for (long b = 0; b < l; ++b) {
      distance -= from_ntl(coefficients[b]) * samples.x[static_cast<std::size_t>(b)];
    }
    common = gcd(common, distance);
  }
  // The leading entries may be dependent modulo small numbers, which are then common as well.
  common = without_small_factors(common, kSmallIndex);
  const std::size_t bits = bit_length(common);
  const bool fits = bits <= samples.slots * samples.eta && bits > samples.slots * (samples.eta - 1);
  return fits ? std::optional(common) : std::nullopt;
}

// The matrix of y times the first l samples modulo P, D of it integral: D y x_a = sum_b M_ab x_b.
std::optional<std::pair<NTL::ZZ, NTL::mat_ZZ>> multiplication(const Samples& samples,
                                                              const Integer& product,
                                                              const Integer& y,
                                                              const Monitor& monitor) {
  const std::size_t l = samples.slots;
  std::vector<Integers> rows;
  Integer common = 1;
  for (std::size_t a = 0; a < l; ++a) {
    RelationLattice::Numbers numbers{.x = {}, .modulus = product};
    for (std::size_t b = 0; b < l; ++b) numbers.x.emplace_back(samples.x[b] % product);
    numbers.x.emplace_back(y * samples.x[a] % product);
    std::vector<Integers> found =
        RelationLattice({numbers}).exact_relations(1, samples.eta, monitor);
    if (found.empty() || found.front().back() == 0) return std::nullopt;
    common = lcm(common, found.front().back());
    rows.push_back(std::move(found.front()));
  }
  NTL::mat_ZZ matrix;
  matrix.SetDims(static_cast<long>(l), static_cast<long>(l));
  for (std::size_t a = 0; a < l; ++a) {
    for (std::size_t b = 0; b < l; ++b) {
      const Integer entry = -rows[a][b] * (common / rows[a].back());
      matrix[static_cast<long>(a)][static_cast<long>(b)] = to_ntl(entry);
    }
  }
  return std::pair(to_ntl(common), matrix);
}

// The primes of P: each eigenvalue of the multiplication by y is D times a residue of y.
Integers split(const Samples& samples, const Integer& product, const Integer& y,
               const Monitor& monitor) {
  const auto map = multiplication(samples, product, y, monitor);
  if (!map) return {};
  NTL::ZZX characteristic;
  NTL::CharPoly(characteristic, map->second);
  NTL::ZZ content;
  NTL::vec_pair_ZZX_long factors;
  NTL::factor(content, factors, characteristic);
  Integers primes;
  for (const auto& factor : factors) {
    if (NTL::deg(factor.a) != 1 || factor.b != 1) return {};
    const NTL::ZZ eigenvalue = -NTL::coeff(factor.a, 0);
    const Integer residue = from_ntl(eigenvalue / map->first);
    const Integer prime = gcd(product, y - residue);
    if (bit_length(prime) != samples.eta) return {};
    primes.push_back(prime);
  }
  return primes;
}

// The primes of P. Short noise is searched for modulo P, which is much shorter than x0; long noise
// takes eigenvalues, of one sample after the other, since two slots may have one residue.
Integers primes_of(const Samples& samples, const Integer& product, std::size_t count,
                   const Monitor& monitor) {
  constexpr std::size_t kShortNoise = 14;
  if (samples.slots == 1) return {product};
  for (std::size_t i = samples.slots; i < count; ++i) {
    if (samples.rho <= kShortNoise) {
      Samples one = samples;
      one.x = {samples.x[i] % product};
      one.modulus = product;
      one.gamma = bit_length(product);
      Integers primes = exhaustive_noise_search(one, monitor).primes;
      if (primes.size() == samples.slots) return primes;
    } else {
      Integers primes = split(samples, product, samples.x[i], monitor);
      if (!primes.empty()) return primes;
    }
  }
  return {};
}

}  // namespace

Finding orthogonal_lattice(const Samples& samples, std::size_t count, const Monitor& monitor) {
  if (count < samples.slots + 2 || count > samples.x.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("this attack takes {} to {} samples, and was to take {}",
                            samples.slots + 2, samples.x.size(), count));
  }
  RelationLattice lattice(
      {{.x = {samples.x.begin(), samples.x.begin() + static_cast<std::ptrdiff_t>(count)},
        .modulus = samples.modulus}});
  Finding finding{.dimension = lattice.dimension(), .samples = count};
  const std::size_t wanted = count - orthogonal_rank(samples);
  const std::vector<Integers> relations = finding.step(
      fmt::format("the orthogonal lattice of {} samples is reduced, dimension {}", count,
                  lattice.dimension()),
      [&] { return lattice.exact_relations(wanted, samples.eta - samples.rho, monitor); });
  if (relations.size() < wanted) return finding;
  const std::optional<Integer> product = finding.step(
      fmt::format("{} relations that hold in every slot give the product of the primes", wanted),
      [&] { return product_of_primes(relations, samples, monitor); });
  if (!product) return finding;
  finding.primes = finding.step("the residues of one more sample tell the primes apart",
                                [&] { return primes_of(samples, *product, count, monitor); });
  return finding;
}

Finding smallest_orthogonal_lattice(const Samples& samples, std::size_t least, std::size_t most,
                                    const Monitor& monitor) {
  Finding finding;
  for (std::size_t count = std::max(least, samples.slots + 2);
       count <= std::min(most, samples.x.size()); ++count) {
    finding = orthogonal_lattice(samples, count, monitor);
    if (!finding.primes.empty()) break;
  }
  return finding;
}

}  // namespace fhe::attack

// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/rounding.hpp"

#include <cstddef>
#include <utility>

#include <NTL/mat_ZZ.h>

#include "apps/attack/ntl.hpp"

namespace fhe::attack {

std::optional<Rounding> Rounding::to(std::vector<std::vector<Integer>> basis) {
  const long n = static_cast<long>(basis.size());
  NTL::mat_ZZ matrix;
  NTL::vec_ZZ unit;
  matrix.SetDims(n, n);
  unit.SetLength(n);
  unit[0] = 1;
  for (long i = 0; i < n; ++i) {
    for (long j = 0; j < n; ++j) {
      matrix[i][j] = to_ntl(basis[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]);
    }
  }
  NTL::ZZ determinant;
  NTL::vec_ZZ coordinates;
  NTL::solve(determinant, coordinates, matrix, unit);
  if (NTL::IsZero(determinant)) return std::nullopt;
  Rounding result;
  result.basis_ = std::move(basis);
  result.determinant_ = from_ntl(determinant);
  for (long i = 0; i < n; ++i) result.first_.push_back(from_ntl(coordinates[i]));
  return result;
}

std::vector<Integer> Rounding::remainder(const Integer& c) const {
  const std::size_t n = basis_.size();
  std::vector<Integer> rest(n);
  rest.front() = c;
  const Integer size = abs(determinant_);
  for (std::size_t i = 0; i < n; ++i) {
    const Integer moved = c * first_[i] * sgn(determinant_) + size / 2;
    Integer times;
    mpz_fdiv_q(times.get_mpz_t(), moved.get_mpz_t(), size.get_mpz_t());
    for (std::size_t j = 0; j < n; ++j) rest[j] -= times * basis_[i][j];
  }
  return rest;
}

}  // namespace fhe::attack

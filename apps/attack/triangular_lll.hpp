// SPDX-License-Identifier: Apache-2.0
// LLL in double precision on the triangular factor of a basis, with what it does to the rows as a
// matrix of exact integers. The step of RelationLattice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/monitor.hpp"

namespace fhe::attack {

// Rows (u_i | v_i) of which the u_i are known as doubles from the start and change with the
// transformation T, while the v_i are given anew for each reduction. One thread at a time.
class TriangularLll {
 public:
  // With T = 1 and all u_ij = 0.
  TriangularLll(std::size_t dimension, std::size_t coefficients);

  [[nodiscard]] std::size_t dimension() const { return dimension_; }

  // u_ij, to be set before the first reduction.
  [[nodiscard]] double& coefficient(std::size_t row, std::size_t j) { return first_[row][j]; }

  // Reduces the rows (u_i | values_i), of full rank, with delta = 0.99. Throws Error(stopped).
  void reduce(const std::vector<std::vector<double>>& values, const Monitor& monitor);

  // An entry of T: row i is now sum_j T_ij (row j as it was at the start). Exact below 2^63.
  [[nodiscard]] std::int64_t transformation(std::size_t i, std::size_t j) const {
    return static_cast<std::int64_t>(transformation_[order_[i]][j]);
  }
  // The largest absolute value in T.
  [[nodiscard]] std::uint64_t largest_entry() const;

 private:
  [[nodiscard]] double& r(std::size_t i, std::size_t j) { return triangle_[order_[i]][j]; }
  [[nodiscard]] std::vector<double> coefficients_of(std::size_t row) const;
  void factor(const std::vector<std::vector<double>>& values);
  void shorten(std::size_t k);
  [[nodiscard]] bool is_out_of_order(std::size_t k);
  void exchange(std::size_t k);

  std::size_t dimension_;
  std::size_t coefficients_;
  std::vector<std::size_t> order_;             // where row i is
  std::vector<std::vector<double>> triangle_;  // of row i the coordinates up to the i-th
  std::vector<std::vector<std::uint64_t>> transformation_;  // T, modulo 2^64
  std::vector<std::vector<double>> first_;                  // u at the start
};

}  // namespace fhe::attack

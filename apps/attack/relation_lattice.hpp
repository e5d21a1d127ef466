// SPDX-License-Identifier: Apache-2.0
// Lattices of relations between long integers, and their reduction.
//
// Nearly every lattice attack on keys over the integers asks one question: which small combinations
// of given long numbers are short, or a multiple of a modulus? The rows of the lattice are
//
//   (u | v_1, ..., v_k),   v_i = sum_j u_j x_ij + a multiple of M_i,
//
// and LLL finds those with small u and v. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

// LLL in double precision on the triangular factor of a basis, with what it does to the rows as a
// matrix of exact integers. The step of RelationLattice.
//
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

// A row: the coefficients u, and the values v.
struct Relation {
  std::vector<Integer> u;
  std::vector<Integer> v;
};

// A basis of the lattice of relations of some numbers, reduced step by step (LLL, delta = 0.99).
//
// The values are long and most of their bits do not matter yet: step by step more of their leading
// bits are taken into account. A step is a reduction in double precision of the triangular factor
// of the basis, as it was proposed by Saruchi, Morel, Stehle, Villard (LLL reducing with the most
// significant bits, ISSAC 2014) and others before them; what it did is then done to the integers,
// exactly. So rounding can cost quality, never truth: every row is a relation at any time. Rows
// that are longer than others by more than double precision can tell are left as they are.
class RelationLattice {
 public:
  // A list of n numbers, and a modulus of their combinations; 0 where there is none. The numbers
  // are about as long as each other.
  struct Numbers {
    std::vector<Integer> x;
    Integer modulus = 0;
  };

  // The lattice of some lists of equal length n >= 1; its dimension is n, and one more for each
  // list with a modulus.
  explicit RelationLattice(const std::vector<Numbers>& lists);

  [[nodiscard]] std::size_t dimension() const { return rows_.size(); }

  // Reduces the rows (u | v / 2^shift): values below 2^shift count as nothing beside a u of 1. A
  // negative shift makes values count more. Only ever smaller shifts have an effect. Throws
  // Error(stopped).
  void reduce(long shift, const Monitor& monitor = {});

  // Reduces on until `count` rows have v = 0, and returns their u; fewer where there are not as
  // many with entries of so many bits. Throws Error(stopped).
  [[nodiscard]] std::vector<std::vector<Integer>> exact_relations(std::size_t count,
                                                                  std::size_t bits,
                                                                  const Monitor& monitor = {});

  // The rows, those that LLL made shortest first.
  [[nodiscard]] const std::vector<Relation>& rows() const { return rows_; }

 private:
  std::size_t lists_;
  std::vector<Relation> rows_;
  long shift_;  // what the rows are reduced for
};

}  // namespace fhe::attack

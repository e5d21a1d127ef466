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
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::attack {

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

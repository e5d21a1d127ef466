// SPDX-License-Identifier: Apache-2.0
#include "apps/attack/block_reduction.hpp"

#include <algorithm>
#include <cmath>

#include <NTL/LLL.h>

#include "apps/attack/ntl.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// Bits of the shortest row that are reduced: doubles have room for them beside longer rows.
constexpr std::size_t kLeadingBits = 40;
// Pruning, as NTL's documentation recommends it for blocks that enumeration is long for.
constexpr std::size_t kPrunedBlock = 30;
constexpr long kPruning = 10;

std::vector<Integers> entries_of(const std::vector<Relation>& rows, std::size_t shift) {
  std::vector<Integers> entries;
  for (const Relation& row : rows) {
    Integers& list = entries.emplace_back(row.v);
    for (const Integer& u : row.u) list.emplace_back(u << shift);
  }
  return entries;
}

std::size_t shortest_of(const std::vector<Integers>& rows) {
  const auto longest_entry = [](const Integers& row) {
    return bit_length(*std::ranges::max_element(row, {}, bit_length));
  };
  return longest_entry(*std::ranges::min_element(rows, {}, longest_entry));
}

NTL::mat_ZZ leading_bits(const std::vector<Integers>& rows, std::size_t cut) {
  NTL::mat_ZZ matrix;
  matrix.SetDims(static_cast<long>(rows.size()), static_cast<long>(rows.front().size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      matrix[static_cast<long>(i)][static_cast<long>(j)] = to_ntl(rows[i][j] >> cut);
    }
  }
  return matrix;
}

void add_product(Integers& sums, const Integer& factor, const Integers& from) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += factor * from[i];
}

std::vector<Relation> transformed(const NTL::mat_ZZ& by, const std::vector<Relation>& rows) {
  std::vector<Relation> results;
  for (long i = 0; i < by.NumRows(); ++i) {
    Relation& result = results.emplace_back(
        Relation{Integers(rows.front().u.size()), Integers(rows.front().v.size())});
    for (std::size_t j = 0; j < rows.size(); ++j) {
      const Integer factor = from_ntl(by[i][static_cast<long>(j)]);
      if (factor == 0) continue;
      add_product(result.u, factor, rows[j].u);
      add_product(result.v, factor, rows[j].v);
    }
  }
  return results;
}

// When NTL is to end. It asks a function that has no state of its own.
struct Goal {
  const Monitor* monitor;
  double enough;  // log2 of a length
};
thread_local Goal goal;

long is_reached(const NTL::vec_ZZ& row) {
  NTL::ZZ square;
  NTL::InnerProduct(square, row, row);
  const bool is_short = NTL::log(square) < 2 * goal.enough * std::log(2);
  return is_short || goal.monitor->stop.stop_requested() ? 1 : 0;
}

}  // namespace

std::vector<Relation> reduced_by_blocks(const std::vector<Relation>& rows, std::size_t shift,
                                        std::size_t block, double enough, const Monitor& monitor) {
  const std::vector<Integers> entries = entries_of(rows, shift);
  const std::size_t shortest = shortest_of(entries);
  const std::size_t cut = shortest - std::min(shortest, kLeadingBits);
  NTL::mat_ZZ basis = leading_bits(entries, cut);
  NTL::mat_ZZ transformation;
  goal = {&monitor, enough - static_cast<double>(cut)};
  constexpr double kDelta = 0.99;
  NTL::BKZ_FP(basis, transformation, kDelta, static_cast<long>(block),
              block < kPrunedBlock ? 0 : kPruning, is_reached);
  monitor.throw_if_stopped();
  return transformed(transformation, rows);
}

}  // namespace fhe::attack

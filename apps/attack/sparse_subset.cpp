// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/meeting.hpp"
#include "apps/attack/relation_lattice.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// x_k 2^(j log_ratio) modulo d, block by block.
Integers subset_elements(const IdealNumbers& key) {
  Integers elements;
  for (const Integer& x : key.x) {
    for (std::size_t j = 0; j < key.block_size; ++j) {
      elements.emplace_back((x << (j * key.log_ratio)) % key.d);
    }
  }
  return elements;
}

// w, if these elements sum to it.
std::optional<Integer> inverse_from(const std::vector<std::size_t>& ones, const Integers& elements,
                                    const IdealNumbers& key) {
  Integer sum = 0;
  for (const std::size_t i : ones) sum += elements[i];
  const Integer w = centred(sum, key.d);
  return is_inverse(w, key) ? std::optional(w) : std::nullopt;
}

// The ones of a row with a single 1, or a single -1, in each block; nothing of other rows.
std::vector<std::size_t> ones_of_row(const Integers& row, const IdealNumbers& key) {
  std::vector<std::size_t> ones;
  Integer sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == 0) continue;
    if (i / key.block_size != ones.size()) return {};
    ones.push_back(i);
    sum += row[i];
  }
  const bool is_choice = ones.size() == key.x.size() && abs(sum) == Integer(key.x.size());
  return is_choice ? ones : std::vector<std::size_t>{};
}

// The leading bits of each element times `factor` modulo d, rounded.
Integers leading_bits_of(const Integers& elements, const Integer& factor, const IdealNumbers& key) {
  Integers leading;
  for (const Integer& x : elements) {
    const Integer product = x * factor % key.d;
    leading.emplace_back(((product << key.inverse_bits) + key.d / 2) / key.d);
  }
  return leading;
}

}  // namespace

bool is_inverse(const Integer& w, const IdealNumbers& key) {
  const auto is_short = [&](const Integer& x) { return (abs(x) << key.inverse_bits) <= key.d; };
  return w % 2 != 0 && is_short(w) && is_short(centred(w * key.r, key.d));
}

Finding sparse_subset_meet(const IdealNumbers& key, const Monitor& monitor) {
  const std::size_t blocks = key.x.size();
  const Blocks left_blocks{.first = 0, .count = blocks / 2, .size = key.block_size};
  const Blocks right_blocks{.first = left_blocks.count * key.block_size,
                            .count = blocks - left_blocks.count,
                            .size = key.block_size};
  const double list_bits =
      static_cast<double>(right_blocks.count) * std::log2(static_cast<double>(key.block_size));
  require_listable(list_bits, "the sparse subset");
  Finding finding{.samples = 1};
  const Integers elements =
      finding.step(fmt::format("the {} elements of {} blocks are computed modulo d",
                               blocks * key.block_size, blocks),
                   [&] { return subset_elements(key); });
  std::vector<std::uint64_t> words;
  for (const Integer& x : elements) words.push_back(leading_word(x, key.d));
  const Halves halves = finding.step(
      fmt::format("all 2^{:.1f} choices in either half of the blocks are summed up and sorted",
                  list_bits),
      [&] { return all_halves(words, left_blocks, right_blocks); });
  monitor.throw_if_stopped();
  finding.inverse = finding.step("a sum of the left is looked for with each sum of the right", [&] {
    return first_meeting(halves, 0, [&](const Choice& a, const Choice& b) {
      std::vector<std::size_t> ones;
      add_entries(ones, a.number, left_blocks);
      add_entries(ones, b.number, right_blocks);
      return inverse_from(ones, elements, key);
    });
  });
  return finding;
}

Finding sparse_subset_lattice(const IdealNumbers& key, const Monitor& monitor) {
  Finding finding{.samples = 1};
  const Integers elements = subset_elements(key);
  const std::size_t m = relations_needed(elements.size(), key.inverse_bits, key.n);
  std::vector<RelationLattice::Numbers> lists;
  for (const Integer& factor : powers_of(1, key, m)) {
    lists.push_back({leading_bits_of(elements, factor, key), power_of_two(key.inverse_bits)});
  }
  RelationLattice lattice(lists);
  finding.dimension = lattice.dimension();
  finding.step(fmt::format("the lattice of {} relations of {} bits is reduced, dimension {}", m,
                           key.inverse_bits, lattice.dimension()),
               [&] {
                 lattice.reduce(0, monitor);
                 return 0;
               });
  finding.inverse = finding.step("the elements that were chosen sum to w", [&] {
    std::optional<Integer> w;
    for (const Relation& row : lattice.rows()) {
      const std::vector<std::size_t> ones = ones_of_row(row.u, key);
      if (!ones.empty() && !w) w = inverse_from(ones, elements, key);
    }
    return w;
  });
  return finding;
}

}  // namespace fhe::attack

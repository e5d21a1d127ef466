// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <NTL/mat_ZZ.h>
#include <fmt/format.h>

#include "apps/attack/attacks.hpp"
#include "apps/attack/meeting.hpp"
#include "apps/attack/ntl.hpp"
#include "apps/attack/relation_lattice.hpp"
#include "libfhe/error.hpp"
#include "libfhe/security/reduction.hpp"

namespace fhe::attack {

namespace {

using Integers = std::vector<Integer>;

// p from sum_i s_i u_i = round(2^kappa / p) modulo 2^(kappa+1), if that divides x0.
std::optional<Integer> prime_from(const Integer& sum, std::size_t kappa, const Integer& x0) {
  const Integer inverse = low_bits(sum, kappa + 1);
  if (inverse == 0) return std::nullopt;
  const Integer p = (power_of_two(kappa) + inverse / 2) / inverse;
  for (const Integer& candidate : {p, Integer(p - 1), Integer(p + 1)}) {
    if (candidate > 1 && x0 % candidate == 0) return candidate;
  }
  return std::nullopt;
}

std::optional<Integer> prime_of(const std::vector<std::size_t>& ones, const Integers& u,
                                std::size_t kappa, const Integer& x0) {
  Integer sum = 0;
  for (const std::size_t i : ones) sum += u[i];
  return prime_from(sum, kappa, x0);
}

// The leading 64 bits of c u_i modulo 2^kappa: over the ones they sum to less than kSlack from 0
// where a relation with c is worth more bits.
std::vector<std::uint64_t> leading_words(const Integers& u, std::size_t kappa, const Integer& c) {
  std::vector<std::uint64_t> words;
  for (const Integer& x : u) {
    words.push_back(leading_word(low_bits(c * x, kappa), power_of_two(kappa)));
  }
  return words;
}

// Near multiples of all primes, and how many bits a relation with any of them is worth.
struct NearMultiples {
  Integers c;
  std::size_t bits;
};

NearMultiples near_multiples(const Samples& samples, std::size_t kappa, const Monitor& monitor) {
  Integers numbers{samples.modulus};
  for (const Integer& x : samples.x) {
    if (numbers.size() < kShortened) numbers.push_back(x);
  }
  const std::size_t k = numbers.size();
  // t with (k - 1) t + kappa - gamma = eta - rho - t: both reasons to be small count alike.
  const std::size_t room = samples.eta - samples.rho;
  const std::size_t gap = std::min(room, kappa - samples.gamma);
  RelationLattice lattice({{.x = std::move(numbers)}});
  lattice.reduce(static_cast<long>(samples.gamma - (room - gap)), monitor);
  NearMultiples result{{}, 0};
  std::size_t coefficient = 0;
  std::size_t length = 0;
  for (const Relation& row : lattice.rows()) {
    result.c.push_back(row.v.front());
    length = std::max(length, bit_length(row.v.front()));
    for (const Integer& u : row.u) coefficient = std::max(coefficient, bit_length(u));
  }
  const std::size_t noise = coefficient + samples.rho + bit_length(Integer(k));
  const std::size_t by_noise = samples.eta - std::min(samples.eta, noise + 1);
  result.bits = std::min(by_noise, kappa - std::min(kappa, length)) - 1;
  return result;
}

// The words of one relation.
std::vector<std::uint64_t> relation_words(const Samples& samples, const Integers& u,
                                          std::size_t kappa, const Monitor& monitor) {
  const NearMultiples near = near_multiples(samples, kappa, monitor);
  if (near.bits < kLimbBits) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a relation of this key is worth {} bits only; the search takes {}",
                            near.bits, kLimbBits));
  }
  return leading_words(u, kappa, near.c.front());
}

// The leading bits of c u_i modulo 2^kappa, rounded.
Integers relation(const Integer& c, const SquashedNumbers& key, std::size_t bits) {
  Integers words;
  const std::size_t cut = key.kappa - bits;
  for (const Integer& u : key.u) {
    words.emplace_back((low_bits(c * u, key.kappa) + power_of_two(cut - 1)) >> cut);
  }
  return words;
}

// The s_j from a basis of what they span: the entries of s_j up to the l-th are those of unit
// vector j. Nothing where a vector is not as it must be.
std::vector<std::vector<std::size_t>> ones_of(const std::vector<Relation>& rows, std::size_t slots,
                                              std::size_t blocks) {
  const long l = static_cast<long>(slots);
  const long length = static_cast<long>(rows.front().u.size());
  NTL::mat_ZZ leading;
  NTL::mat_ZZ all;
  leading.SetDims(l, l);
  all.SetDims(l, length);
  for (long i = 0; i < l; ++i) {
    for (long j = 0; j < length; ++j) {
      all[i][j] = to_ntl(rows[static_cast<std::size_t>(i)].u[static_cast<std::size_t>(j)]);
      if (j < l) leading[i][j] = all[i][j];
    }
  }
  NTL::ZZ determinant;
  NTL::mat_ZZ inverse;
  NTL::inv(determinant, inverse, leading);
  if (NTL::abs(determinant) != 1) return {};
  const NTL::mat_ZZ s = determinant * inverse * all;
  std::vector<std::vector<std::size_t>> ones(slots);
  for (long i = 0; i < l; ++i) {
    for (long j = 0; j < length; ++j) {
      if (s[i][j] != 0) ones[static_cast<std::size_t>(i)].push_back(static_cast<std::size_t>(j));
    }
    if (ones[static_cast<std::size_t>(i)].size() != blocks) return {};
  }
  return ones;
}

// The entries of a box, and all ways to choose one of each of several.
std::vector<std::vector<std::size_t>> box_choices(std::size_t side, std::size_t boxes) {
  std::vector<std::vector<std::size_t>> choices{{0}};
  for (std::size_t k = 1; k < boxes; ++k) {
    std::vector<std::vector<std::size_t>> longer;
    for (const std::vector<std::size_t>& choice : choices) {
      for (std::size_t i = k * side / boxes; i < (k + 1) * side / boxes; ++i) {
        longer.push_back(choice);
        longer.back().push_back(i);
      }
    }
    choices = std::move(longer);
  }
  return choices;
}

}  // namespace

std::size_t relations_needed(std::size_t length, std::size_t bits, std::size_t most) {
  constexpr double kMargin = 1.5;
  for (std::size_t m = 1; m < most; ++m) {
    const auto d = static_cast<double>(length + m);
    const double short_by = static_cast<double>(bits * m) / d - kMargin;
    if (short_by >= d * security::log_root_hermite(2)) return m;
  }
  return most;
}

Finding squashed_key_meet(const Samples& samples, const SquashedNumbers& key,
                          const Monitor& monitor) {
  const std::size_t size = key.u.size() / key.blocks;
  const std::size_t unknown = key.blocks - 1;  // the first one tells the slot
  const Blocks left_blocks{.first = size, .count = unknown / 2, .size = size};
  const Blocks right_blocks{
      .first = size * (1 + left_blocks.count), .count = unknown - left_blocks.count, .size = size};
  const double list_bits =
      static_cast<double>(right_blocks.count) * std::log2(static_cast<double>(size));
  require_listable(list_bits, "the squashed key");
  Finding finding{.samples = 1};
  const std::vector<std::uint64_t> words = finding.step(
      fmt::format("c u_i modulo 2^kappa is computed for {} numbers, c near a multiple of p",
                  key.u.size()),
      [&] { return relation_words(samples, key.u, key.kappa, monitor); });
  const Halves halves = finding.step(
      fmt::format("all 2^{:.1f} choices in either half of the blocks are summed up and sorted",
                  list_bits),
      [&] { return all_halves(words, left_blocks, right_blocks); });
  finding.step("a sum of the left is looked for with each sum of the right", [&] {
    for (std::size_t slot = 0; slot < samples.slots; ++slot) {
      monitor.throw_if_stopped();
      const auto p = first_meeting(halves, words[slot], [&](const Choice& a, const Choice& b) {
        std::vector<std::size_t> ones{slot};
        add_entries(ones, a.number, left_blocks);
        add_entries(ones, b.number, right_blocks);
        return prime_of(ones, key.u, key.kappa, samples.modulus);
      });
      if (p) finding.primes.push_back(*p);
    }
    return 0;
  });
  return finding;
}

Finding squashed_key_lattice(const Samples& samples, const SquashedNumbers& key,
                             const Monitor& monitor) {
  Finding finding;
  const NearMultiples near =
      finding.step("LLL on a few samples gives shorter near multiples of p with little more noise",
                   [&] { return near_multiples(samples, key.kappa, monitor); });
  const std::size_t m = relations_needed(key.u.size(), near.bits, near.c.size());
  std::vector<RelationLattice::Numbers> lists;
  for (std::size_t i = 0; i < m; ++i) {
    lists.push_back({relation(near.c[i], key, near.bits), power_of_two(near.bits)});
  }
  RelationLattice lattice(lists);
  finding.dimension = lattice.dimension();
  finding.samples = near.c.size();
  const auto ones =
      finding.step(fmt::format("the lattice of {} relations of {} bits is reduced, dimension {}", m,
                               near.bits, lattice.dimension()),
                   [&] {
                     lattice.reduce(0, monitor);
                     return ones_of(lattice.rows(), samples.slots, key.blocks);
                   });
  finding.step("the secret bits give 1/p, and that p", [&] {
    for (const std::vector<std::size_t>& s : ones) {
      const auto p = prime_of(s, key.u, key.kappa, samples.modulus);
      if (p) finding.primes.push_back(*p);
    }
    return 0;
  });
  return finding;
}

Finding product_form_search(const Samples& samples, const ProductFormNumbers& key,
                            const Monitor& monitor) {
  const auto side =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(key.u.size()))));
  Finding finding{.samples = 1};
  const std::vector<std::uint64_t> words = finding.step(
      fmt::format("c u_ij modulo 2^kappa is computed for {} numbers, c near a multiple of p",
                  key.u.size()),
      [&] { return relation_words(samples, key.u, key.kappa, monitor); });
  const auto rows = box_choices(side, key.row_boxes);
  const auto columns = box_choices(side, key.column_boxes);
  finding.step(
      fmt::format("all {} keys of the product form are tried", rows.size() * columns.size()), [&] {
        for (const std::vector<std::size_t>& a : rows) {
          monitor.throw_if_stopped();
          for (const std::vector<std::size_t>& b : columns) {
            std::vector<std::size_t> ones;
            std::uint64_t sum = 0;
            for (const std::size_t i : a) {
              for (const std::size_t j : b) {
                ones.push_back(i * side + j);
                sum += words[ones.back()];
              }
            }
            if (!is_near_zero(sum)) continue;
            if (const auto p = prime_of(ones, key.u, key.kappa, samples.modulus)) {
              finding.primes = {*p};
              return 0;
            }
          }
        }
        return 0;
      });
  return finding;
}

}  // namespace fhe::attack

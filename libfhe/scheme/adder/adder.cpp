// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/adder/adder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/algebra/algebra.hpp"
#include "libfhe/error.hpp"

namespace fhe {

namespace {

// One value of the program under construction, with its degree in the inputs.
struct Bit {
  std::uint32_t index;
  std::size_t degree;
};

using Bits = std::vector<Bit>;

// Bits to add up, by weight: columns[j] holds bits of weight 2^j.
using Columns = std::vector<Bits>;

bool lower_degree(const Bit& a, const Bit& b) {
  return a.degree < b.degree;
}

}  // namespace

// Appends steps to a program. XOR is the sum modulo 2, AND the product.
class AdderBuilder {
 public:
  explicit AdderBuilder(std::size_t inputs) { program_.inputs_ = inputs; }

  Bit xor_gate(Bit a, Bit b) {
    return append(AdderProgram::Operation::add, a, b, std::max(a.degree, b.degree));
  }
  Bit and_gate(Bit a, Bit b) {
    return append(AdderProgram::Operation::multiply, a, b, a.degree + b.degree);
  }

  // The xor of at least one bit.
  Bit add_all(const Bits& bits) {
    Bit sum = bits.front();
    for (std::size_t i = 1; i < bits.size(); ++i) sum = xor_gate(sum, bits[i]);
    return sum;
  }

  AdderProgram finish(Bit output) {
    program_.output_ = output.index;
    return std::move(program_);
  }

 private:
  Bit append(AdderProgram::Operation operation, Bit a, Bit b, std::size_t degree) {
    program_.steps_.push_back({operation, a.index, b.index});
    const auto index = static_cast<std::uint32_t>(program_.inputs_ + program_.steps_.size() - 1);
    return {index, degree};
  }

  AdderProgram program_;
};

namespace {

struct SumAndCarry {
  Bit sum;
  Bit carry;
};

// carry = ab + (a+b)c, as the reference program computes it: two products.
SumAndCarry full_add_two_products(AdderBuilder& build, Bit a, Bit b, Bit c) {
  const Bit either = build.xor_gate(a, b);
  const Bit carry = build.xor_gate(build.and_gate(either, c), build.and_gate(a, b));
  return {build.xor_gate(either, c), carry};
}

// carry = (pivot+b)(pivot+c) + pivot: one product. The pivot's degree enters twice.
SumAndCarry full_add_one_product(AdderBuilder& build, Bit pivot, Bit b, Bit c) {
  const Bit left = build.xor_gate(pivot, b);
  const Bit right = build.xor_gate(pivot, c);
  const Bit carry = majority_of_sums(build, pivot, left, right);
  return {build.xor_gate(left, c), carry};
}

SumAndCarry half_add(AdderBuilder& build, Bit a, Bit b) {
  return {build.xor_gate(a, b), build.and_gate(a, b)};
}

using FullAdd = SumAndCarry (*)(AdderBuilder&, Bit, Bit, Bit);

// The result of every adder: the column of weight 2^(w-1) plus the one below it.
Bit rounded(AdderBuilder& build, Bit top, Bit below) {
  return build.xor_gate(top, below);
}

// a + b modulo 2^w by rippling; `full_add` gets (fresh addend, running sum, carry).
Bits ripple(AdderBuilder& build, const Bits& a, const Bits& b, FullAdd full_add) {
  const std::size_t width = a.size();
  Bits sum;
  SumAndCarry column = half_add(build, b[0], a[0]);
  sum.push_back(column.sum);
  for (std::size_t j = 1; j + 1 < width; ++j) {
    column = full_add(build, b[j], a[j], column.carry);
    sum.push_back(column.sum);
  }
  sum.push_back(build.add_all({b[width - 1], a[width - 1], column.carry}));
  return sum;
}

Bit sequential(AdderBuilder& build, const Columns& columns, FullAdd full_add) {
  const auto number = [&columns](std::size_t k) {
    Bits bits;
    for (const Bits& column : columns) bits.push_back(column[k]);
    return bits;
  };
  Bits sum = number(0);
  for (std::size_t k = 1; k < columns[0].size(); ++k) sum = ripple(build, sum, number(k), full_add);
  return rounded(build, sum.back(), sum[sum.size() - 2]);
}

// Other adders use their columns up, so all take them by value.
// NOLINTBEGIN(performance-unnecessary-value-param)
Bit sequential_one_product(AdderBuilder& build, Columns columns) {
  return sequential(build, columns, full_add_one_product);
}

Bit sequential_two_products(AdderBuilder& build, Columns columns) {
  return sequential(build, columns, full_add_two_products);
}
// NOLINTEND(performance-unnecessary-value-param)

// Carry-save: each column is reduced to one bit, lowest degrees first, and every carry goes on to
// the next column at once.
Bit carry_save(AdderBuilder& build, Columns columns) {
  for (std::size_t j = 0; j + 1 < columns.size(); ++j) {
    Bits& column = columns[j];
    while (column.size() > 1) {
      std::ranges::stable_sort(column, lower_degree);
      const std::size_t taken = std::min<std::size_t>(column.size(), 3);
      const SumAndCarry result = taken == 3
                                     ? full_add_one_product(build, column[0], column[1], column[2])
                                     : half_add(build, column[0], column[1]);
      column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(taken));
      column.push_back(result.sum);
      columns[j + 1].push_back(result.carry);
    }
  }
  return rounded(build, build.add_all(columns.back()), columns[columns.size() - 2][0]);
}

// One sweep over the bits of one weight: triples and a last pair, lowest degrees first.
Bits compress_once(AdderBuilder& build, Bits bits, Bits& carries, FullAdd full_add) {
  std::ranges::stable_sort(bits, lower_degree);
  Bits sums;
  std::size_t i = 0;
  for (; i + 3 <= bits.size(); i += 3) {
    const SumAndCarry result = full_add(build, bits[i], bits[i + 1], bits[i + 2]);
    sums.push_back(result.sum);
    carries.push_back(result.carry);
  }
  if (bits.size() == 2) {
    const SumAndCarry result = half_add(build, bits[0], bits[1]);
    sums.push_back(result.sum);
    carries.push_back(result.carry);
    i = 2;
  }
  sums.insert(sums.end(), bits.begin() + static_cast<std::ptrdiff_t>(i), bits.end());
  return sums;
}

// The bits of the number of ones among `bits`: at most `weights` of them, the last one modulo 2.
Bits count_ones(AdderBuilder& build, Bits bits, std::size_t weights, FullAdd full_add) {
  Bits digits;
  for (std::size_t t = 0; t + 1 < weights && !bits.empty(); ++t) {
    Bits carries;
    while (bits.size() > 1) bits = compress_once(build, std::move(bits), carries, full_add);
    digits.push_back(bits.front());
    bits = std::move(carries);
  }
  if (!bits.empty()) digits.push_back(build.add_all(bits));
  return digits;
}

Bit counters(AdderBuilder& build, Columns columns, FullAdd full_add) {
  const std::size_t width = columns.size();
  Bit below{};
  for (std::size_t j = 0; j + 1 < width; ++j) {
    const Bits digits = count_ones(build, columns[j], width - j, full_add);
    below = digits[0];
    for (std::size_t t = 1; t < digits.size(); ++t) columns[j + t].push_back(digits[t]);
  }
  return rounded(build, build.add_all(columns.back()), below);
}

Bit counters_one_product(AdderBuilder& build, Columns columns) {
  return counters(build, std::move(columns), full_add_one_product);
}

Bit counters_two_products(AdderBuilder& build, Columns columns) {
  return counters(build, std::move(columns), full_add_two_products);
}

// e_k of two lists of bits together, from the e_1, e_2, ... of either as far as they are known or
// not zero: the sum of left e_i times right e_(k-i), e_0 = 1. Requires 1 <= k, and that there is
// one.
Bit joined_polynomial(AdderBuilder& build, const Bits& left, const Bits& right, std::size_t k) {
  Bits terms;
  for (std::size_t i = 0; i <= k; ++i) {
    if (i > left.size() || k - i > right.size()) continue;
    if (i == 0) {
      terms.push_back(right[k - 1]);
    } else if (i == k) {
      terms.push_back(left[k - 1]);
    } else {
      terms.push_back(build.and_gate(left[i - 1], right[k - i - 1]));
    }
  }
  return build.add_all(terms);
}

// The elementary symmetric polynomials e_k of at least two bits for the numbers k that are wanted,
// in increasing order, from all that these take of either half of the bits.
Bits symmetric_polynomials(AdderBuilder& build, std::span<const Bit> bits,
                           std::span<const std::size_t> wanted) {
  const auto all_of = [&](std::span<const Bit> half) {
    if (half.size() == 1) return Bits{half.front()};
    std::vector<std::size_t> all(std::min(half.size(), wanted.back()));
    std::iota(all.begin(), all.end(), std::size_t{1});
    return symmetric_polynomials(build, half, all);
  };
  const Bits left = all_of(bits.first(bits.size() / 2));
  const Bits right = all_of(bits.subspan(bits.size() / 2));
  Bits e;
  for (const std::size_t k : wanted) e.push_back(joined_polynomial(build, left, right, k));
  return e;
}

// e_1, e_2, e_4, ..., e_highest: e_(2^t) modulo 2 is digit t of the number of ones (Gentry-Halevi,
// grade-school addition).
Bits digits_by_symmetric_polynomials(AdderBuilder& build, std::span<const Bit> bits,
                                     std::size_t highest) {
  std::vector<std::size_t> powers;
  for (std::size_t k = 1; k <= highest; k *= 2) powers.push_back(k);
  return symmetric_polynomials(build, bits, powers);
}

Bit symmetric(AdderBuilder& build, Columns columns) {
  const std::size_t width = columns.size();
  Bit below{};
  for (std::size_t j = 0; j + 1 < width; ++j) {
    // Up to the top column and the number of bits.
    const std::size_t highest =
        std::min(std::size_t{1} << (width - 1 - j), std::bit_floor(columns[j].size()));
    const Bits digits = digits_by_symmetric_polynomials(build, columns[j], highest);
    below = digits[0];
    for (std::size_t t = 1; t < digits.size(); ++t) columns[j + t].push_back(digits[t]);
  }
  return rounded(build, build.add_all(columns.back()), below);
}

struct NamedAdder {
  std::string_view name;
  Bit (*build)(AdderBuilder&, Columns);
};

constexpr std::array<NamedAdder, 6> kAdders{{{"seq2", sequential_two_products},
                                             {"seq1", sequential_one_product},
                                             {"csa", carry_save},
                                             {"sym", symmetric},
                                             {"ctr", counters_one_product},
                                             {"ctr2", counters_two_products}}};

Columns input_columns(std::size_t count, std::size_t width) {
  Columns columns(width);
  for (std::size_t j = 0; j < width; ++j) {
    for (std::size_t k = 0; k < count; ++k) {
      columns[j].push_back({static_cast<std::uint32_t>(k * width + j), 1});
    }
  }
  return columns;
}

}  // namespace

AdderProgram AdderProgram::named(std::string_view name, std::size_t count, std::size_t width) {
  if (count < 2 || count > 1024 || width < 2 || width > 16) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("an adder sums 2 to 1024 numbers of 2 to 16 bits, not {} of {}", count, width));
  }
  const auto* const found = std::ranges::find(kAdders, name, &NamedAdder::name);
  if (found == kAdders.end()) {
    throw Error(ErrorCode::unknown_name,
                fmt::format("no adder named '{}'; there are: {}", name, fmt::join(names(), ", ")));
  }
  AdderBuilder build(count * width);
  const Bit output = found->build(build, input_columns(count, width));
  return build.finish(output);
}

std::vector<std::string> AdderProgram::names() {
  std::vector<std::string> names;
  names.reserve(kAdders.size());
  for (const NamedAdder& adder : kAdders) names.emplace_back(adder.name);
  return names;
}

std::size_t AdderProgram::products() const {
  return static_cast<std::size_t>(
      std::ranges::count(steps_, Operation::multiply, &Step::operation));
}

std::size_t AdderProgram::additions() const {
  return steps_.size() - products();
}

std::size_t AdderProgram::degree() const {
  return run(
      std::vector<std::size_t>(inputs_, 1),
      [](std::size_t a, std::size_t b) { return std::max(a, b); },
      [](std::size_t a, std::size_t b) { return a + b; });
}

std::vector<std::vector<std::size_t>> AdderProgram::rounds() const {
  std::vector<std::size_t> round_of(inputs_, 0);
  std::vector<std::vector<std::size_t>> rounds;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::size_t round = 1 + std::max(round_of[steps_[i].left], round_of[steps_[i].right]);
    round_of.push_back(round);
    if (rounds.size() < round) rounds.resize(round);
    rounds[round - 1].push_back(i);
  }
  return rounds;
}

}  // namespace fhe

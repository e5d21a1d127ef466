// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/arithmetic.hpp"

#include <utility>

namespace fhe::gpu {

namespace {

Word power(Word base, Word exponent) {
  Word result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = field_multiply(result, base);
    base = field_multiply(base, base);
  }
  return result;
}

// Of order 2^22, with root^(2^18) = 2^12: an odd power of any root of that order.
Word root_of_transforms() {
  constexpr Word kGenerator = 7;  // of the multiplicative group
  const Word any = power(kGenerator, (kPrime - 1) >> kMostLogLength);
  Word root = any;
  while (power(root, Word{1} << (kMostLogLength - 4)) != Word{1} << 12) {
    root = field_multiply(root, field_multiply(any, any));
  }
  return root;
}

std::vector<Word> tables_of_roots() {
  const Word root = root_of_transforms();
  const Word coarse = power(root, Word{1} << kLogTable);
  std::vector<Word> tables(kTableWords);
  const std::size_t half = tables.size() / 2;
  tables[0] = tables[half] = 1;
  for (std::size_t i = 1; i < half; ++i) {
    tables[i] = field_multiply(tables[i - 1], coarse);
    tables[half + i] = field_multiply(tables[half + i - 1], root);
  }
  return tables;
}

// 1 / n modulo p.
Word inverse_of_length(const Plan& plan) {
  return power(plan.length(), kPrime - 2);
}

}  // namespace

Arithmetic::Arithmetic(DevicePtr device)
    : device_(std::move(device)), roots_(device_, tables_of_roots()) {}

Buffer Arithmetic::zeros(std::size_t words) const {
  Buffer result = room(words);
  const TakeDigits::Item item{
      .number = {nullptr, 0}, .digits = result.at(), .count = words, .digit_bits = kWordBits};
  launch<TakeDigits>(device_, std::span(&item, 1), blocks_for(words, TakeDigits::kThreads));
  return result;
}

void Arithmetic::get(Number number, std::span<Word> words) const {
  device_->get(words, reinterpret_cast<Word>(number.words));
}

// NOLINTNEXTLINE(readability-non-const-parameter): the device writes there
void Arithmetic::transform(const Plan& plan, Word* spectra, std::size_t count,
                           bool is_inverse) const {
  for (const bool is_columns : {!is_inverse, is_inverse}) {
    const TransformPass::Item item{.values = spectra,
                                   .roots = roots_.at(),
                                   .transforms = count,
                                   .log_length = plan.log_length,
                                   .is_columns = is_columns ? 1U : 0U,
                                   .is_inverse = is_inverse ? 1U : 0U,
                                   .scale = inverse_of_length(plan)};
    launch<TransformPass>(device_, std::span(&item, 1),
                          TransformPass::blocks(count, plan.log_length, is_columns));
  }
}

void Arithmetic::forward(const Plan& plan, std::span<const Number> numbers, Word* spectra) const {
  std::vector<TakeDigits::Item> items;
  items.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    items.push_back({.number = numbers[i],
                     .digits = spectra + i * plan.length(),
                     .count = plan.length(),
                     .digit_bits = plan.digit_bits});
  }
  launch<TakeDigits>(device_, items, blocks_for(plan.length(), TakeDigits::kThreads));
  transform(plan, spectra, numbers.size(), false);
}

void Arithmetic::multiply(const Plan& plan, std::span<const Term> terms) const {
  std::vector<MultiplySpectra::Item> items;
  items.reserve(terms.size());
  for (const Term& term : terms) {
    items.push_back({.sum = term.sum,
                     .a = term.a,
                     .b = term.b,
                     .count = plan.length(),
                     .is_first = term.is_first ? 1U : 0U});
  }
  launch<MultiplySpectra>(device_, items, blocks_for(plan.length(), MultiplySpectra::kThreads));
}

void Arithmetic::inverse(const Plan& plan, Word* spectra, std::span<Word* const> numbers,
                         std::size_t words) const {
  transform(plan, spectra, numbers.size(), true);
  const std::size_t chunks = chunks_of(words);
  const Buffer overflows = room(2 * chunks * numbers.size());
  const Buffer flags = room(chunks * numbers.size());
  const Buffer carries = room(numbers.size());
  std::vector<SumDigits::Item> sums;
  std::vector<AddOverflows::Item> additions;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    sums.push_back({.digits = spectra + i * plan.length(),
                    .count = plan.length(),
                    .words = numbers[i],
                    .word_count = words,
                    .overflows = overflows.at(2 * chunks * i),
                    .digit_bits = plan.digit_bits});
    additions.push_back({.words = numbers[i],
                         .word_count = words,
                         .overflows = overflows.at(2 * chunks * i),
                         .flags = flags.at(chunks * i)});
  }
  launch<SumDigits>(device_, sums, blocks_for(chunks, SumDigits::kThreads));
  launch<AddOverflows>(device_, additions, blocks_for(chunks, AddOverflows::kThreads));
  carry(numbers, words, flags, 0, carries.at());
}

void Arithmetic::carry(std::span<Word* const> numbers, std::size_t words, const Buffer& flags,
                       Word carry_in, Word* carries) const {
  const std::size_t chunks = chunks_of(words);
  std::vector<ScanCarries::Item> scans;
  std::vector<AddCarries::Item> additions;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    scans.push_back({.flags = flags.at(chunks * i),
                     .chunks = chunks,
                     .carry_in = carry_in,
                     .carry_out = carries + i});
    additions.push_back(
        {.words = numbers[i], .word_count = words, .carries = flags.at(chunks * i)});
  }
  launch<ScanCarries>(device_, scans, 1);
  launch<AddCarries>(device_, additions, blocks_for(chunks, AddCarries::kThreads));
}

void Arithmetic::add_or_subtract(std::span<const Addition> additions, std::size_t words,
                                 Word* carries, bool is_difference) const {
  const std::size_t chunks = chunks_of(words);
  const Buffer flags = room(chunks * additions.size());
  std::vector<AddWords::Item> items;
  std::vector<Word*> sums;
  for (std::size_t i = 0; i < additions.size(); ++i) {
    items.push_back({.x = additions[i].x,
                     .y = additions[i].y,
                     .sum = additions[i].sum,
                     .word_count = words,
                     .flags = flags.at(chunks * i),
                     .is_difference = is_difference ? 1U : 0U});
    sums.push_back(additions[i].sum);
  }
  launch<AddWords>(device_, items, blocks_for(chunks, AddWords::kThreads));
  carry(sums, words, flags, is_difference ? 1 : 0, carries);
}

void Arithmetic::add(std::span<const Addition> additions, std::size_t words, Word* carries) const {
  add_or_subtract(additions, words, carries, false);
}

void Arithmetic::subtract(std::span<const Addition> additions, std::size_t words,
                          Word* carries) const {
  add_or_subtract(additions, words, carries, true);
}

void Arithmetic::subtract_where_possible(std::span<const Addition> additions,
                                         std::size_t words) const {
  const Buffer differences = room(words * additions.size());
  const Buffer carries = room(additions.size());
  std::vector<Addition> trials(additions.begin(), additions.end());
  std::vector<Choose::Item> choices;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].sum = differences.at(words * i);
    choices.push_back({.condition = carries.at(i),
                       .x = {differences.at(words * i), words},
                       .y = additions[i].x,
                       .result = additions[i].sum,
                       .word_count = words});
  }
  subtract(trials, words, carries.at());
  launch<Choose>(device_, choices, blocks_for(words, Choose::kThreads));
}

}  // namespace fhe::gpu

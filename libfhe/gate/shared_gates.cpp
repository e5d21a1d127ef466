// SPDX-License-Identifier: Apache-2.0
// The gates of an Evaluator on ciphertexts that remember what they were refreshed to.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <mutex>
#include <ranges>
#include <utility>
#include <vector>

#include "libfhe/gate/evaluate.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/gate/noise_bits.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/ciphertext.hpp"

namespace fhe {

// What the copies of a SharedCiphertext share.
//
// An encrypted bit: the least noisy ciphertext of it that is known and, for a sum that was not
// refreshed itself, its terms, which have no terms themselves. Any number of threads at once.
class SharedCell {
 public:
  using Pointer = std::shared_ptr<SharedCell>;
  using Value = std::shared_ptr<const Ciphertext>;

  // The sum of the terms, and of 1 if it is inverted; no terms: a bit of its own.
  struct Sum {
    std::vector<Pointer> terms;  // in ascending order
    bool inverted = false;
  };

  SharedCell(Ciphertext c, Sum sum)
      : least_(std::make_shared<const Ciphertext>(std::move(c))), sum_(std::move(sum)) {}

  [[nodiscard]] Value least() const {
    const std::lock_guard lock(mutex_);
    return least_;
  }

  [[nodiscard]] Sum sum() const {
    const std::lock_guard lock(mutex_);
    return sum_;
  }

  // Keeps the ciphertext, of the same bit, if it has less noise. Returns the one that is kept.
  Value improve(Ciphertext c) {
    auto value = std::make_shared<const Ciphertext>(std::move(c));
    const std::lock_guard lock(mutex_);
    if (value->noise() < least_->noise()) least_ = std::move(value);
    return least_;
  }

  // The same with a refreshed ciphertext. A sum has no more use for its terms.
  void refresh(Ciphertext c) {
    improve(std::move(c));
    Sum dropped;  // behind the lock: the last owner of a term frees it
    const std::lock_guard lock(mutex_);
    std::swap(sum_, dropped);
  }

  // In how many sums the bit was when they were refreshed themselves.
  [[nodiscard]] unsigned refreshed_sums() const {
    const std::lock_guard lock(mutex_);
    return refreshed_sums_;
  }
  void count_refreshed_sum() {
    const std::lock_guard lock(mutex_);
    ++refreshed_sums_;
  }

 private:
  mutable std::mutex mutex_;
  Value least_;
  Sum sum_;
  unsigned refreshed_sums_ = 0;
};

namespace {

using CellPointer = SharedCell::Pointer;
using CellValue = SharedCell::Value;

// A longer sum forgets its terms.
constexpr std::size_t kMostTerms = 8;

// A sum that is too noisy is refreshed itself, or its noisy terms are. The latter serves every
// other sum of them, but nobody knows which there will be. So a term is refreshed after as many
// sums with it were (each item of a set is in the comparisons with all items of another), at most
// two terms for one sum, and at most one of them that has not waited: then nothing is lost where no
// further sum comes, but one recryption.
constexpr unsigned kSumsBeforeTerm = 2;
constexpr std::size_t kMostTermsForSum = 2;
constexpr std::size_t kMostHasty = 1;

std::vector<const Ciphertext*> pointers_to(const std::vector<CellValue>& values) {
  std::vector<const Ciphertext*> pointers;
  pointers.reserve(values.size());
  for (const CellValue& value : values) pointers.push_back(value.get());
  return pointers;
}

std::vector<NoiseBound> bounds_of(const std::vector<CellValue>& values) {
  std::vector<NoiseBound> bounds;
  bounds.reserve(values.size());
  for (const CellValue& value : values) bounds.push_back(value->noise());
  return bounds;
}

std::vector<CellValue> least_of(const std::vector<CellPointer>& cells) {
  std::vector<CellValue> values;
  values.reserve(cells.size());
  for (const CellPointer& cell : cells) values.push_back(cell->least());
  return values;
}

// The formula of a sum.
auto sum_formula(bool inverted) {
  return [inverted](const auto& bits, const auto& x) {
    auto sum = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) sum = bits.xor_gate(sum, x[i]);
    return inverted ? bits.not_gate(sum) : sum;
  };
}

SharedCell::Sum as_sum(const CellPointer& cell) {
  SharedCell::Sum sum = cell->sum();
  if (sum.terms.empty()) sum = {{cell}, false};
  return sum;
}

// The sum of two sums, in which what is in both is gone.
SharedCell::Sum added(const SharedCell::Sum& x, const SharedCell::Sum& y) {
  SharedCell::Sum sum{{}, x.inverted != y.inverted};
  std::ranges::set_symmetric_difference(x.terms, y.terms, std::back_inserter(sum.terms));
  return sum.terms.size() <= kMostTerms ? sum : SharedCell::Sum{};
}

}  // namespace

struct Evaluator::SharedGates {
  const Evaluator& evaluator;

  [[nodiscard]] NoiseBits noise_bits() const { return {rule}; }

  // The least noisy ciphertext of the cell, computed anew where its terms were refreshed.
  [[nodiscard]] CellValue least(const CellPointer& cell) const {
    CellValue own = cell->least();
    const SharedCell::Sum sum = cell->sum();
    if (sum.terms.empty()) return own;
    const std::vector<CellValue> terms = least_of(sum.terms);
    const auto formula = sum_formula(sum.inverted);
    const NoiseBound noise = formula(noise_bits(), bounds_of(terms));
    if (noise >= own->noise() || noise > evaluator.limit()) return own;
    return cell->improve(evaluator.evaluate(pointers_to(terms), formula));
  }

  // What to refresh for a cell to have less noise: itself, or those of its terms that were not
  // refreshed yet.
  [[nodiscard]] std::vector<CellPointer> to_refresh(const CellPointer& cell,
                                                    NoiseBound noise) const {
    const NoiseBound refreshed = evaluator.key().refreshed_noise();
    const SharedCell::Sum sum = cell->sum();
    std::vector<CellPointer> noisy;
    std::ranges::copy_if(sum.terms, std::back_inserter(noisy), [&](const CellPointer& term) {
      return term->least()->noise() > refreshed;
    });
    const bool serves = !noisy.empty() && noisy.size() <= kMostTermsForSum &&
                        hasty(noisy) <= kMostHasty && sum_serves(sum, noise);
    if (serves) return noisy;
    for (const CellPointer& term : noisy) term->count_refreshed_sum();
    return {cell};
  }

  // How many of the terms were in few sums that were refreshed.
  [[nodiscard]] static std::size_t hasty(const std::vector<CellPointer>& terms) {
    return static_cast<std::size_t>(std::ranges::count_if(
        terms, [](const CellPointer& term) { return term->refreshed_sums() < kSumsBeforeTerm; }));
  }

  // Whether the sum of the terms, all of them refreshed, has less noise than this, and can be
  // multiplied.
  [[nodiscard]] bool sum_serves(const SharedCell::Sum& sum, NoiseBound noise) const {
    std::vector<NoiseBound> bounds = bounds_of(least_of(sum.terms));
    for (NoiseBound& bound : bounds) {
      bound = std::min(bound, evaluator.key().refreshed_noise());
    }
    const NoiseBound reached = sum_formula(sum.inverted)(noise_bits(), bounds);
    return reached < noise && rule.product(reached, reached) <= evaluator.limit();
  }

  // Refreshes what `chosen` of the operands need. `reached` is the noise of the gate without.
  void refresh(const std::vector<CellPointer>& operands, const std::vector<CellValue>& values,
               const std::vector<const Ciphertext*>& chosen, NoiseBound reached) const {
    std::vector<CellPointer> cells;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto before = std::ranges::subrange(operands.begin(),
                                                operands.begin() + static_cast<std::ptrdiff_t>(i));
      if (std::ranges::find(before, operands[i]) != before.end()) continue;  // the same bit
      if (std::ranges::find(chosen, values[i].get()) == chosen.end()) continue;
      for (CellPointer& cell : to_refresh(operands[i], values[i]->noise())) {
        if (std::ranges::find(cells, cell) == cells.end()) cells.push_back(std::move(cell));
      }
    }
    const std::vector<CellValue> noisy = least_of(cells);
    std::vector<Ciphertext> refreshed = evaluator.refresh_all(pointers_to(noisy), reached);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i]->refresh(std::move(refreshed[i]));
  }

  // The value of the formula on the operands, after refreshing as many as it takes.
  template <class Formula>
  [[nodiscard]] Ciphertext value(const std::vector<CellPointer>& operands,
                                 const Formula& formula) const {
    ++evaluator.counters_->gates;
    while (true) {
      std::vector<CellValue> values;
      values.reserve(operands.size());
      for (const CellPointer& operand : operands) values.push_back(least(operand));
      const std::vector<const Ciphertext*> pointers = pointers_to(values);
      for (const Ciphertext* pointer : pointers) evaluator.check(*pointer);
      const NoiseBound noise = formula(noise_bits(), bounds_of(values));
      if (noise <= evaluator.limit()) return evaluator.evaluate(pointers, formula);
      refresh(operands, values, evaluator.too_noisy(pointers, formula), noise);
    }
  }

  NoiseRule rule = evaluator.noise_rule();
};

SharedCiphertext Evaluator::xor_gate(const SharedCiphertext& a, const SharedCiphertext& b) const {
  return reporting_memory([&] {
    Ciphertext value = SharedGates{*this}.value({a.cell_.pointer(), b.cell_.pointer()}, kXor);
    return SharedCiphertext(std::make_shared<SharedCell>(
        std::move(value), added(as_sum(a.cell_.pointer()), as_sum(b.cell_.pointer()))));
  });
}

SharedCiphertext Evaluator::and_gate(const SharedCiphertext& a, const SharedCiphertext& b) const {
  return reporting_memory([&] {
    return SharedCiphertext(SharedGates{*this}.value({a.cell_.pointer(), b.cell_.pointer()}, kAnd));
  });
}

SharedCiphertext Evaluator::not_gate(const SharedCiphertext& a) const {
  return reporting_memory([&] {
    Ciphertext value = SharedGates{*this}.value({a.cell_.pointer()}, kNot);
    SharedCell::Sum sum = as_sum(a.cell_.pointer());
    sum.inverted = !sum.inverted;
    return SharedCiphertext(std::make_shared<SharedCell>(std::move(value), std::move(sum)));
  });
}

SharedCiphertext::SharedCiphertext(Ciphertext c)
    : SharedCiphertext(reporting_memory(
          [&] { return std::make_shared<SharedCell>(std::move(c), SharedCell::Sum{}); })) {}

SharedCiphertext::operator Ciphertext() const {
  return reporting_memory([&] { return *cell_->least(); });
}

}  // namespace fhe

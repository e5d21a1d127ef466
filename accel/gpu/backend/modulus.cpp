// SPDX-License-Identifier: Apache-2.0
#include "accel/gpu/backend/modulus.hpp"

#include <algorithm>
#include <iterator>

#include "libfhe/secret/vector.hpp"

namespace fhe::gpu {

namespace {

// Memory for the spectra of the sums that are worked on at once.
constexpr std::size_t kWorkingWords = std::size_t{1} << 27;

std::size_t cut_words(std::size_t bits) {
  return bits / kWordBits;
}

std::size_t quotient_words(std::size_t bits) {
  constexpr std::size_t kSpareBits = 16;
  return limbs_for_bits(2 * bits + kSpareBits) - cut_words(bits);
}

// Of all products: x / B^u and q have v words, mu one more.
std::size_t factor_bits(std::size_t bits) {
  return (quotient_words(bits) + 1) * kWordBits;
}

Buffer buffer_of(const Arithmetic& arithmetic, const Integer& x, std::size_t words) {
  SecretVector<Word> list(words);
  std::ranges::copy(limbs_of(x), list.begin());
  return {arithmetic.device(), list};
}

Buffer spectrum_of(const Arithmetic& arithmetic, const Plan& plan, const Integer& x) {
  const Buffer words = buffer_of(arithmetic, x, limbs_of(x).size());
  Buffer spectrum = arithmetic.room(plan.length());
  const Number number{words.at(), words.size()};
  arithmetic.forward(plan, std::span(&number, 1), spectrum.at());
  return spectrum;
}

}  // namespace

bool Modulus::fits(std::size_t bits) {
  return plan_for(factor_bits(bits), factor_bits(bits)).has_value();
}

Modulus::Modulus(const Arithmetic& arithmetic, const Integer& modulus)
    : arithmetic_(arithmetic),
      words_(limbs_of(modulus).size()),
      cut_words_(cut_words(bit_length(modulus))),
      quotient_words_(quotient_words(bit_length(modulus))),
      plan_(plan_for(factor_bits(bit_length(modulus)), factor_bits(bit_length(modulus))).value()),
      modulus_(buffer_of(arithmetic, modulus, words_)),
      twice_modulus_(buffer_of(arithmetic, 2 * modulus, words_ + 1)),
      modulus_spectrum_(spectrum_of(arithmetic, plan_, modulus)),
      reciprocal_spectrum_(spectrum_of(
          arithmetic, plan_, power_of_two((cut_words_ + quotient_words_) * kWordBits) / modulus)) {}

ElementPtr Modulus::put(const Integer& x) const {
  Buffer memory = buffer_of(arithmetic_, x, words_);
  const Number number{memory.at(), words_};
  return reduced_already(std::span(&number, 1), std::move(memory)).front();
}

Integer Modulus::get(const Element& element) const {
  SecretVector<Word> words(element.number.count);
  arithmetic_.get(element.number, words);
  return from_limbs(words);
}

std::vector<ElementPtr> Modulus::with_spectra(std::span<const ElementPtr> elements) const {
  std::vector<Number> numbers;
  for (const ElementPtr& element : elements) {
    if (element->spectrum == nullptr) numbers.push_back(element->number);
  }
  std::vector<ElementPtr> results(elements.begin(), elements.end());
  if (numbers.empty()) return results;
  const auto spectra =
      std::make_shared<const Buffer>(arithmetic_.room(plan_.length() * numbers.size()));
  arithmetic_.forward(plan_, numbers, spectra->at());
  const Word* spectrum = spectra->at();
  for (ElementPtr& element : results) {
    if (element->spectrum != nullptr) continue;
    Element whole = *element;
    whole.spectrum = spectrum;
    whole.spectra = spectra;
    spectrum += plan_.length();
    element = std::make_shared<const Element>(std::move(whole));
  }
  return results;
}

std::vector<ElementPtr> Modulus::sums_of_products(std::span<const Products> sums) const {
  // A sum has a spectrum, and two of its factors have one for a while.
  const std::size_t at_once = std::max<std::size_t>(1, kWorkingWords / (3 * plan_.length()));
  std::vector<ElementPtr> results;
  for (std::size_t first = 0; first < sums.size(); first += at_once) {
    std::vector<ElementPtr> some =
        some_sums_of_products(sums.subspan(first, std::min(at_once, sums.size() - first)));
    std::ranges::move(some, std::back_inserter(results));
  }
  return results;
}

std::vector<ElementPtr> Modulus::some_sums_of_products(std::span<const Products> sums) const {
  const std::size_t words = cut_words_ + quotient_words_;
  const Buffer arguments = arithmetic_.zeros(words * sums.size());
  const Buffer parts = arithmetic_.room(words * sums.size());
  const Buffer carries = arithmetic_.room(sums.size());
  std::size_t longest = 0;
  for (const Products& sum : sums) longest = std::max(longest, sum.size());
  std::vector<Word*> part_places;
  std::vector<Arithmetic::Addition> additions;
  for (std::size_t s = 0; s < sums.size(); ++s) {
    part_places.push_back(parts.at(words * s));
    additions.push_back({.x = {arguments.at(words * s), words},
                         .y = {parts.at(words * s), words},
                         .sum = arguments.at(words * s)});
  }
  for (std::size_t first = 0; first < longest; first += plan_.terms) {
    const Buffer spectra = arithmetic_.zeros(plan_.length() * sums.size());
    add_spectra(sums, first, std::min(first + plan_.terms, longest), spectra.at());
    arithmetic_.inverse(plan_, spectra.at(), part_places, words);
    arithmetic_.add(additions, words, carries.at());
  }
  std::vector<Number> numbers;
  for (std::size_t s = 0; s < sums.size(); ++s) numbers.push_back({arguments.at(words * s), words});
  return reduced(numbers);
}

void Modulus::add_spectra(std::span<const Products> sums, std::size_t first, std::size_t end,
                          Word* spectra) const {
  const Buffer factors = arithmetic_.room(2 * plan_.length() * sums.size());
  for (std::size_t k = first; k < end; ++k) {
    std::vector<Number> numbers;
    std::vector<Arithmetic::Term> terms;
    const auto spectrum_in = [&](const Element& element) -> const Word* {
      if (element.spectrum != nullptr) return element.spectrum;
      numbers.push_back(element.number);
      return factors.at(plan_.length() * (numbers.size() - 1));
    };
    for (std::size_t s = 0; s < sums.size(); ++s) {
      if (k >= sums[s].size()) continue;
      const auto& [a, b] = sums[s][k];
      const Word* const of_a = spectrum_in(*a);
      const Word* const of_b = a == b ? of_a : spectrum_in(*b);
      terms.push_back(
          {.sum = spectra + plan_.length() * s, .a = of_a, .b = of_b, .is_first = false});
    }
    arithmetic_.forward(plan_, numbers, factors.at());
    arithmetic_.multiply(plan_, terms);
  }
}

std::vector<ElementPtr> Modulus::reduced(std::span<const Number> numbers) const {
  const std::size_t count = numbers.size();
  const std::size_t product_words = 2 * quotient_words_ + 1;
  const std::size_t rest_words = words_ + 1;
  const Buffer spectra = arithmetic_.room(plan_.length() * count);
  const Buffer products = arithmetic_.room(product_words * count);
  const Buffer multiples = arithmetic_.room(rest_words * count);
  Buffer rests = arithmetic_.room(rest_words * count);
  const Buffer carries = arithmetic_.room(count);
  std::vector<Number> leading;
  std::vector<Number> quotients;
  std::vector<Word*> product_places;
  std::vector<Word*> multiple_places;
  std::vector<Arithmetic::Term> by_reciprocal;
  std::vector<Arithmetic::Term> by_modulus;
  std::vector<Arithmetic::Addition> differences;
  for (std::size_t i = 0; i < count; ++i) {
    Word* const spectrum = spectra.at(plan_.length() * i);
    leading.push_back(numbers[i].from(cut_words_));
    quotients.push_back({products.at(product_words * i + quotient_words_), quotient_words_});
    product_places.push_back(products.at(product_words * i));
    multiple_places.push_back(multiples.at(rest_words * i));
    by_reciprocal.push_back({spectrum, spectrum, reciprocal_spectrum_.at(), true});
    by_modulus.push_back({spectrum, spectrum, modulus_spectrum_.at(), true});
    differences.push_back({.x = numbers[i],
                           .y = {multiples.at(rest_words * i), rest_words},
                           .sum = rests.at(rest_words * i)});
  }
  arithmetic_.forward(plan_, leading, spectra.at());
  arithmetic_.multiply(plan_, by_reciprocal);
  arithmetic_.inverse(plan_, spectra.at(), product_places, product_words);
  arithmetic_.forward(plan_, quotients, spectra.at());
  arithmetic_.multiply(plan_, by_modulus);
  arithmetic_.inverse(plan_, spectra.at(), multiple_places, rest_words);
  arithmetic_.subtract(differences, rest_words, carries.at());
  return below_modulus(std::move(rests), count);
}

std::vector<ElementPtr> Modulus::below_modulus(Buffer sums, std::size_t count) const {
  const std::size_t words = words_ + 1;
  std::vector<Arithmetic::Addition> trials;
  for (std::size_t i = 0; i < count; ++i) {
    trials.push_back({.x = {sums.at(words * i), words},
                      .y = {twice_modulus_.at(), twice_modulus_.size()},
                      .sum = sums.at(words * i)});
  }
  arithmetic_.subtract_where_possible(trials, words);
  for (Arithmetic::Addition& trial : trials) trial.y = {modulus_.at(), modulus_.size()};
  arithmetic_.subtract_where_possible(trials, words);
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back({sums.at(words * i), words_});
  return reduced_already(numbers, std::move(sums));
}

std::vector<ElementPtr> Modulus::reduced_already(std::span<const Number> numbers, Buffer memory) {
  const auto values = std::make_shared<const Buffer>(std::move(memory));
  std::vector<ElementPtr> elements;
  elements.reserve(numbers.size());
  for (const Number& number : numbers) {
    elements.push_back(std::make_shared<const Element>(
        Element{.number = number, .values = values, .spectrum = nullptr, .spectra = {}}));
  }
  return elements;
}

std::vector<ElementPtr> Modulus::differences(
    std::span<const std::pair<ElementPtr, ElementPtr>> pairs) const {
  const std::size_t words = words_ + 1;
  Buffer sums = arithmetic_.room(words * pairs.size());
  const Buffer carries = arithmetic_.room(pairs.size());
  std::vector<Arithmetic::Addition> negations;  // N - second
  std::vector<Arithmetic::Addition> additions;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Word* const at = sums.at(words * i);
    negations.push_back(
        {.x = {modulus_.at(), modulus_.size()}, .y = pairs[i].second->number, .sum = at});
    additions.push_back({.x = {at, words}, .y = pairs[i].first->number, .sum = at});
  }
  arithmetic_.subtract(negations, words, carries.at());
  arithmetic_.add(additions, words, carries.at());
  return below_modulus(std::move(sums), pairs.size());
}

std::vector<ElementPtr> Modulus::sums(
    std::span<const std::pair<ElementPtr, ElementPtr>> pairs) const {
  const std::size_t words = words_ + 1;
  Buffer sums = arithmetic_.room(words * pairs.size());
  const Buffer carries = arithmetic_.room(pairs.size());
  std::vector<Arithmetic::Addition> additions;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    additions.push_back(
        {.x = pairs[i].first->number, .y = pairs[i].second->number, .sum = sums.at(words * i)});
  }
  arithmetic_.add(additions, words, carries.at());
  return below_modulus(std::move(sums), pairs.size());
}

}  // namespace fhe::gpu

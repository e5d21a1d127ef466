// SPDX-License-Identifier: Apache-2.0
// Example 6: numbers. A Word has the operators of an unsigned integer, on bits of any kind.
//
// The function below is written once. On PlainBits it is an ordinary computation, on an Evaluator
// the same one on encrypted bits. There are no branches on secrets: mux takes both ways and keeps
// one result.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include "apps/examples/shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::bits_of;
using fhe::constant_word;
using fhe::number_of;
using fhe::Word;

namespace {

constexpr std::size_t kWidth = 8;

// A parcel's postage by its weight class, and the weight from which on handling costs extra.
const std::vector<std::uint64_t> kPostage{5, 7, 11, 18};
constexpr std::uint64_t kHeavy = 100;
constexpr std::uint64_t kHandling = 9;

// What two parcels cost as one: the postage of the class, and handling if the sum is heavy.
template <class Algebra>
Word<Algebra> price(const Word<Algebra>& first, const Word<Algebra>& second) {
  Algebra& algebra = first.algebra();
  const Word<Algebra> weight = first + second;                  // modulo 2^kWidth
  const Word<Algebra> weight_class = (weight >> 6).resized(2);  // a shift by a constant is free
  const Word<Algebra> postage = look_up(weight_class, kPostage, kWidth);
  const auto heavy = weight >= constant_word(algebra, kWidth, kHeavy);
  return postage +
         mux(heavy, constant_word(algebra, kWidth, kHandling), constant_word(algebra, kWidth, 0));
}

}  // namespace

int main() {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);
  const fhe::PlainBits plain;

  for (const auto& [first, second] : {std::pair{30U, 20U}, {70U, 40U}, {160U, 95U}}) {
    const Word<const fhe::PlainBits> in_the_clear =
        price(constant_word(plain, kWidth, first), constant_word(plain, kWidth, second));

    // The words belong to the evaluator, which must outlive them.
    const Word<const fhe::Evaluator> x(evaluator, encryptor.encrypt(bits_of(first, kWidth)));
    const Word<const fhe::Evaluator> y(evaluator, encryptor.encrypt(bits_of(second, kWidth)));
    const fhe::GateCounts before = evaluator.counts();
    const Word<const fhe::Evaluator> encrypted = price(x, y);
    const fhe::GateCounts after = evaluator.counts();

    const std::uint64_t cost = number_of(decryptor.decrypt(encrypted.values()));
    std::cout << "parcels of " << first << " and " << second << " cost " << cost << ": "
              << after.products - before.products << " products, "
              << after.recryptions - before.recryptions << " recryptions\n";
    fhe::examples::check(cost == number_of(in_the_clear.values()), "the price is the plain one");
    fhe::examples::check(
        cost == kPostage[(first + second) >> 6] + (first + second >= kHeavy ? kHandling : 0),
        "and that of plain C++");
  }
}

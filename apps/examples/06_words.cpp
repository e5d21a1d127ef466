// SPDX-License-Identifier: Apache-2.0
// Example 6: numbers. A function is written once, with the operators of C++; compute() runs it on
// encrypted numbers, and plans as a whole what to recrypt on the way.
//
// There are no branches on secrets: select takes both ways and keeps one result.
#include <cstdint>
#include <iostream>
#include <utility>
#include <vector>

#include "shared.hpp"
#include <libfhe/fhe.hpp>

using fhe::Encrypted;
using fhe::Uint;
using fhe::examples::check;

namespace {

// A parcel's postage by its weight class, and the weight from which on handling costs extra.
const std::vector<std::uint64_t> kPostage{5, 7, 11, 18};
constexpr unsigned kHeavy = 100;
constexpr unsigned kHandling = 9;

// What two parcels cost as one: the postage of the class, and handling if the sum is heavy.
Uint<8> price(const Uint<8>& first, const Uint<8>& second) {
  const Uint<8> weight = first + second;                                    // modulo 256
  const Uint<8> postage = fhe::look_up<8>(kPostage, Uint<2>(weight >> 6));  // the shift is free
  return postage + select(weight >= kHeavy, Uint<8>(kHandling), Uint<8>(0));
}

}  // namespace

int main() {
  const fhe::KeyPair keys = fhe::KeyGenerator(fhe::ParameterSet::named("cnt-toy")).generate();
  const fhe::Encryptor encryptor(keys.public_key);
  const fhe::Evaluator evaluator(keys.public_key);
  const fhe::Decryptor decryptor(keys.secret_key);

  for (const auto& [first, second] : {std::pair{30U, 20U}, {70U, 40U}, {160U, 95U}}) {
    const Encrypted<Uint<8>> x = fhe::encrypt<Uint<8>>(encryptor, first);
    const Encrypted<Uint<8>> y = fhe::encrypt<Uint<8>>(encryptor, second);
    const fhe::GateCounts before = evaluator.counts();
    const Encrypted<Uint<8>> encrypted = compute(evaluator, price, x, y);
    const fhe::GateCounts after = evaluator.counts();

    const std::uint64_t cost = decrypt(decryptor, encrypted);
    std::cout << "parcels of " << first << " and " << second << " cost " << cost << ": "
              << after.products - before.products << " products, "
              << after.recryptions - before.recryptions << " recryptions\n";
    check(cost == fhe::compute_in_the_clear<Uint<8>, Uint<8>>(price, first, second),
          "the price is the plain one");
    check(cost == kPostage[(first + second) >> 6] + (first + second >= kHeavy ? kHandling : 0),
          "and that of plain C++");
  }
}

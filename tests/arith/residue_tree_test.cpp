// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/residue_tree.hpp"

#include <functional>
#include <vector>

#include "tests/catch.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

SecretIntegers copy_of(const std::vector<Integer>& values) {
  SecretIntegers copies(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) copies[i] = values[i];
  return copies;
}

Integer product_of(const std::vector<Integer>& values) {
  Integer product = 1;
  for (const Integer& value : values) product *= value;
  return product;
}

std::vector<Integer> rows_of(const SecretVector<Limb>& limbs, const ResidueTree& tree) {
  std::vector<Integer> rows;
  const std::size_t width = tree.residue_limbs();
  for (std::size_t j = 0; j < tree.size(); ++j) {
    rows.push_back(from_limbs(std::span(limbs).subspan(j * width, width)));
  }
  return rows;
}

std::vector<Integer> plain_residues(const Integer& x, const std::vector<Integer>& moduli) {
  std::vector<Integer> residues;
  for (const Integer& m : moduli) residues.push_back(x % m);
  return residues;
}

// Odd numbers of so many bits without a common factor.
std::vector<Integer> coprime_moduli(Operands& operands, std::size_t count,
                                    const std::function<std::size_t()>& bits) {
  std::vector<Integer> moduli;
  Integer product = 1;
  while (moduli.size() < count) {
    Integer m = operands.exactly(bits());
    mpz_setbit(m.get_mpz_t(), 0);
    if (m < 3 || gcd(m, product) != 1) continue;
    product *= m;
    moduli.push_back(m);
  }
  return moduli;
}

// Numbers below 2^bits at which estimates stumble: around multiples of the product and of a
// modulus.
std::vector<Integer> hard_dividends(Operands& operands, const std::vector<Integer>& moduli,
                                    std::size_t bits) {
  const Integer product = product_of(moduli);
  std::vector<Integer> all{0, 1, all_ones(bits)};
  for (const Integer& m : {product, moduli.front(), moduli.back()}) {
    const Integer multiple = m * (operands.bits(bits) / m);
    for (int offset = -1; offset <= 1; ++offset) all.push_back(multiple + offset);
    all.push_back(multiple + m / 2);
    all.push_back(multiple + m / 2 + 1);
  }
  std::erase_if(all, [&](const Integer& x) { return x < 0 || bit_length(x) > bits; });
  return all;
}

void check_residues(const ResidueTree& tree, const std::vector<Integer>& moduli, const Integer& x) {
  CHECK(tree.remainder(x).value() == x % tree.product());
  const bool right = rows_of(tree.residues(x), tree) == plain_residues(x, moduli);
  CHECK(right);
}

void check_combination(const ResidueTree& tree, const std::vector<Integer>& moduli,
                       const std::vector<Integer>& residues) {
  const SecretInteger x = tree.combine(residues);
  bool right = x.value() >= 0 && x.value() < product_of(moduli);
  for (std::size_t j = 0; j < moduli.size(); ++j) {
    const Integer difference = x.value() - residues[j];
    right = right && difference % moduli[j] == 0;
  }
  CHECK(right);
}

// Residues of both signs: any, short ones, and the largest and smallest there are.
void check_combinations(Operands& operands, const ResidueTree& tree,
                        const std::vector<Integer>& moduli) {
  for (int kind = 0; kind < 5; ++kind) {
    std::vector<Integer> residues;
    for (const Integer& m : moduli) {
      Integer residue = m - 1;
      if (kind == 1) residue = 0;
      if (kind == 2) residue = operands.bits(bit_length(m)) % m;
      if (kind == 3) residue = operands.bits(bit_length(m) / 2) % m;
      if (kind == 4) residue = operands.between(0, 1) % m;
      residues.push_back(operands.between(0, 1) == 0 ? residue : -residue);
    }
    check_combination(tree, moduli, residues);
  }
}

}  // namespace

TEST_CASE("residues of every number modulo small moduli, and back", "[residue_tree]") {
  const auto backend = std::make_shared<const MinimalBackend>();
  const std::vector<std::vector<Integer>> lists{{3}, {3, 5}, {5, 3, 7}, {9, 5, 7, 11}};
  for (const std::vector<Integer>& moduli : lists) {
    const ResidueTree tree(copy_of(moduli), 13, backend);
    CHECK(tree.product() == product_of(moduli));
    for (Integer x = 0; x < 8192; ++x) {
      const std::vector<Integer> residues = rows_of(tree.residues(x), tree);
      if (residues != plain_residues(x, moduli)) FAIL("wrong residue of " << x);
      if (tree.remainder(x).value() != x % tree.product()) FAIL("wrong remainder of " << x);
      const Integer least = x % tree.product();
      if (tree.combine(residues).value() != least) FAIL("wrong combination of " << x);
    }
  }
}

TEST_CASE("residues and combinations with moduli of every length", "[residue_tree]") {
  Operands operands(71);
  for (const BackendPtr& backend : backends_under_test()) {
    if (backend->info().name.starts_with("fpga")) continue;  // its model takes minutes
    for (const std::size_t count : {1U, 2U, 3U, 7U, 33U, 150U}) {
      const auto moduli = coprime_moduli(
          operands, count, [&] { return operands.between(20, count > 7 ? 400 : 9000); });
      const std::size_t bits = operands.between(1, 4) * bit_length(product_of(moduli));
      const ResidueTree tree(copy_of(moduli), bits, backend);
      for (const Integer& x : hard_dividends(operands, moduli, bits)) {
        check_residues(tree, moduli, x);
      }
      check_residues(tree, moduli, operands.runs(bits));
      check_combinations(operands, tree, moduli);
    }
  }
}

TEST_CASE("a tree of the secret primes of many slots", "[residue_tree]") {
  Operands operands(72);
  const BackendPtr backend = open_backend();
  const auto moduli = coprime_moduli(operands, 1024, [] { return 256; });
  const std::size_t bits = 1000000;
  const ResidueTree tree(copy_of(moduli), bits, backend);
  check_residues(tree, moduli, operands.exactly(bits));
  check_combinations(operands, tree, moduli);
}

TEST_CASE("a stop ends the work on a tree of moduli", "[residue_tree]") {
  Operands operands(73);
  const auto moduli = coprime_moduli(operands, 40, [] { return 300; });
  const ResidueTree tree(copy_of(moduli), 20000, open_backend());
  std::stop_source stop;
  stop.request_stop();
  const Monitor monitor{.stop = stop.get_token(), .progress = {}};
  const auto make = [&] {
    return ResidueTree(copy_of(moduli), 20000, open_backend(), monitor).size();
  };
  CHECK_THROWS_MATCHES(make(), Error, HasCode(ErrorCode::stopped));
  CHECK_THROWS_MATCHES(tree.residues(1, monitor), Error, HasCode(ErrorCode::stopped));
  CHECK_THROWS_MATCHES(tree.combine(moduli, monitor), Error, HasCode(ErrorCode::stopped));
}

}  // namespace fhe::test

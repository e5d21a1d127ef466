// SPDX-License-Identifier: Apache-2.0
// Rings: reduction, sums, products, prepared operands, and how long a backend lives.
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance {

namespace {

std::vector<Integer> awkward_moduli(Operands& operands) {
  std::vector<Integer> moduli{2, 3, 4, 5, 7, 64, 65, 127, 128, 255, 256, 257};
  for (const std::size_t bits : {63U, 64U, 65U, 127U, 128U, 129U, 1000U, 4096U}) {
    moduli.push_back(power_of_two(bits));
    moduli.emplace_back(power_of_two(bits) - 1);
    moduli.emplace_back(power_of_two(bits) + 1);
    moduli.push_back(operands.exactly(bits));
    moduli.emplace_back(operands.exactly(bits) | 1);
  }
  return moduli;
}

std::vector<Integer> awkward_residues(const Integer& n, Operands& operands) {
  std::vector<Integer> residues{0, 1, n - 1, n / 2, operands.below(n), operands.below(n)};
  if (n > 2) residues.emplace_back(2);
  return residues;
}

// "in a ring of 64 bits"
std::string in_ring(const Integer& modulus) {
  return fmt::format("in a ring of {} bits", bit_length(modulus));
}

void too_small_ring_moduli(Trial& trial) {
  for (const int modulus : {1, 0, -1, -7}) {
    trial.refuses(
        ErrorCode::invalid_argument, [&] { static_cast<void>(trial.backend().ring(modulus)); },
        fmt::format("a ring with the modulus {}", modulus));
  }
}

void reduced(Trial& trial, const Ring& ring, const Integer& x) {
  const Integer& n = ring.modulus();
  trial.equal(ring.reduce(x), oracle::mod(x, n),
              fmt::format("a {}number of {} bits, reduced {},", x < 0 ? "negative " : "",
                          bit_length(x), in_ring(n)));
}

void reduction(Trial& trial) {
  Operands& operands = trial.operands();
  for (const Integer& n : awkward_moduli(operands)) {
    const auto ring = trial.backend().ring(n);
    trial.equal(ring->modulus(), n, "the modulus of a ring");
    const Integer quotient = operands.bits(2 * bit_length(n));
    for (int offset = -1; offset <= 1; ++offset) {
      for (const Integer& multiple : {Integer(0), n, Integer(n * n), Integer(quotient * n)}) {
        const Integer x = multiple + offset;
        reduced(trial, *ring, x);
        reduced(trial, *ring, -x);
      }
    }
    reduced(trial, *ring, operands.bits(10 * bit_length(n)));
  }
}

void arithmetic_of(Trial& trial, const Ring& ring, const Integer& a, const Integer& b) {
  const Integer& n = ring.modulus();
  trial.equal(ring.add(a, b), oracle::mod(a + b, n), "a sum " + in_ring(n));
  trial.equal(ring.subtract(a, b), oracle::mod(a - b, n), "a difference " + in_ring(n));
  trial.equal(ring.multiply(a, b), oracle::mod(a * b, n), "a product " + in_ring(n));
}

void arithmetic(Trial& trial) {
  Operands& operands = trial.operands();
  for (const Integer& n : awkward_moduli(operands)) {
    const auto ring = trial.backend().ring(n);
    const std::vector<Integer> residues = awkward_residues(n, operands);
    for (const Integer& a : residues) {
      for (const Integer& b : residues) arithmetic_of(trial, *ring, a, b);
    }
  }
}

void prepared_in(Trial& trial, const Integer& n) {
  const auto ring = trial.backend().ring(n);
  const Integer a = trial.operands().below(n);
  const Integer b = trial.operands().below(n);
  const Operand prepared_a = ring->prepare(a);
  const Operand prepared_b = ring->prepare(b);
  const Integer expected = oracle::mod(a * b, n);
  const Integer square = oracle::mod(a * a, n);
  const std::string where = in_ring(n);
  trial.equal(prepared_a.value(), a, "the value of a prepared operand");
  trial.equal(ring->multiply(prepared_a, prepared_b), expected, "prepared by prepared " + where);
  trial.equal(ring->multiply(prepared_a, b), expected, "prepared by plain " + where);
  trial.equal(ring->multiply(a, prepared_b), expected, "plain by prepared " + where);
  trial.equal(ring->multiply(prepared_a, prepared_a), square, "a prepared square " + where);
  const Operand same = a;
  trial.equal(ring->multiply(same, same), square, "a plain square " + where);
  const std::vector<OperandPair> mixed{{prepared_a, b}, {a, prepared_b}, {prepared_a, prepared_a}};
  trial.equal(ring->dot(mixed), oracle::mod(2 * a * b + a * a, n),
              "a dot product of prepared and plain operands " + where);
}

void prepared_and_plain(Trial& trial) {
  for (const std::size_t bits : {2U, 64U, 1000U, 30'000U}) {
    prepared_in(trial, trial.operands().exactly(bits));
  }
}

// Between two rings of the backend, and between the backend and those that are always there.
void prepared_elsewhere(Trial& trial) {
  Operands& operands = trial.operands();
  const Backend& backend = trial.backend();
  const Integer small = operands.exactly(300);
  const Integer large = operands.exactly(9000);
  const Integer a = operands.below(small);
  const Integer b = operands.below(small);
  const Integer expected = oracle::mod(a * b, large);
  const Operand prepared = backend.ring(small)->prepare(a);
  trial.equal(backend.ring(large)->multiply(prepared, b), expected,
              "a product with an operand that another ring has prepared");
  for (const std::string_view name : {"auto", "ntl"}) {
    const BackendPtr other = open_backend(name);
    trial.equal(
        other->ring(large)->multiply(prepared, b), expected,
        fmt::format("a product by {} with an operand that this backend has prepared", name));
    trial.equal(backend.ring(large)->multiply(other->ring(small)->prepare(a), b), expected,
                fmt::format("a product with an operand that {} has prepared", name));
  }
}

void dot_of(Trial& trial, const Ring& ring, std::size_t count) {
  const Integer& n = ring.modulus();
  std::vector<OperandPair> terms;
  Integer expected;
  for (std::size_t i = 0; i < count; ++i) {
    const Integer a = i % 3 == 0 ? Integer(n - 1) : trial.operands().below(n);
    const Integer b = i % 4 == 0 ? Integer(n - 1) : trial.operands().below(n);
    terms.emplace_back(a, i % 2 == 0 ? Operand(b) : ring.prepare(b));
    expected += a * b;
  }
  trial.equal(ring.dot(terms), oracle::mod(expected, n),
              fmt::format("a dot product of {} terms {}", count, in_ring(n)));
}

void dot_products(Trial& trial) {
  for (const std::size_t bits : {2U, 65U, 2000U}) {
    const auto ring = trial.backend().ring(trial.operands().exactly(bits));
    trial.equal(ring->dot({}), 0, "a dot product without terms");
    for (const std::size_t count : {1U, 2U, 3U, 17U, 150U}) dot_of(trial, *ring, count);
  }
}

// Moduli 2^bits - r, r of at most `r_bits` bits: the least and the largest r, and one in between.
std::vector<Integer> moduli_below_power(std::size_t bits, std::size_t r_bits, Operands& operands) {
  const Integer power = power_of_two(bits);
  return {power - 1, power - all_ones(r_bits), power - operands.exactly(r_bits)};
}

void short_complements(Trial& trial) {
  Operands& operands = trial.operands();
  for (const auto& [bits, r_bits] :
       {std::pair{64U, 20U}, {130U, 65U}, {6400U, 1000U}, {20'011U, 1500U}}) {
    for (const Integer& n : moduli_below_power(bits, r_bits, operands)) {
      prepared_in(trial, n);
      const auto ring = trial.backend().ring(n);
      dot_of(trial, *ring, 5);
      const Integer last = n - 1;
      trial.equal(ring->multiply(last, last), 1, "the square of -1 " + in_ring(n));
      for (const Integer& x : {Integer(power_of_two(bits) - 1), power_of_two(bits), Integer(n * n),
                               all_ones(2 * bits), operands.exactly(5 * bits)}) {
        reduced(trial, *ring, x);
        reduced(trial, *ring, -x);
      }
    }
  }
}

// Sums and products of all pairs of `elements`, which are what `values` says, and operations on
// what comes of them.
void together(Trial& trial, const Ring& ring, const std::vector<Operand>& elements,
              const std::vector<Integer>& values) {
  const Integer& n = ring.modulus();
  std::vector<RingOperation> operations;
  std::vector<Integer> expected;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    for (std::size_t j = 0; j < elements.size(); ++j) {
      const bool is_product = (i + j) % 2 == 0;
      operations.push_back(
          {.kind = is_product ? RingOperation::Kind::multiply : RingOperation::Kind::add,
           .a = elements[i],
           .b = elements[j],
           .is_factor = j % 3 == 0});
      expected.push_back(oracle::mod(
          is_product ? Integer(values[i] * values[j]) : Integer(values[i] + values[j]), n));
    }
  }
  Progress progress(trial.monitor(), "operations", operations.size());
  const std::vector<Operand> results = ring.compute_all(operations, progress);
  trial.equal(results.size(), operations.size(), "the number of results of operations together");
  std::vector<std::vector<OperandPair>> sums(3);  // the first one without terms
  std::vector<Integer> of_sums(sums.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::size_t other = results.size() - 1 - i;
    sums[1 + i % 2].emplace_back(results[i], i % 5 == 0 ? elements.front() : results[other]);
    of_sums[1 + i % 2] += expected[i] * (i % 5 == 0 ? values.front() : expected[other]);
  }
  Progress more(trial.monitor(), "sums of products", sums.size());
  const std::vector<Operand> dots = ring.dot_all(sums, more);
  for (std::size_t s = 0; s < sums.size(); ++s) {
    trial.equal(dots[s].value(), oracle::mod(of_sums[s], n),
                fmt::format("a sum of {} products of results {}", sums[s].size(), in_ring(n)));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    trial.equal(results[i].value(), expected[i], "an operation among many " + in_ring(n));
  }
}

void many_together(Trial& trial) {
  Operands& operands = trial.operands();
  for (const std::size_t bits : {2U, 65U, 3000U, 30'000U}) {
    const Integer n = operands.exactly(bits);
    const auto ring = trial.backend().ring(n);
    std::vector<Integer> values = operands.list(5, bits - 1);
    values.insert(values.end(), {Integer(0), Integer(n - 1)});
    std::vector<Operand> elements(values.begin(), values.end());
    together(trial, *ring, elements, values);
    std::vector<Operand> prepared = ring->prepare_all(elements);
    together(trial, *ring, prepared, values);
    prepared = ring->prepare_all(prepared);  // once more does no harm
    for (std::size_t i = 0; i < values.size(); i += 2) prepared[i] = elements[i];
    together(trial, *ring, prepared, values);
    Progress none(trial.monitor(), "operations", 0);
    trial.holds(ring->compute_all({}, none).empty() && ring->dot_all({}, none).empty() &&
                    ring->prepare_all({}).empty(),
                "nothing comes of no operations");
  }
}

// An element that one ring has made and kept is a value to others.
void made_elsewhere(Trial& trial) {
  Operands& operands = trial.operands();
  const Integer small = operands.exactly(300);
  const Integer large = operands.exactly(9000);
  const Integer a = operands.below(small);
  const Integer square = oracle::mod(a * a, small);
  const RingOperation squaring{RingOperation::Kind::multiply, a, a, true};
  Progress progress(trial.monitor(), "operations", 1);
  std::vector<Operand> made =
      trial.backend().ring(small)->compute_all(std::span(&squaring, 1), progress);
  // The ring is gone by now.
  for (const auto& ring : {open_backend("auto")->ring(large), trial.backend().ring(large)}) {
    trial.equal(ring->multiply(made.front(), made.front()), oracle::mod(square * square, large),
                "a product with an element that another ring has made");
    const RingOperation sum{RingOperation::Kind::add, made.front(), square, false};
    Progress more(trial.monitor(), "operations", 1);
    trial.equal(ring->compute_all(std::span(&sum, 1), more).front().value(),
                oracle::mod(2 * square, large), "a sum with such an element");
  }
}

void long_modulus(Trial& trial) {
  const Integer n = trial.operands().exactly(long_bits(trial.backend()) / 4);
  const auto ring = trial.backend().ring(n);
  const Integer a = trial.operands().below(n);
  const Integer b = trial.operands().below(n);
  const Integer last = n - 1;
  const Integer expected = oracle::mod(a * b, n);
  for_thread_counts([&](std::string_view on_threads) {
    const std::string where = fmt::format("{} {}", in_ring(n), on_threads);
    trial.equal(ring->multiply(a, b), expected, "a product " + where);
    trial.equal(ring->multiply(last, last), 1, "the square of -1 " + where);
  });
}

void keeps_backend(Trial& trial) {
  const auto ring = trial.backend().ring(1009);
  const std::weak_ptr<const Backend> backend = trial.release();
  // Not by using it: a ring without its backend would end the process.
  trial.holds(!backend.expired(), "a ring keeps its backend alive");
  if (backend.expired()) return;
  trial.equal(ring->multiply(Integer(1008), Integer(1008)), 1, "the square of -1 modulo 1009");
  trial.holds(!ring->backend().info().name.empty(), "the backend of a ring has a name");
}

}  // namespace

std::vector<Case> ring_cases() {
  return {
      {"a ring needs a modulus of at least 2", "ring", too_small_ring_moduli},
      {.name = "reduction in rings of every kind of modulus",
       .area = "ring",
       .run = reduction,
       .is_many = true},
      {.name = "sums, differences and products in rings of every kind of modulus",
       .area = "ring",
       .run = arithmetic,
       .is_many = true},
      {"prepared and plain operands give the same products", "ring", prepared_and_plain},
      {"an operand prepared by one ring is a plain value to another", "ring", prepared_elsewhere},
      {"dot products of many lengths", "ring", dot_products},
      {"rings modulo a little less than a power of two", "ring", short_complements},
      {"operations that are done together give what each of them gives", "ring", many_together},
      {"an element that one ring has made is a plain value to another", "ring", made_elsewhere},
      {"a ring over a long modulus", "ring", long_modulus},
  };
}

std::vector<Case> lifetime_cases() {
  return {{"a ring keeps its backend alive", "ring", keeps_backend}};
}

}  // namespace fhe::conformance

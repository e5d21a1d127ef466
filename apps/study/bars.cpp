// SPDX-License-Identifier: Apache-2.0
#include "apps/study/bars.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace fhe::bench {

namespace {

// A bar on the time of some operations, the first and the second less the third (empty ones do not
// count), over that of one.
struct Bar {
  std::string_view backend;  // what the backend's description begins with
  std::string_view goal;
  std::array<std::string_view, 3> operations;
  std::string_view over;
  double bound;
  bool at_least;
  std::size_t threads = 0;  // of the run, where the bar is for that number
};

constexpr std::string_view kThreePrimes = "three primes transforms, kernel ifma";
constexpr std::string_view kThreePrimesAvx2 = "three primes transforms, kernel avx2";
constexpr std::string_view kGoldilocks = "goldilocks transforms, kernel ifma";

constexpr Bar times_gmp(std::string_view backend, std::string_view goal, std::string_view by_gmp,
                        std::string_view product, double bound) {
  return {backend, goal, {by_gmp}, product, bound, true};
}

constexpr Bar in_products(std::string_view goal, std::string_view operation,
                          std::string_view product, double bound) {
  return {kThreePrimes, goal, {operation}, product, bound, false};
}

// What one prepared operand saves in a modular product, it saves in a plain one.
constexpr Bar prepared(std::string_view goal, std::string_view product,
                       std::string_view modular_prepared, std::string_view modular) {
  return {kThreePrimes, goal, {product, modular_prepared, modular}, product, 0.75, false};
}

constexpr Bar two_threads(std::string_view goal, std::string_view on_one, std::string_view on_all) {
  return {kThreePrimes, goal, {on_one}, on_all, 1.7, true, 2};
}

constexpr std::array kBars{
    times_gmp(kThreePrimes, "786,432-bit product, times as fast as GMP", "gmp_product_786432",
              "product_786432", 10),
    times_gmp(kThreePrimes, "4.25 Mbit product, times as fast as GMP", "gmp_product_4251866",
              "product_4251866", 12),
    times_gmp(kThreePrimes, "19.58 Mbit product, times as fast as GMP", "gmp_product_19575950",
              "product_19575950", 9),
    times_gmp(kThreePrimesAvx2, "147,456-bit product, times as fast as GMP", "gmp_product_147456",
              "product_147456", 4),
    times_gmp(kThreePrimesAvx2, "786,432-bit product, times as fast as GMP", "gmp_product_786432",
              "product_786432", 4),
    times_gmp(kThreePrimesAvx2, "4.25 Mbit product, times as fast as GMP", "gmp_product_4251866",
              "product_4251866", 4),
    times_gmp(kThreePrimesAvx2, "19.58 Mbit product, times as fast as GMP", "gmp_product_19575950",
              "product_19575950", 4),
    times_gmp(kGoldilocks, "786,432-bit product, times as fast as GMP", "gmp_product_786432",
              "product_786432", 4),
    two_threads("786,432-bit product on two threads, times as fast", "product_786432",
                "product_786432_all_threads"),
    two_threads("4.25 Mbit product on two threads, times as fast", "product_4251866",
                "product_4251866_all_threads"),
    two_threads("19.58 Mbit product on two threads, times as fast", "product_19575950",
                "product_19575950_all_threads"),
    in_products("786,432-bit square, in products", "square_786432", "product_786432", 0.72),
    in_products("4.25 Mbit square, in products", "square_4251866", "product_4251866", 0.72),
    in_products("19.58 Mbit square, in products", "square_19575950", "product_19575950", 0.72),
    prepared("786,432-bit product with a prepared operand, in products", "product_786432",
             "modular_product_prepared_786432", "modular_product_786432"),
    prepared("4.25 Mbit product with a prepared operand, in products", "product_4251866",
             "modular_product_prepared_4251866", "modular_product_4251866"),
    prepared("19.58 Mbit product with a prepared operand, in products", "product_19575950",
             "modular_product_prepared_19575950", "modular_product_19575950"),
    in_products("843,033-bit modular product, in products", "modular_product_843033",
                "product_843033", 2.2),
    in_products("4.25 Mbit modular product, in products", "modular_product_4251866",
                "product_4251866", 2.2),
    in_products("19.58 Mbit modular product, in products", "modular_product_19575950",
                "product_19575950", 2.2),
};

// By the clock for a bar on threads; else of the processor, which others that use it disturb less.
std::optional<double> seconds(const Bar& bar, const Run& run, std::string_view operation) {
  if (operation.empty()) return 0;
  const Record* const record = find_record(run, operation);
  if (record == nullptr) return std::nullopt;
  return bar.threads != 0 ? record->seconds : record->cpu_seconds;
}

// What is judged; nothing when the bar does not apply or something was not measured.
std::optional<double> value_of(const Bar& bar, const Run& run) {
  if (!run.backend_description.starts_with(bar.backend)) return std::nullopt;
  if (bar.threads != 0 && bar.threads != run.threads) return std::nullopt;
  const auto first = seconds(bar, run, bar.operations[0]);
  const auto second = seconds(bar, run, bar.operations[1]);
  const auto third = seconds(bar, run, bar.operations[2]);
  const auto over = seconds(bar, run, bar.over);
  if (!first || !second || !third || !over) return std::nullopt;
  return (*first + *second - *third) / *over;
}

}  // namespace

std::vector<BarResult> bars_of(const Run& run) {
  std::vector<BarResult> results;
  for (const Bar& bar : kBars) {
    const auto value = value_of(bar, run);
    if (!value) continue;
    results.push_back({std::string(bar.goal), bar.bound, bar.at_least, *value});
  }
  return results;
}

}  // namespace fhe::bench

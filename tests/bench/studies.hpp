// SPDX-License-Identifier: Apache-2.0
// Studies as fhe-bench makes them, with numbers that tests can foresee.
#pragma once

#include <string>
#include <vector>

#include "apps/study/study.hpp"

namespace fhe::test {

inline bench::Record record(const std::string& operation, double seconds) {
  return {.operation = operation,
          .unit = "one bit",
          .baseline = "",
          .seconds = seconds,
          .cpu_seconds = 2 * seconds,
          .iterations = 3,
          .multiplications = 158.25,
          .limb_products = 1e6,
          .reductions = 1,
          .stream_bytes = 2912256,
          .peak_memory_bytes = 20'000'000};
}

inline bench::Run run_of(const std::string& group, const std::string& backend,
                         std::vector<bench::Record> records) {
  return {.machine = {.processor = "A processor",
                      .cores = 2,
                      .compiler = "gcc 12.2",
                      .date = "2026-11-20T10:00:00Z"},
          .group = group,
          .backend = backend,
          .backend_description = backend + " described",
          .threads = 2,
          .records = std::move(records)};
}

inline bench::GroupFacts facts_of_toy() {
  return {.group = "cnt-toy",
          .scheme = "cnt",
          .modulus_bits = 147456,
          .public_key_bytes = 79100,
          .secret_key_bytes = 21100,
          .decrypt_limit_bits = 986,
          .refresh_limit_bits = 982,
          .chains = {{"fresh", {{0, 970.25, 965}, {1, 1940.5, std::nullopt}}},
                     {"recrypted", {{0, 490, 427.5}, {1, 980, 855}, {2, 1960, std::nullopt}}}}};
}

// An adder on one worker, where it was run, and on so many that it was not.
inline bench::Scaling scaling_of_toy() {
  return {.group = "cnt-toy",
          .sum_seconds = 1e-6,
          .product_seconds = 1e-4,
          .recryption_seconds = 0.004,
          .circuits = {{.circuit = "adder",
                        .recryptions = 1000,
                        .total_seconds = 4,
                        .chain_seconds = 0.25,
                        .times = {{1, 4, 5, 0}, {32, 0.25, std::nullopt, 2'000'000}}}}};
}

// An encryption on hardware of the tree, by its law of clocks.
inline bench::ComputedClocks computed_of_toy() {
  return {.module = "super_size_encrypt",
          .published = "128-point FFT multiplier, modulus 2^64 - 2^32 + 1",
          .group = "cnt-toy-paper",
          .operation = "encrypt_dense",
          .clocks = 110'096,
          .hertz = 166.45e6};
}

// Two backends on cnt-toy, products, what the keys are like, an adder on many workers, and computed
// clocks.
inline bench::Study small_study() {
  bench::Study study;
  study.add(run_of("cnt-toy", "auto", {record("keygen", 0.04), record("encrypt_dense", 0.0002)}));
  study.add(run_of("cnt-toy", "ntl", {record("keygen", 0.08), record("encrypt_dense", 0.0025)}));
  bench::Run products = run_of(
      "engine", "auto", {record("gmp_product_786432", 0.002), record("product_786432", 0.0002)});
  products.records[1].baseline = "gmp_product_786432";
  products.records[1].device = bench::DeviceTime{41146, 200e6};
  study.add(std::move(products));
  study.add(facts_of_toy());
  study.add(scaling_of_toy());
  study.add(computed_of_toy());
  return study;
}

}  // namespace fhe::test

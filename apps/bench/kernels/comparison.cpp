// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/kernels/comparison.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "apps/bench/duration.hpp"
#include "apps/bench/kernels/flint_integers.hpp"
#include "apps/bench/operations.hpp"
#include "apps/bench/seconds_of.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::bench {

namespace {

std::vector<std::size_t> chosen_sizes(const std::string& filter) {
  const std::regex wanted(filter);
  std::vector<std::size_t> sizes;
  for (const std::size_t bits : kEngineBits) {
    if (std::regex_search(fmt::format("product_{}", bits), wanted)) sizes.push_back(bits);
  }
  if (sizes.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("no size matches --filter '{}'; leave it out for all", filter));
  }
  return sizes;
}

// One column of the table: a variant of the default backend.
struct Column {
  std::string name;
  BackendPtr backend;
};

// The variants that this machine runs, such as kernel=avx2.
std::vector<Column> columns() {
  const std::vector<BackendFactory> factories = registered_backends();
  const auto factory = std::ranges::find(factories, default_backend_name(), &BackendFactory::name);
  std::vector<Column> result;
  for (const std::string& variant : factory->variants) {
    try {
      result.push_back({variant, factory->open(variant)});
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
    }
  }
  return result;
}

void print_cell(double seconds, double by_gmp) {
  fmt::print("{:>11}{:>7.2f}x", duration(seconds), by_gmp / seconds);
}

void print_row(const std::vector<Column>& kernels, std::size_t bits, double min_seconds) {
  SystemRandom random;
  const Integer x = uniform_bits(random, bits);
  const Integer y = uniform_bits(random, bits);
  Integer product;
  const double by_gmp = seconds_of([&] { product = Integer(x * y); }, min_seconds);
  fmt::print("{:>12}{:>11}", fmt::group_digits(bits), duration(by_gmp));
  if (const auto by_flint = flint_multiplication(x, y)) {
    print_cell(seconds_of(by_flint, min_seconds), by_gmp);
  }
  for (const auto& [name, backend] : kernels) {
    Integer result;
    print_cell(seconds_of([&] { result = backend->multiply(x, y); }, min_seconds), by_gmp);
    if (result != product) {
      throw std::logic_error(fmt::format("GMP and {} disagree", name));
    }
  }
  fmt::print("\n");
}

}  // namespace

void print_kernels(const std::string& filter, double min_seconds) {
  const ThreadLimit limit(1);
  const std::vector<std::size_t> sizes = chosen_sizes(filter);
  const std::vector<Column> kernels = columns();
  fmt::print("Products of two operands on one thread, and how many times as fast as GMP.\n");
  for (const Column& kernel : kernels) {
    fmt::print("{:>16}  {}\n", kernel.name, kernel.backend->info().description);
  }
  fmt::print("\n{:>12}{:>11}", "bits", "GMP");
  if (const std::string flint = flint_version(); !flint.empty()) fmt::print("{:>19}", flint);
  for (const Column& kernel : kernels) fmt::print("{:>19}", kernel.name);
  fmt::print("\n");
  for (const std::size_t bits : sizes) print_row(kernels, bits, min_seconds);
}

}  // namespace fhe::bench

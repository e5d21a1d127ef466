// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/device/encryption_clocks.hpp"

#include <array>
#include <bit>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "accel/fpga/model/model_clocks.hpp"
#include "apps/study/format.hpp"
#include "apps/study/published.hpp"
#include "apps/study/run.hpp"

namespace fhe::bench {

namespace {

constexpr std::array<std::string_view, 4> kGroups{"cnt-toy", "cnt-small", "cnt-medium",
                                                  "cnt-large"};
constexpr std::size_t kMostBits = std::size_t{1} << 31;
constexpr std::size_t kMostTerms = 0xffff;
constexpr std::uint8_t kOnes = fpga::parameter::sparse_weight;

std::uint32_t bits(const ParameterSet& group, std::string_view field) {
  return static_cast<std::uint32_t>(group.number(field, 1, kMostBits));
}

// The sum, reduced in a context for arguments as long as it.
std::uint64_t clocks(fpga::ProductSum sum, std::uint32_t weight_bits) {
  const std::uint32_t phi = sum.element_bits;
  const auto margin = static_cast<std::uint32_t>(std::bit_width(unsigned{sum.terms}));
  sum.destination.bits = phi;
  sum.reduce = true;
  const fpga::Context context{.shape = fpga::barrett_shape(phi, weight_bits + margin)};
  return fpga::model_work(fpga::product_sum(sum), context).clocks();
}

void print_row(std::string_view group, const std::string& operation, std::uint64_t count,
               double hertz) {
  const double seconds = static_cast<double>(count) / hertz;
  fmt::print("{:>10}  {:>14}  {:>13}  {:>10}", group, operation, count, duration(seconds));
  for (const PublishedTime& time : published_times(group, operation)) {
    if (time.origin.system.find("Virtex") != std::string::npos) {
      fmt::print("\n{:>52}  {:>10} on {}: {:.2f} times as fast", "", duration(time.seconds),
                 time.origin.system, time.seconds / seconds);
    }
  }
  fmt::print("\n");
}

}  // namespace

EncryptionClocks encryption_clocks(const ParameterSet& group) {
  fpga::ProductSum sum;
  sum.terms = static_cast<std::uint16_t>(group.number("tau", 1, kMostTerms));
  sum.element_bits = bits(group, "gamma");
  fpga::ProductSum sparse = sum;
  sparse.sparse = true;
  sparse.sparse_weight = kOnes;
  sum.weight_bits = bits(group, "alpha");
  return {.dense = clocks(sum, sum.weight_bits), .sparse = clocks(sparse, sum.weight_bits)};
}

void print_encryption_clocks() {
  fmt::print(
      "One encryption on the device of accel/fpga, computed by its law of clocks, which the "
      "simulated\n"
      "RTL is tested against at toy and small sizes; times at the papers' clocks of {:.2f} MHz "
      "(dense)\n"
      "and {:.2f} MHz (sparse). The device was never on a board.\n\n{:>10}  {:>14}  {:>13}  "
      "{:>10}\n",
      kProductHertz / 1e6, kSparseHertz / 1e6, "group", "operation", "clocks", "time");
  for (const std::string_view name : kGroups) {
    const EncryptionClocks computed = encryption_clocks(ParameterSet::named(name));
    print_row(name, "encrypt_dense", computed.dense, kProductHertz);
    print_row(name, "encrypt_sparse", computed.sparse, kSparseHertz);
  }
}

}  // namespace fhe::bench

// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/device/encryption_clocks.hpp"

#include <array>
#include <bit>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "accel/fpga/model/model_clocks.hpp"
#include "apps/bench/duration.hpp"

namespace fhe::bench {

namespace {

// At the sizes of the papers, which round those of the schemes.
constexpr std::array<std::string_view, 4> kCntGroups{"cnt-toy-paper", "cnt-small-paper",
                                                     "cnt-medium-paper", "cnt-large-paper"};
constexpr std::array<std::string_view, 4> kCmntGroups{"cmnt-toy-paper", "cmnt-small-paper",
                                                      "cmnt-medium-paper", "cmnt-large-paper"};
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

// The same on the device whose throughput multiplier takes elements as they are generated.
std::uint64_t throughput_clocks(const fpga::ProductSum& sum) {
  const auto margin = static_cast<std::uint32_t>(std::bit_width(unsigned{sum.terms}));
  const std::uint32_t phi = sum.element_bits;
  const fpga::Context context{.shape = fpga::barrett_shape(phi, sum.weight_bits + margin)};
  const auto clocks_of = [&](const fpga::Command& command) {
    return fpga::model_work(command, context, fpga::kThroughputEquipment).clocks();
  };
  const std::uint32_t sum_bits = phi + sum.weight_bits + fpga::parameter::sum_margin;
  return clocks_of(fpga::weighted_sum({.destination = {.bits = sum_bits},
                                       .elements = sum.terms,
                                       .element_bits = phi,
                                       .weight_bits = sum.weight_bits})) +
         clocks_of(fpga::reduce(0, {.bits = phi}, {.bits = phi + sum.weight_bits + margin}));
}

constexpr std::string_view kDevice = "fhe_device";
constexpr std::string_view kThroughputDevice = "fhe_device=throughput";

bool is_of_device(const ComputedClocks& computed) {
  return computed.module == kDevice || computed.module == kThroughputDevice;
}

void print_row(const ComputedClocks& computed, std::string_view operation) {
  fmt::print("{:>16}  {:>14}  {:>13}  {:>10}\n", computed.group, operation, computed.clocks,
             duration(computed.seconds()));
}

ComputedClocks super_size_row(const SuperSizeDesign& design, std::string_view group) {
  return {.module = "super_size_encrypt",
          .published = std::string(design.name),
          .group = std::string(group),
          .operation = "encrypt_dense",
          .clocks = super_size_clocks(design.shape, ParameterSet::named(group)),
          .hertz = design.hertz};
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
  return {.dense = clocks(sum, sum.weight_bits),
          .sparse = clocks(sparse, sum.weight_bits),
          .throughput = throughput_clocks(sum)};
}

std::uint64_t super_size_clocks(const fpga::SuperSizeShape& shape, const ParameterSet& group) {
  const std::size_t side = group.has("beta") ? group.number("beta", 1, kMostTerms) : 0;
  const std::size_t terms = side > 0 ? side * side : group.number("tau", 1, kMostTerms);
  return shape.encryption(terms, bits(group, "gamma"), bits(group, "alpha"));
}

std::vector<ComputedClocks> computed_encryptions() {
  std::vector<ComputedClocks> all;
  for (const std::string_view name : kCntGroups) {
    const EncryptionClocks of_group = encryption_clocks(ParameterSet::named(name));
    ComputedClocks row{.module = std::string(kDevice),
                       .published = "low-latency FFT multiplier",
                       .group = std::string(name),
                       .operation = "encrypt_dense",
                       .clocks = of_group.dense,
                       .hertz = kDeviceHertz};
    all.push_back(row);
    row.module = kThroughputDevice;
    row.clocks = of_group.throughput;
    all.push_back(row);
    row.module = kDevice;
    row.published = "low Hamming weight multiplier";
    row.operation = "encrypt_sparse";
    row.clocks = of_group.sparse;
    all.push_back(row);
  }
  for (const SuperSizeDesign& design : kSuperSizeDesigns) {
    for (const std::string_view name : kCntGroups) all.push_back(super_size_row(design, name));
    for (const std::string_view name : kCmntGroups) all.push_back(super_size_row(design, name));
  }
  return all;
}

void print_encryption_clocks(std::span<const ComputedClocks> computed) {
  fmt::print(
      "One encryption on the device of accel/fpga, computed by its law of clocks, which the "
      "simulated\n"
      "RTL is tested against; times at its one clock of {:.2f} MHz. It was never on a board. Dense "
      "ones go\n"
      "through the low-latency multiplier, or through that of sim=throughput (\"by "
      "throughput\").\n\n"
      "{:>16}  {:>14}  {:>13}  {:>10}\n",
      kDeviceHertz / 1e6, "group", "operation", "clocks", "time");
  for (const ComputedClocks& each : computed) {
    if (!is_of_device(each)) continue;
    print_row(each, each.module == kThroughputDevice ? "by throughput" : each.operation);
  }
  fmt::print(
      "\nOne encryption by super_size_encrypt alone, with a memory that never stops it: by its law "
      "of clocks,\n"
      "to which tests hold the RTL, and at the frequencies of its paper.\n");
  std::string_view last;
  for (const ComputedClocks& each : computed) {
    if (is_of_device(each)) continue;
    if (each.published != last) fmt::print("\n{}, {:.2f} MHz\n", each.published, each.hertz / 1e6);
    last = each.published;
    print_row(each, "");
  }
}

}  // namespace fhe::bench

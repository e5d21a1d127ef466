// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/device/recryption_clocks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/fpga/backend/device_recryption.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/model/model_clocks.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "apps/study/format.hpp"
#include "apps/study/run.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/adder/adder.hpp"

namespace fhe::bench {

namespace {

constexpr std::size_t kMostKeyBits = std::size_t{1} << 31;
constexpr std::size_t kMostKeyElements = std::size_t{1} << 20;
constexpr std::uint64_t kMemory = std::uint64_t{16}
                                  << 30;  // bytes; pages that are not used take none

constexpr std::array<std::string_view, 4> kGroups{"cnt-toy", "cnt-small", "cnt-medium",
                                                  "cnt-large"};

struct NamedDevice {
  std::string_view name;
  const fpga::Equipment& equipment;
};
constexpr std::array kDevices{NamedDevice{"sim", fpga::kStandardEquipment},
                              NamedDevice{"sim=throughput", fpga::kThroughputEquipment}};

// A key of the group as far as its program tells it from others: the lengths of what it is made of.
class KeyOfLengths {
 public:
  explicit KeyOfLengths(const ParameterSet& group)
      : count_(group.number("Theta", 1, kMostKeyElements)),
        blocks_(group.number("theta", 1, kMostKeyElements)),
        bits_(group.number("gamma", 2, kMostKeyBits)),
        windows_{.modulus_bits = group.number("kappa", 1, kMostKeyBits) + 1,
                 .window_bits = static_cast<unsigned>(group.number("precision", 1, 8)) + 1},
        first_{power_of_two(windows_.modulus_bits) - 1},
        factors_({}, StreamPurpose::squash, 1, count_ - 1, windows_.modulus_bits),
        elements_({}, StreamPurpose::key_bits, 0, count_, bits_),
        corrections_(count_, power_of_two(group.number("eta", 1, kMostKeyBits) +
                                          group.number("lambda", 1, kMostKeyBits)) -
                                 1),
        adder_(AdderProgram::named(group.word("adder"), blocks_, windows_.window_bits)) {
    const std::size_t block = count_ / blocks_;
    for (std::size_t first = 0; first < count_; first += block)
      groups_.push_back({first, std::min(block, count_ - first), first, 1});
  }

  [[nodiscard]] Integer modulus() const { return power_of_two(bits_) - 1; }
  [[nodiscard]] RecryptionTask task() const {
    return {.c = c_,
            .first_factors = first_,
            .other_factors = &factors_,
            .windows = windows_,
            .residues = {},
            .elements = sigma_,
            .kept = {},
            .groups = groups_,
            .singles = {},
            .constants = {},
            .steps = adder_.steps(),
            .output = adder_.output()};
  }

 private:
  std::size_t count_;
  std::size_t blocks_;
  std::size_t bits_;
  WindowSpec windows_;
  Integer c_;
  std::vector<Integer> first_;
  PublicStream factors_;
  PublicStream elements_;
  std::vector<Integer> corrections_;
  std::vector<WindowGroup> groups_;
  std::array<CorrectedStream, 1> sigma_{CorrectedStream{elements_, corrections_}};
  AdderProgram adder_;
};

}  // namespace

std::uint64_t recryption_clocks(const ParameterSet& group, const fpga::Equipment& equipment) {
  const KeyOfLengths key(group);
  fpga::DeviceSession session(
      std::make_unique<fpga::ModelTransport>(fpga::DeviceMemory(0, kMemory), equipment));
  const fpga::DeviceRecryption recryption(session, key.modulus(), key.task());
  return fpga::program_clocks(recryption.program().commands(), recryption.context(), equipment);
}

void print_recryption_clocks() {
  fmt::print(
      "\nOne recryption on the device, which does it alone, by the same law and at the same "
      "clock.\n\n"
      "{:>16}  {:>14}  {:>13}  {:>10}\n",
      "group", "device", "clocks", "time");
  for (const std::string_view group : kGroups) {
    for (const auto& [name, equipment] : kDevices) {
      const std::uint64_t clocks = recryption_clocks(ParameterSet::named(group), equipment);
      fmt::print("{:>16}  {:>14}  {:>13}  {:>10}\n", group, name, clocks,
                 duration(static_cast<double>(clocks) / kDeviceHertz));
    }
  }
}

}  // namespace fhe::bench

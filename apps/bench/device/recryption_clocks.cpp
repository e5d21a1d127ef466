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
#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/duration.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/adder/adder.hpp"
#include "libfhe/scheme/dghv/digit_program.hpp"
#include "libfhe/scheme/gh/row_program.hpp"

namespace fhe::bench {

namespace {

constexpr std::size_t kMostKeyBits = std::size_t{1} << 31;
constexpr std::size_t kMostKeyElements = std::size_t{1} << 20;
constexpr std::uint64_t kMemory = std::uint64_t{16}
                                  << 30;  // bytes; pages that are not used take none

constexpr std::array<std::string_view, 10> kGroups{
    "cnt-toy",          "cnt-small",         "cnt-medium",       "cnt-large", "cnt-toy-digits",
    "cnt-small-digits", "cnt-medium-digits", "cnt-large-digits", "gh-512",    "gh-2048"};

struct NamedDevice {
  std::string_view name;
  const fpga::Equipment& equipment;
};
constexpr std::array kDevices{NamedDevice{"sim", fpga::kStandardEquipment},
                              NamedDevice{"sim=throughput", fpga::kThroughputEquipment}};

// Keys of groups as far as their programs tell them from others: by the lengths of what they are
// made of. Each has a modulus and a task.

// CNT with an adder.
class KeyWithAdder {
 public:
  explicit KeyWithAdder(const ParameterSet& group)
      : count_(group.number("Theta", 1, kMostKeyElements)),
        blocks_(group.number("theta", 1, kMostKeyElements)),
        bits_(group.number("gamma", 2, kMostKeyBits)),
        windows_{.modulus_bits = group.number("kappa", 1, kMostKeyBits) + 1,
                 .window_bits = static_cast<unsigned>(group.number("precision", 1, 8)) + 1},
        first_{power_of_two(windows_.modulus_bits) - 1},
        factors_({}, StreamPurpose::squash, 1, count_ - 1, windows_.modulus_bits),
        elements_({}, StreamPurpose::key_bits, 0, count_, bits_),
        corrections_(corrections_of(group, count_)),
        adder_(AdderProgram::named(group.word("adder"), blocks_, windows_.window_bits)) {
    const std::size_t block = count_ / blocks_;
    for (std::size_t first = 0; first < count_; first += block)
      groups_.push_back({first, std::min(block, count_ - first), first, 1});
  }

  [[nodiscard]] static std::vector<Integer> corrections_of(const ParameterSet& group,
                                                           std::size_t count) {
    const std::size_t bits =
        group.number("eta", 1, kMostKeyBits) + group.number("lambda", 1, kMostKeyBits);
    return std::vector<Integer>(count, power_of_two(bits) - 1);
  }

  [[nodiscard]] Integer modulus() const { return power_of_two(bits_) - 1; }
  [[nodiscard]] RingProgram program() const {
    return {.first_factors = first_,
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
  std::vector<Integer> first_;
  PublicStream factors_;
  PublicStream elements_;
  std::vector<Integer> corrections_;
  std::vector<WindowGroup> groups_;
  std::array<CorrectedStream, 1> sigma_{CorrectedStream{elements_, corrections_}};
  AdderProgram adder_;
};

// CNT and CMNT by digits.
class KeyByDigits {
 public:
  explicit KeyByDigits(const ParameterSet& group)
      : parameters_(group),
        key_{.seed = {},
             .solved = {power_of_two(dghv::window_spec(parameters_).modulus_bits) - 1},
             .sigma = KeyWithAdder::corrections_of(group, parameters_.Theta),
             .digit_sigma = KeyWithAdder::corrections_of(group, parameters_.Theta)},
        modulus_(modulus_of(parameters_.gamma)),
        digits_(parameters_, key_, modulus_) {}

  [[nodiscard]] const Integer& modulus() const { return modulus_; }
  [[nodiscard]] RingProgram program() const { return digits_.program(); }

 private:
  // Without the factors 2, 3 and 5, by which digits divide.
  static Integer modulus_of(std::size_t bits) {
    Integer modulus = power_of_two(bits) - 1;
    while (gcd(modulus, 30) != 1) modulus -= 2;
    return modulus;
  }

  dghv::Parameters parameters_;
  dghv::SquashedKey key_;
  Integer modulus_;
  dghv::DigitProgram digits_;
};

// GH.
class KeyOfRows {
 public:
  explicit KeyOfRows(const ParameterSet& group)
      : parameters_(group),
        modulus_(power_of_two(parameters_.typical_determinant_bits()) - 1),
        key_(std::make_shared<const gh::SquashedKey>(
            gh::SquashedKey{.x = std::vector<Integer>(parameters_.s, 1),
                            .eta = std::vector<Integer>(parameters_.s * parameters_.c)})),
        operands_(key_, *key_),
        rows_(parameters_, parameters_.adder_program()) {}

  [[nodiscard]] const Integer& modulus() const { return modulus_; }
  [[nodiscard]] RingProgram program() const { return rows_.with(operands_, bit_length(modulus_)); }

 private:
  gh::Parameters parameters_;
  Integer modulus_;
  std::shared_ptr<const gh::SquashedKey> key_;
  gh::KeyOperands operands_;
  gh::RowProgram rows_;
};

template <class Key>
std::uint64_t clocks_of(const Key& key, const fpga::Equipment& equipment) {
  fpga::DeviceSession session(
      std::make_unique<fpga::ModelTransport>(fpga::DeviceMemory(0, kMemory), equipment));
  const fpga::DeviceRecryption recryption(session, key.modulus(), key.program());
  return fpga::program_clocks(recryption.program().commands(), recryption.context(), equipment);
}

}  // namespace

std::uint64_t recryption_clocks(const ParameterSet& group, const fpga::Equipment& equipment) {
  if (group.scheme() == "gh") return clocks_of(KeyOfRows(group), equipment);
  if (group.word("adder") == dghv::kDigits) return clocks_of(KeyByDigits(group), equipment);
  return clocks_of(KeyWithAdder(group), equipment);
}

void print_recryption_clocks() {
  fmt::print(
      "\nOne recryption on the device, which does it alone, by the same law and at the same "
      "clock.\n\n"
      "{:>17}  {:>14}  {:>13}  {:>10}\n",
      "group", "device", "clocks", "time");
  for (const std::string_view group : kGroups) {
    for (const auto& [name, equipment] : kDevices) {
      const std::uint64_t clocks = recryption_clocks(ParameterSet::named(group), equipment);
      fmt::print("{:>17}  {:>14}  {:>13}  {:>10}\n", group, name, clocks,
                 duration(static_cast<double>(clocks) / kDeviceHertz));
    }
  }
}

}  // namespace fhe::bench

// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/polynomials/comparison.hpp"

#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "accel/polynomials/hardware_clocks.hpp"
#include "accel/polynomials/polynomial_multiplier.hpp"
#include "apps/bench/device/polynomial_clocks.hpp"
#include "apps/bench/polynomials/flint_product.hpp"
#include "apps/bench/seconds_of.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::bench {

namespace {

using Operands = PolynomialMultiplier::Operands;

constexpr std::size_t kStreamed = 32;  // products of a batch
constexpr double kClock = 200e6;       // the paper's

// The hardware's speed over FLINT in the paper, of n = 32 ... 512.
struct Width {
  std::size_t bits;
  const char* published;
};
constexpr Width kWidths[] = {{64, "4 - 9"}, {128, "48 - 74"}, {192, "81 - 137"}};

Integer random_bits(std::mt19937_64& random, std::size_t bits) {
  std::vector<Limb> limbs(limbs_for_bits(bits));
  for (Limb& limb : limbs) limb = random();
  return low_bits(from_limbs(limbs), bits);
}

std::vector<Operands> random_operands(std::mt19937_64& random, std::size_t size,
                                      const Integer& modulus) {
  std::vector<Operands> batch(kStreamed);
  for (auto& [a, b] : batch) {
    for (std::size_t i = 0; i < size; ++i) {
      a.emplace_back(random_bits(random, 2 * bit_length(modulus)) % modulus);
      b.emplace_back(random_bits(random, 2 * bit_length(modulus)) % modulus);
    }
  }
  return batch;
}

// Seconds for a product.
struct Times {
  std::optional<double> flint;
  double software = 0;
  double software_streamed = 0;
  std::optional<double> device_streamed;
};

Times measure(const PolynomialMultiplier& multiplier, const std::vector<Operands>& batch,
              double min_seconds) {
  Times times;
  const Operands& first = batch.front();
  if (const auto flint = flint_product(first, multiplier.modulus())) {
    times.flint = seconds_of([&] { flint->run(); }, min_seconds);
    if (flint->result() != multiplier.multiply(first.a, first.b)) {
      throw std::logic_error("FLINT and the software multiplier disagree");
    }
  }
  {
    const ThreadLimit one(1);
    times.software =
        seconds_of([&] { static_cast<void>(multiplier.multiply(first.a, first.b)); }, min_seconds);
  }
  times.software_streamed =
      seconds_of([&] { static_cast<void>(multiplier.multiply_all(batch)); }, min_seconds) /
      static_cast<double>(batch.size());
  return times;
}

// A product of a batch on the device; nothing where it takes no such product, or there is none.
std::optional<double> measure_on_device(const std::optional<PolynomialDevice>& device,
                                        const PolynomialMultiplier& software,
                                        const std::vector<Operands>& batch) {
  if (!device) return std::nullopt;
  const auto run = device->multiply_all(software.modulus(), batch);
  if (!run) return std::nullopt;
  if (run->products != software.multiply_all(batch)) {
    throw std::logic_error("the device and the software multiplier disagree");
  }
  return run->clocks_per_product / kClock;
}

std::string microseconds(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f}", *seconds * 1e6) : "-";
}

void print_row(std::size_t size, const Width& width, const Times& times) {
  const double alone =
      static_cast<double>(karatsuba::clocks_of_one_product(size, size, width.bits)) / kClock;
  const double streamed = static_cast<double>(karatsuba::clocks_between_products(size)) / kClock;
  const bool flint = times.flint.has_value();
  fmt::print("{:>6}{:>6}{:>14}{:>14}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}{:>12}\n", size, width.bits,
             microseconds(times.flint), microseconds(times.software),
             microseconds(times.software_streamed), microseconds(alone), microseconds(streamed),
             microseconds(times.device_streamed),
             flint ? fmt::format("{:.0f}", *times.flint / alone) : "-",
             flint ? fmt::format("{:.0f}", *times.flint / streamed) : "-",
             size <= 512 ? width.published : "");
}

}  // namespace

void print_polynomial_products(const BackendPtr& backend, const std::string& device,
                               double min_seconds) {
  std::optional<PolynomialDevice> opened;
  if (!device.empty()) opened.emplace(device);
  fmt::print(
      "Microseconds for a product of polynomials of n coefficients of c bits, modulo q of c bits.\n"
      "Hardware: clocks of the simulation at 200 MHz; published: FLINT 2.4 on an AMD A10-7850K.\n\n"
      "{:>6}{:>6}{:>14}{:>14}{:>14}{:>14}{:>14}{:>14}{:>20}{:>12}\n"
      "{:>6}{:>6}{:>14}{:>14}{:>14}{:>14}{:>14}{:>14}{:>10}{:>10}{:>12}\n",
      "", "", "FLINT", "software,", "software,", "hardware,", "hardware,", "device,",
      "FLINT / hardware", "", "n", "c", "Karatsuba", "one thread", "streamed", "alone", "streamed",
      "streamed", "alone", "streamed", "published");
  std::mt19937_64 random(2019);
  for (std::size_t size = 32; size <= 2048; size *= 2) {
    for (const Width& width : kWidths) {
      const Integer modulus = power_of_two(width.bits - 1) + random_bits(random, width.bits - 1);
      const auto multiplier = kronecker_multiplier(modulus, backend);
      const std::vector<Operands> batch = random_operands(random, size, modulus);
      Times times = measure(*multiplier, batch, min_seconds);
      times.device_streamed = measure_on_device(opened, *multiplier, batch);
      print_row(size, width, times);
    }
  }
}

}  // namespace fhe::bench

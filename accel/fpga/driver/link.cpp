// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <thread>

#include <fmt/format.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/driver/device.hpp"

namespace fhe::fpga {

namespace {

constexpr std::uint32_t kAllOnes = 0xffff'ffff;
constexpr int kReadAttempts = 8;
constexpr int kAlike = 2;      // reads in a row that make a value credible
constexpr int kAlikeOnes = 5;  // where a card that is not heard for a while gives the same
constexpr int kMajorShift = 24;
std::string version_text(std::uint32_t version) {
  return fmt::format("{}.{}.{}", version >> kMajorShift, version >> 16 & 0xff, version & 0xffff);
}

void expect(bool satisfied, const std::string& complaint) {
  if (!satisfied) throw Error(ErrorCode::unsupported, complaint);
}

}  // namespace

std::uint32_t Link::read(std::uint32_t offset) {
  std::optional<std::uint32_t> last;
  int alike = 0;
  for (int attempt = 0; attempt < kReadAttempts; ++attempt) {
    const std::optional<std::uint32_t> value = try_read(offset);
    alike = value == last ? alike + 1 : 1;
    last = value;
    if (value && alike == (*value == kAllOnes ? kAlikeOnes : kAlike)) {
      if (*value == kAllOnes) check_on_bus();
      return *value;
    }
  }
  check_on_bus();
  throw Error(
      ErrorCode::io,
      fmt::format("register {:#05x} of the device cannot be read, or reads differently each "
                  "time: check the card's seat and its power",
                  offset));
}

// Empty when that failed and may succeed later.
std::optional<std::uint32_t> Link::try_read(std::uint32_t offset) {
  try {
    return read_once(offset);
  } catch (const DeviceLost&) {
    throw;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::io) throw;
    return std::nullopt;
  }
}

std::uint64_t Link::read_counter(std::uint32_t number) {
  const std::uint32_t offset = reg::perf + 8 * number;
  const std::uint32_t low = read_once(offset);
  return join_halves(low, read_once(offset + 4));
}

DeviceInfo Link::identify() {
  check_on_bus();
  const std::uint32_t magic = read(reg::magic);
  expect(magic == kMagic,
         fmt::format("{}: no device of this library; MAGIC reads {:#010x}, not {:#010x}. Load its "
                     "bitstream, or choose another card",
                     transport_.description(), magic, kMagic));
  const std::uint32_t version = read(reg::version);
  expect(
      version >> kMajorShift == kVersion >> kMajorShift,
      fmt::format("the device has version {}, this driver is for {}: load the bitstream or build "
                  "the library of one release",
                  version_text(version), version_text(kVersion)));
  const std::uint32_t build = read(reg::build_id);
  expect(
      build == kBuildId && read(reg::limits) == kLimits,
      fmt::format("the device was built from another register map (BUILD_ID {:#010x}, this "
                  "driver's is {:#010x}): load the bitstream or build the library of one release",
                  build, kBuildId));
  const Equipment equipment{.features = read(reg::features),
                            .fft_param = read(reg::fft_param),
                            .lhw_param = read(reg::lhw_param),
                            .ss_param = read(reg::ss_param),
                            .karat_param = read(reg::karat_param),
                            .throughput_param = read(reg::throughput_param),
                            .elements_param = read(reg::elements_param)};
  expect((equipment.features & kNeededFeatures) == kNeededFeatures,
         fmt::format("the device lacks units that this driver needs: FEATURES reads {:#010x}, bits "
                     "{:#010x} are needed; load a complete bitstream",
                     equipment.features, kNeededFeatures));
  expect(equipment.is_sound(),
         fmt::format("the device's parameters do not fit its units: FEATURES reads {:#010x}, "
                     "LHW_PARAM {:#010x}, SS_PARAM {:#010x}, KARAT_PARAM {:#010x}, "
                     "THROUGHPUT_PARAM {:#010x}, ELEMENTS_PARAM {:#010x}; load another bitstream",
                     equipment.features, equipment.lhw_param, equipment.ss_param,
                     equipment.karat_param, equipment.throughput_param, equipment.elements_param));
  check_scratch();
  const auto pair = [this](std::uint32_t low, std::uint32_t high) {
    const std::uint32_t value = read(low);
    return join_halves(value, read(high));
  };
  return {.description = transport_.description(),
          .version = version,
          .equipment = equipment,
          .memory_base = pair(reg::mem_base_lo, reg::mem_base_hi),
          .memory_bytes = pair(reg::mem_size_lo, reg::mem_size_hi)};
}

void Link::check_scratch() {
  for (const std::uint32_t pattern : {0x5555'5555U, 0xaaaa'aaaaU, 0x0000'ffffU, 0x0123'4567U}) {
    write(reg::scratch, pattern);
    const std::uint32_t value = read(reg::scratch);
    if (value != pattern) {
      throw Error(ErrorCode::io,
                  fmt::format("the device's SCRATCH register reads {:#010x} after {:#010x} was "
                              "written: check the card's seat and the bus",
                              value, pattern));
    }
  }
}

void Link::reset(std::uint32_t watchdog_clocks, std::chrono::milliseconds deadline) {
  using Clock = std::chrono::steady_clock;
  write_control(bit(ctrl::soft_reset));
  const auto end = Clock::now() + deadline;
  while ((read(reg::ctrl) & bit(ctrl::soft_reset)) != 0) {
    if (Clock::now() >= end)
      throw DeviceLost("the device does not come out of its reset: power it off and on");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  write(reg::watchdog, watchdog_clocks);
  write(reg::irq_status, kAllInterrupts);
  write(reg::irq_mask, kAllInterrupts);
}

void Link::enable() {
  write_control(bit(ctrl::enable) | bit(ctrl::irq_enable) | bit(ctrl::halt_on_error));
}

void Link::acknowledge() {
  write(reg::irq_status, kAllInterrupts);
}

std::string Link::first_error() {
  const auto status = static_cast<Status>(read(reg::err_code));
  if (status == Status::ok) return "the device saw no error";
  const std::uint64_t address = read(reg::err_addr_lo) | std::uint64_t{read(reg::err_addr_hi)}
                                                             << 32;
  return fmt::format("the device's first error: {}, tag {}, address {:#x}", name(status),
                     read(reg::err_tag), address);
}

void Link::write_control(std::uint32_t bits) {
  write(reg::ctrl, bits);
}

void Link::check_on_bus() {
  for (int attempt = 0; attempt < kReadAttempts; ++attempt)
    if (try_read(reg::magic).value_or(kAllOnes) != kAllOnes) return;
  throw DeviceLost(
      transport_.description() +
      ": the card is off the bus (its registers read as all ones, or not at all): check "
      "its power, rescan the bus, and open the device again");
}

}  // namespace fhe::fpga

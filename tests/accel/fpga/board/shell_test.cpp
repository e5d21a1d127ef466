// SPDX-License-Identifier: Apache-2.0
// The device on a simulated card: its registers behind BAR0, its memory by DMA, its interrupt, and
// the driver of the library on all of them, through the transport of such cards and an imitation of
// the kernel driver.
#include <chrono>
#include <memory>
#include <random>
#include <vector>

#include <card.h>

#include "accel/fpga/contract/register_values.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "tests/accel/fpga/board/pcie_host.hpp"
#include "tests/accel/fpga/driver/device_suite.hpp"
#include "tests/accel/fpga/driver/operands_on_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/operands.hpp"

namespace fhe::fpga::test {

namespace {

// What the transport and the imitated driver know of the shell is what LiteX made.
static_assert(litepcie::kDeviceRegisters == DEVICE_REGISTERS);
static_assert(litepcie::shell::put_base == CSR_CARD_MEMORY_PUT_BASE_ADDR);
static_assert(litepcie::shell::put_length == CSR_CARD_MEMORY_PUT_LENGTH_ADDR);
static_assert(litepcie::shell::put_enable == CSR_CARD_MEMORY_PUT_ENABLE_ADDR);
static_assert(litepcie::shell::put_done == CSR_CARD_MEMORY_PUT_DONE_ADDR);
static_assert(litepcie::shell::get_base == CSR_CARD_MEMORY_GET_BASE_ADDR);
static_assert(litepcie::shell::get_length == CSR_CARD_MEMORY_GET_LENGTH_ADDR);
static_assert(litepcie::shell::get_enable == CSR_CARD_MEMORY_GET_ENABLE_ADDR);
static_assert(litepcie::shell::unwritten == CSR_CARD_MEMORY_UNWRITTEN_ADDR);
static_assert(litepcie::shell::writer_loop_status == CSR_PCIE_DMA0_WRITER_TABLE_LOOP_STATUS_ADDR);
static_assert(dma::kWriter + dma::enable == CSR_PCIE_DMA0_WRITER_ENABLE_ADDR);
static_assert(dma::kReader + dma::enable == CSR_PCIE_DMA0_READER_ENABLE_ADDR);
static_assert(dma::kReader + dma::value == CSR_PCIE_DMA0_READER_TABLE_VALUE_ADDR);
static_assert(dma::kReader + dma::commit == CSR_PCIE_DMA0_READER_TABLE_WE_ADDR);
static_assert(dma::kReader + dma::loop == CSR_PCIE_DMA0_READER_TABLE_LOOP_PROG_N_ADDR);
static_assert(dma::kReader + dma::flush == CSR_PCIE_DMA0_READER_TABLE_RESET_ADDR);

constexpr const char* kNode = "litepcie0";
constexpr std::uint32_t kInterrupt = std::uint32_t{1} << DEVICE_INTERRUPT;

std::unique_ptr<LitePcieTransport> open_card(const std::shared_ptr<PcieHost>& host) {
  return std::make_unique<LitePcieTransport>(kNode, LitePcieOptions{},
                                             std::make_shared<LitePcieNode>(kNode, host));
}

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace

TEST_CASE("card: the device's registers are behind BAR0") {
  const auto transport = open_card(std::make_shared<PcieHost>());
  LitePcieTransport& card = *transport;
  CHECK(card.read_register(reg::magic) == kMagic);
  CHECK(card.read_register(reg::build_id) == kBuildId);
  CHECK(card.read_register(reg::mem_base_lo) == kCardMemory);
  CHECK(card.read_register(reg::mem_base_hi) == 0);
  CHECK(card.read_register(reg::mem_size_lo) == kCardBytes);
  for (const std::uint32_t value : {0x0123'4567U, 0xffff'ffffU, 0U, 0x8000'0001U}) {
    card.write_register(reg::scratch, value);
    CHECK(card.read_register(reg::scratch) == value);
  }
}

TEST_CASE("card: DMA puts and gets what it should, in memories at either end") {
  const auto [base, payload, request] = GENERATE(
      table<std::uint64_t, std::uint16_t, std::uint16_t>({{0x1000'0000U, 128, 128},
                                                          {std::uint64_t{5} << 32, 128, 512},
                                                          {std::uint64_t{1} << 40, 512, 512}}));
  CAPTURE(base, payload, request);
  const auto host = std::make_shared<PcieHost>(HostOptions{.max_payload = payload,
                                                           .max_request = request,
                                                           .memory_base = base,
                                                           .sys_half = 7,
                                                           .device_half = 4});
  const auto transport = open_card(host);
  LitePcieTransport& card = *transport;
  std::mt19937_64 random(base);
  std::vector<std::byte> bytes;
  for (const std::size_t size : {64U, 448U, 512U, 576U, 8192U + 64U, 40'000U}) {
    CAPTURE(size);
    for (const std::uint64_t address :
         {kCardMemory, kCardMemory + 0x12'3440, kCardMemory + kCardBytes - size}) {
      CAPTURE(address);
      bytes = random_bytes(random, size);
      const auto kept = random_bytes(random, kWordBytes);
      const bool has_next = address + size < kCardMemory + kCardBytes;
      if (has_next) card.put(address + size, kept);
      card.put(address, bytes);
      std::vector<std::byte> read(size);
      card.get(address, read);
      CHECK(read == bytes);
      if (!has_next) continue;
      std::vector<std::byte> next(kWordBytes);
      card.get(address + size, next);
      CHECK(next == kept);
    }
  }
  CHECK(host->reads() > 0);
  CHECK(host->writes() > 0);
}

TEST_CASE("card: an interrupt comes for a command, and again while it is not cleared") {
  PcieHost host;
  const auto write = [&host](std::uint32_t offset, std::uint32_t value) {
    host.write(DEVICE_REGISTERS + offset, value);
  };
  const auto interrupts = [&host] {
    for (int i = 0; i < 2000; ++i) host.step();
    return host.take_interrupts();
  };
  const auto clear_one = [&](std::uint32_t sequence) {
    const DescriptorWords words = encode(clear({kCardMemory, 512}).with(flag::irq));
    for (std::uint32_t i = 0; i < words.size(); ++i) write(reg::cmd_window + 4 * i, words[i]);
    write(reg::cmd_doorbell, sequence);
  };
  write(reg::irq_mask, ~0U);
  write(reg::ctrl, 1U << ctrl::enable | 1U << ctrl::irq_enable);

  clear_one(0);
  CHECK(interrupts() == 0);  // not enabled, and lost
  host.write(CSR_PCIE_MSI_ENABLE_ADDR, kInterrupt);
  CHECK(interrupts() == 0);
  host.write(CSR_PCIE_MSI_CLEAR_ADDR, kInterrupt);
  CHECK(interrupts() == 1);  // still up
  write(reg::irq_status, ~0U);
  CHECK(interrupts() == 0);

  clear_one(1);
  CHECK(interrupts() == 1);
  CHECK((host.read(CSR_PCIE_MSI_VECTOR_ADDR) & kInterrupt) != 0);
  clear_one(2);
  CHECK(interrupts() == 0);  // never down
  write(reg::irq_status, ~0U);
  host.write(CSR_PCIE_MSI_CLEAR_ADDR, kInterrupt);
  CHECK(interrupts() == 0);
  CHECK((host.read(CSR_PCIE_MSI_VECTOR_ADDR) & kInterrupt) == 0);
  clear_one(3);
  CHECK(interrupts() == 1);
}

TEST_CASE("card: a product and a sparse product, through the driver") {
  Device device(open_card(std::make_shared<PcieHost>()));
  CHECK(device.info().has(feature::fftmul));
  CHECK(device.info().has(feature::lhw));
  fhe::test::Operands operands(20'261'126);
  const Placed x = place(device, operands.bits(10'000), 10'000);
  const Placed y = place(device, operands.bits(3'000), 3'000);
  const Placed product = room(device, 13'000);
  device.run(multiply(product.where(), x.where(), y.where()));
  CHECK(device.load(product.buffer, 13'000) == x.value * y.value);

  const std::vector<std::uint16_t> indices{0, 1, 77, 512, 2047, 4095};
  const Placed few = place_indices(device, indices);
  const Placed sparse = room(device, 10'000 + 4096);
  device.run(sparse_multiply(sparse.where(), x.where(), few.buffer.address(),
                             static_cast<std::uint16_t>(indices.size())));
  CHECK(device.load(sparse.buffer, 10'000 + 4096) == x.value * few.value);
}

TEST_CASE("card: every command that the device has") {
  Device device(open_card(std::make_shared<PcieHost>()));
  check_commands(device, small_suite());
}

}  // namespace fhe::fpga::test

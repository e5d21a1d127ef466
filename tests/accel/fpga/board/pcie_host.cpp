// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/board/pcie_host.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <stdexcept>

namespace fhe::fpga::test {

namespace {

constexpr std::uint32_t kAddress = 0xfe00'0000;  // of BAR0
constexpr std::uint32_t kOurId = 0x0000;         // bus 0, device 0
constexpr std::uint32_t kOurTag = 0x5a;
constexpr int kResetClocks = 100;
constexpr int kClocksOfACall = 100;
constexpr int kClocksForAnAnswer = 100'000;
constexpr std::size_t kBeatWords = 4;
constexpr std::uint32_t kPage = 4096;        // a request stays inside one
constexpr std::uint32_t kReadBoundary = 64;  // where answers may be cut
constexpr std::uint32_t kWholeWord = 0xf;    // byte enables

// Format and type, in the highest byte of the first word.
enum Kind : std::uint32_t {
  read32 = 0x00,
  read64 = 0x20,
  write32 = 0x40,
  write64 = 0x60,
  completion = 0x4a
};

void require(bool satisfied, const char* complaint) {
  if (!satisfied) throw std::logic_error(complaint);
}

// Data have their lowest byte first on the link, headers their highest.
std::uint32_t swapped(std::uint32_t word) {
  return __builtin_bswap32(word);
}

std::uint32_t length_of(std::uint32_t first_word) {
  const std::uint32_t words = first_word & 0x3ff;
  return words == 0 ? 1024 : words;
}

}  // namespace

PcieHost::PcieHost(const HostOptions& options)
    : options_(options),
      random_(options.seed),
      memory_(2 * LitePcieNode::kBuffers * LitePcieNode::kBufferBytes) {
  card_.pcie_max_payload = options.max_payload;
  card_.pcie_max_request = options.max_request;
  card_.sys_clk = card_.device_clk = 0;
  card_.reset = 1;
  card_.pcie_rx_valid = card_.pcie_tx_ready = card_.pcie_msi_ready = 0;
  card_.eval();
  for (int i = 0; i < kResetClocks; ++i) rise();
  card_.reset = 0;
  for (int i = 0; i < kResetClocks; ++i) step();
}

PcieHost::~PcieHost() {
  card_.final();
}

std::uint32_t PcieHost::read(std::uint32_t place) {
  to_card_.push_back(
      {read32 << 24 | 1, kOurId << 16 | kOurTag << 8 | kWholeWord, kAddress + place});
  answer_.reset();
  for (int i = 0; i < kClocksForAnAnswer && !answer_; ++i) step();
  require(answer_.has_value(), "a read of BAR0 was not answered");
  return *answer_;
}

void PcieHost::write(std::uint32_t place, std::uint32_t value) {
  to_card_.push_back(
      {write32 << 24 | 1, kOurId << 16 | kWholeWord, kAddress + place, swapped(value)});
  while (!to_card_.empty()) step();
}

void PcieHost::pass_time() {
  for (int i = 0; i < kClocksOfACall; ++i) step();
}

unsigned PcieHost::take_interrupts() {
  return std::exchange(interrupts_, 0);
}

void PcieHost::step() {
  if (!requests_.empty() && to_card_.size() < 2 && chance(50)) answer_some_read();
  drive();
  card_.eval();
  const bool taken = card_.pcie_rx_valid && card_.pcie_rx_ready;
  const bool given = card_.pcie_tx_valid && card_.pcie_tx_ready;
  if (given) take_beat();
  if (card_.pcie_msi_valid && card_.pcie_msi_ready) ++interrupts_;
  if (taken) {
    offers_ = false;
    sent_ += kBeatWords;
    if (sent_ >= to_card_.front().size()) {
      to_card_.pop_front();
      sent_ = 0;
    }
  }
  const bool ends = given && card_.pcie_tx_last;
  rise();
  if (ends) take_packet();
}

// The inputs of the coming clock.
void PcieHost::drive() {
  card_.pcie_tx_ready = !chance(options_.stall_percent);
  card_.pcie_msi_ready = !chance(options_.stall_percent);
  if (!offers_ && !to_card_.empty() && !chance(options_.stall_percent)) {
    offers_ = true;
    offer_beat(sent_);
  }
  card_.pcie_rx_valid = offers_;
}

void PcieHost::offer_beat(std::size_t first) {
  const Packet& packet = to_card_.front();
  std::uint32_t enables = 0;
  for (std::size_t i = 0; i < kBeatWords; ++i) {
    const bool is_there = first + i < packet.size();
    card_.pcie_rx_dat[i] = is_there ? packet[first + i] : static_cast<std::uint32_t>(random_());
    if (is_there) enables |= kWholeWord << (4 * i);
  }
  card_.pcie_rx_be = static_cast<SData>(enables);
  card_.pcie_rx_first = first == 0;
  card_.pcie_rx_last = first + kBeatWords >= packet.size();
}

// Until the next rising edge of sys, and it.
void PcieHost::rise() {
  bool risen = false;
  while (!risen) {
    ++time_;
    const bool sys_edge = time_ % options_.sys_half == 0;
    const bool device_edge = time_ % options_.device_half == 0;
    if (device_edge) card_.device_clk = !card_.device_clk;
    if (sys_edge) {
      card_.sys_clk = !card_.sys_clk;
      risen = card_.sys_clk;
    }
    if (sys_edge || device_edge) card_.eval();
  }
}

void PcieHost::take_beat() {
  require((card_.pcie_tx_first != 0) == from_card_.empty(),
          "a packet does not begin where the one before ends");
  for (std::size_t i = 0; i < kBeatWords; ++i) {
    const std::uint32_t enables = card_.pcie_tx_be >> (4 * i) & kWholeWord;
    require(enables == kWholeWord || enables == 0, "a beat with part of a word");
    if (enables != 0) from_card_.push_back(card_.pcie_tx_dat[i]);
  }
}

void PcieHost::take_packet() {
  const std::uint32_t kind = from_card_.at(0) >> 24;
  if (kind == completion) {
    take_completion();
  } else {
    const bool is_long = kind == read64 || kind == write64;
    require(is_long || kind == read32 || kind == write32, "a packet of unknown kind");
    const std::size_t header = is_long ? 4 : 3;
    require(from_card_.size() >= header, "a packet without a whole header");
    const std::uint64_t address =
        is_long ? std::uint64_t{from_card_[2]} << 32 | from_card_[3] : from_card_[2];
    require(is_long == (address >> 32 != 0), "a header of the wrong length for its address");
    const std::uint32_t bytes = 4 * length_of(from_card_[0]);
    require(address % 4 == 0 && address % kPage + bytes <= kPage, "a request crosses 4 KiB");
    if (kind == write32 || kind == write64) {
      take_write(address, header);
    } else {
      require(bytes <= options_.max_request, "a request for too much");
      require(from_card_.size() == header, "a request with data");
      const auto tag = static_cast<std::uint8_t>(from_card_[1] >> 8);
      require(requests_.emplace(tag, Request{address, bytes}).second, "a tag is used twice");
      ++reads_;
    }
  }
  from_card_.clear();
}

void PcieHost::take_completion() {
  require(from_card_.size() == 4, "a register's value is a word");
  require((from_card_[1] >> 13 & 7) == 0, "a read of BAR0 failed");
  require((from_card_[2] >> 8 & 0xff) == kOurTag && from_card_[2] >> 16 == kOurId,
          "an answer to another request");
  answer_ = swapped(from_card_[3]);
}

void PcieHost::take_write(std::uint64_t address, std::size_t header) {
  const std::uint32_t words = length_of(from_card_[0]);
  require(4 * words <= options_.max_payload, "a packet with too much data");
  require(from_card_.size() == header + words, "a packet with another length than it says");
  const std::size_t place = place_of(address, 4 * words);
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint32_t word = swapped(from_card_[header + i]);
    std::memcpy(&memory_[place + 4 * i], &word, sizeof word);
  }
  ++writes_;
}

// The next part of any one of them: answers to different requests come in any order.
void PcieHost::answer_some_read() {
  const auto which =
      std::next(requests_.begin(), static_cast<std::ptrdiff_t>(random_() % requests_.size()));
  Request& request = which->second;
  const std::uint64_t end = request.address + request.bytes;
  const std::uint64_t most = std::min<std::uint64_t>(end, request.address + options_.max_payload);
  std::uint64_t stop = most;
  if (most != end) stop = most / kReadBoundary * kReadBoundary;
  if (chance(50))  // earlier, where that is allowed
    stop = std::min(stop, (request.address / kReadBoundary + 1) * kReadBoundary);
  const auto bytes = static_cast<std::uint32_t>(stop - request.address);

  const auto words = bytes / 4;
  Packet packet{completion << 24 | words, kOurId << 16 | (request.bytes & 0xfff),
                std::uint32_t{0x0100} << 16 | std::uint32_t{which->first} << 8 |
                    static_cast<std::uint32_t>(request.address & 0x7f)};
  const std::size_t place = place_of(request.address, bytes);
  for (std::uint32_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, &memory_[place + 4 * i], sizeof word);
    packet.push_back(swapped(word));
  }
  to_card_.push_back(std::move(packet));
  request.address += bytes;
  request.bytes -= bytes;
  if (request.bytes == 0) requests_.erase(which);
}

std::size_t PcieHost::place_of(std::uint64_t address, std::size_t bytes) const {
  const std::uint64_t place = address - options_.memory_base;
  require(address >= options_.memory_base && place + bytes <= memory_.size(),
          "an access outside of the memory");
  return place;
}

}  // namespace fhe::fpga::test

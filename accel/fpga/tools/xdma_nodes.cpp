// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/tools/xdma_nodes.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <vector>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kAccessBytes = 4;
constexpr std::uint64_t kRegisterBytes = 4096;
constexpr std::array<std::string_view, kXdmaNodes> kNames = {"user", "h2c_0", "c2h_0", "events_0"};

bool is_register_access(std::size_t count, std::uint64_t offset) {
  return count >= kAccessBytes && offset % kAccessBytes == 0 && offset < kRegisterBytes;
}

// The whole words around `count` bytes at `offset`.
struct Enclosing {
  Enclosing(std::uint64_t offset, std::size_t count)
      : address(offset / kWordBytes * kWordBytes),
        skipped(offset - address),
        words((skipped + count + kWordBytes - 1) / kWordBytes * kWordBytes) {}

  std::uint64_t address;
  std::uint64_t skipped;
  std::vector<std::byte> words;
};

void get_bytes(Transport& device, std::uint64_t offset, std::span<std::byte> bytes) {
  Enclosing around(offset, bytes.size());
  device.get(around.address, around.words);
  std::ranges::copy(std::span(around.words).subspan(around.skipped, bytes.size()), bytes.begin());
}

void put_bytes(Transport& device, std::uint64_t offset, std::span<const std::byte> bytes) {
  Enclosing around(offset, bytes.size());
  if (around.words.size() != bytes.size()) device.get(around.address, around.words);
  std::ranges::copy(bytes, std::span(around.words).subspan(around.skipped).begin());
  device.put(around.address, around.words);
}

// What the kernel would say of a transfer.
template <class Call>
std::int64_t transfer(std::mutex& engine, std::size_t count, const Call& call) {
  const std::unique_lock lock(engine, std::try_to_lock);
  if (!lock) return -EBUSY;
  try {
    call();
  } catch (const Error&) {
    return -EIO;
  }
  return static_cast<std::int64_t>(count);
}

}  // namespace

std::string_view name(XdmaNode node) {
  return kNames.at(static_cast<std::size_t>(node));
}

std::optional<XdmaNode> xdma_node(std::string_view ending) {
  const auto* const found = std::ranges::find(kNames, ending);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<XdmaNode>(found - kNames.begin());
}

std::int64_t XdmaNodes::read(XdmaNode node, std::span<std::byte> bytes, std::uint64_t offset) {
  switch (node) {
    case XdmaNode::user: {
      if (!is_register_access(bytes.size(), offset)) return -EPROTO;
      const std::uint32_t value = device_->read_register(static_cast<std::uint32_t>(offset));
      std::ranges::copy(std::as_bytes(std::span(&value, 1)), bytes.begin());
      return kAccessBytes;
    }
    case XdmaNode::from_card:
      return transfer(from_card_engine_, bytes.size(), [&] { get_bytes(*device_, offset, bytes); });
    case XdmaNode::events:
      return take_event(bytes);
    case XdmaNode::to_card:
      break;
  }
  return -EINVAL;
}

std::int64_t XdmaNodes::write(XdmaNode node, std::span<const std::byte> bytes,
                              std::uint64_t offset) {
  switch (node) {
    case XdmaNode::user: {
      if (!is_register_access(bytes.size(), offset)) return -EPROTO;
      std::uint32_t value = 0;
      std::ranges::copy(bytes.first<kAccessBytes>(),
                        std::as_writable_bytes(std::span(&value, 1)).begin());
      device_->write_register(static_cast<std::uint32_t>(offset), value);
      return kAccessBytes;
    }
    case XdmaNode::to_card:
      return transfer(to_card_engine_, bytes.size(), [&] { put_bytes(*device_, offset, bytes); });
    case XdmaNode::from_card:
    case XdmaNode::events:
      break;
  }
  return -EINVAL;
}

bool XdmaNodes::wait_event(std::chrono::milliseconds timeout) {
  {
    const std::lock_guard lock(event_);
    if (has_event_) return true;
  }
  if (device_->wait_interrupt(timeout) == Interrupt::timed_out) return false;
  const std::lock_guard lock(event_);
  has_event_ = true;
  return true;
}

std::int64_t XdmaNodes::take_event(std::span<std::byte> bytes) {
  if (bytes.size() != kAccessBytes) return -EPROTO;
  const std::lock_guard lock(event_);
  if (!has_event_) return -EAGAIN;
  has_event_ = false;
  const std::uint32_t one = 1;
  std::ranges::copy(std::as_bytes(std::span(&one, 1)), bytes.begin());
  return kAccessBytes;
}

}  // namespace fhe::fpga

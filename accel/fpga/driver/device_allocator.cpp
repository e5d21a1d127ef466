// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/driver/device_allocator.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accel/fpga/contract/errors.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

// Shared by a DeviceAllocator and its buffers, of which some may live longer.
class MemoryMap {
 public:
  MemoryMap(std::uint64_t base, std::uint64_t size, std::function<CommandCounts()> counts)
      : size_(size), counts_(std::move(counts)), free_{{base, size}} {}

  std::uint64_t allocate(std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    reclaim();
    const auto piece =
        std::ranges::find_if(free_, [size](const auto& entry) { return entry.second >= size; });
    if (piece == free_.end()) refuse(size);
    const std::uint64_t address = piece->first;
    if (piece->second == size) {
      free_.erase(piece);
    } else {
      replace(piece, address + size, piece->second - size);
    }
    return address;
  }

  void release(std::uint64_t address, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    const CommandCounts now = counts_();
    if (now.ended >= now.given) return insert(address, size);
    awaiting_.push_back({now.given, address, size});
  }

  // The device is gone, and asks for its commands with it.
  void detach() {
    const std::lock_guard lock(mutex_);
    counts_ = [] { return CommandCounts{}; };
  }

  std::uint64_t size() const { return size_; }

  std::uint64_t free_bytes() {
    const std::lock_guard lock(mutex_);
    reclaim();
    std::uint64_t sum = 0;
    for (const auto& [address, size] : free_) sum += size;
    return sum;
  }

  std::uint64_t largest_free() {
    const std::lock_guard lock(mutex_);
    reclaim();
    return largest();
  }

  std::uint64_t awaiting_bytes() {
    const std::lock_guard lock(mutex_);
    reclaim();
    std::uint64_t sum = 0;
    for (const Awaiting& piece : awaiting_) sum += piece.size;
    return sum;
  }

 private:
  using FreePieces = std::map<std::uint64_t, std::uint64_t>;  // address -> size

  // A released piece that commands given before its release may still use.
  struct Awaiting {
    std::uint64_t given;
    std::uint64_t address;
    std::uint64_t size;
  };

  // A piece leaves the list before it is free: should memory be lacking, it is lost, not free
  // twice.
  void reclaim() {
    const std::uint64_t ended = counts_().ended;
    const auto free_now = std::ranges::partition(
        awaiting_, [ended](const Awaiting& piece) { return piece.given > ended; });
    for (std::size_t left = free_now.size(); left > 0; --left) {
      const Awaiting piece = awaiting_.back();
      awaiting_.pop_back();
      insert(piece.address, piece.size);
    }
  }

  // Joins the piece with its free neighbours. Only a piece without any takes memory.
  void insert(std::uint64_t address, std::uint64_t size) {
    const auto next = free_.lower_bound(address);
    const bool joins_next = next != free_.end() && address + size == next->first;
    const auto previous = next == free_.begin() ? free_.end() : std::prev(next);
    if (previous != free_.end() && previous->first + previous->second == address) {
      previous->second += size + (joins_next ? next->second : 0);
      if (joins_next) free_.erase(next);
    } else if (joins_next) {
      replace(next, address, size + next->second);
    } else {
      free_.emplace_hint(next, address, size);
    }
  }

  // A free piece becomes another one, which takes no memory: nothing is lost where there is none.
  void replace(FreePieces::iterator piece, std::uint64_t address, std::uint64_t size) {
    auto node = free_.extract(piece);
    node.key() = address;
    node.mapped() = size;
    free_.insert(std::move(node));
  }

  std::uint64_t largest() const {
    std::uint64_t size = 0;
    for (const auto& entry : free_) size = std::max(size, entry.second);
    return size;
  }

  [[noreturn]] void refuse(std::uint64_t size) const {
    throw OutOfDeviceMemory(
        fmt::format("no {} bytes in one piece are free in the device's memory of {} bytes (the "
                    "largest piece has {}): free buffers, or use smaller parameters",
                    size, size_, largest()));
  }

  std::mutex mutex_;
  const std::uint64_t size_;
  std::function<CommandCounts()> counts_;
  FreePieces free_;  // never two neighbours
  std::vector<Awaiting> awaiting_;
};

DeviceBuffer::DeviceBuffer(std::shared_ptr<MemoryMap> map, std::uint64_t address,
                           std::uint64_t size)
    : map_(std::move(map)), address_(address), size_(size) {}

DeviceBuffer::~DeviceBuffer() {
  if (size_ == 0) return;
  try {
    map_->release(address_, size_);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch): the piece is lost, no more
  }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : map_(std::move(other.map_)),
      address_(std::exchange(other.address_, 0)),
      size_(std::exchange(other.size_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  DeviceBuffer taken(std::move(other));
  std::swap(map_, taken.map_);
  std::swap(address_, taken.address_);
  std::swap(size_, taken.size_);
  return *this;
}

DeviceAllocator::DeviceAllocator(std::uint64_t base, std::uint64_t size,
                                 std::function<CommandCounts()> counts)
    : map_(std::make_shared<MemoryMap>(base, size, std::move(counts))) {}

DeviceAllocator::~DeviceAllocator() {
  map_->detach();
}

DeviceBuffer DeviceAllocator::allocate(std::uint64_t bytes) {
  if (bytes == 0) return {};
  if (bytes > size()) {
    throw OutOfDeviceMemory(
        fmt::format("{} bytes are more than the device's whole memory of {}: use smaller "
                    "parameters, or another "
                    "device",
                    bytes, size()));
  }
  const std::uint64_t padded = padded_bytes(8 * bytes);
  return {map_, map_->allocate(padded), padded};
}

std::uint64_t DeviceAllocator::size() const {
  return map_->size();
}

std::uint64_t DeviceAllocator::free_bytes() const {
  return map_->free_bytes();
}

std::uint64_t DeviceAllocator::largest_free() const {
  return map_->largest_free();
}

std::uint64_t DeviceAllocator::awaiting_bytes() const {
  return map_->awaiting_bytes();
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
// Memory of a device, and launches over lists of items.
#pragma once

#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "accel/gpu/device/device.hpp"

namespace fhe::gpu {

// Words in the memory of a device, which are overwritten when they are given back. May be moved.
class Buffer {
 public:
  Buffer() = default;
  Buffer(DevicePtr device, std::size_t words)
      : device_(std::move(device)), words_(words), address_(device_->allocate(words)) {}
  Buffer(DevicePtr device, std::span<const Word> words) : Buffer(std::move(device), words.size()) {
    device_->put(address_, words);
  }
  Buffer(Buffer&& other) noexcept
      : device_(std::move(other.device_)), words_(other.words_), address_(other.address_) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(words_, other.words_);
    std::swap(address_, other.address_);
    return *this;
  }
  ~Buffer() {
    if (device_) device_->free(address_, words_);
  }

  [[nodiscard]] std::size_t size() const { return words_; }
  [[nodiscard]] bool is_empty() const { return !device_; }
  // For items of kernels: the device's memory, from the word at `first` on.
  [[nodiscard]] Word* at(std::size_t first = 0) const {
    return reinterpret_cast<Word*>(address_) + first;
  }
  void get(std::span<Word> words) const { device_->get(words, address_); }
  void put(std::span<const Word> words, std::size_t first) const {
    device_->put(reinterpret_cast<Word>(at(first)), words);
  }

 private:
  DevicePtr device_;
  std::size_t words_ = 0;
  Word address_ = 0;
};

// Starts a kernel over some items, each with so many blocks.
template <class Code>
void launch(const DevicePtr& device, std::span<const typename Code::Item> items, Word blocks_each) {
  using Item = typename Code::Item;
  static_assert(sizeof(Item) % sizeof(Word) == 0);
  if (items.empty() || blocks_each == 0) return;
  LaunchArguments arguments{
      .items = 0, .blocks_each = static_cast<unsigned>(blocks_each), .words = {}};
  Buffer list;
  if (items.size_bytes() <= sizeof arguments.words) {
    std::memcpy(arguments.words, items.data(), items.size_bytes());
  } else {
    std::vector<Word> words(items.size_bytes() / sizeof(Word));
    std::memcpy(words.data(), items.data(), items.size_bytes());
    list = Buffer(device, words);
    arguments.items = reinterpret_cast<Word>(list.at());
  }
  device->launch(kKernel<Code>, static_cast<unsigned>(items.size() * blocks_each), arguments);
}

// Blocks for so many threads.
constexpr Word blocks_for(Word threads, Word of_a_block) {
  return (threads + of_a_block - 1) / of_a_block;
}

}  // namespace fhe::gpu

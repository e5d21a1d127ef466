// SPDX-License-Identifier: Apache-2.0
// What the backend needs of a device: memory, and kernels that run in the order in which one thread
// of the host starts them. Threads of the host do not wait for each other.
//
// Errors: every function may throw Error(io) when the device is lost, and Error(out_of_memory).
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "accel/gpu/kernels/all.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::gpu {

// How a device finds a kernel: by its name on a GPU, by a function on the host.
struct Kernel {
  const char* name;
  unsigned threads;
  void (*run_block)(const LaunchArguments& arguments, unsigned block);
};

namespace detail {

template <class Code, std::size_t... kPhase>
void run_phases(const Launch<typename Code::Item>& launch, unsigned block,
                std::vector<typename Code::Registers>& registers, Word* shared,
                std::index_sequence<kPhase...> /*phases*/) {
  const auto run_phase = [&]<std::size_t kNumber>() {
    for (unsigned thread = 0; thread < Code::kThreads; ++thread) {
      Code::template run<kNumber>(launch, Place{block, thread}, registers[thread], shared);
    }
  };
  (run_phase.template operator()<kPhase>(), ...);
}

// One block on the host: phases one after the other, and in each the threads.
template <class Code>
void run_block(const LaunchArguments& arguments, unsigned block) {
  const Launch<typename Code::Item> launch(arguments);
  thread_local std::vector<typename Code::Registers> registers(Code::kThreads);
  thread_local std::vector<Word> shared(Code::kShared);
  run_phases<Code>(launch, block, registers, shared.data(),
                   std::make_index_sequence<Code::kPhases>());
  // What is secret stays in no memory of the host.
  wipe(std::as_writable_bytes(std::span(shared)));
}

}  // namespace detail

template <class Code>
inline constexpr Kernel kKernel{};
#define FHE_KERNEL_ENTRY(Name) \
  template <>                  \
  inline constexpr Kernel kKernel<Name>{#Name, Name::kThreads, detail::run_block<Name>};
FHE_FOR_EACH_KERNEL(FHE_KERNEL_ENTRY)
#undef FHE_KERNEL_ENTRY

// All of them.
#define FHE_KERNEL_IN_LIST(Name) kKernel<Name>,
inline constexpr Kernel kKernels[] = {FHE_FOR_EACH_KERNEL(FHE_KERNEL_IN_LIST)};
#undef FHE_KERNEL_IN_LIST

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // One line: the card and its driver.
  [[nodiscard]] virtual std::string description() const = 0;
  // How much memory it has, in bytes.
  [[nodiscard]] virtual std::size_t memory_bytes() const = 0;

  // The address of `words` words. To be given back by free, which overwrites them with zeros.
  [[nodiscard]] virtual Word allocate(std::size_t words) = 0;
  virtual void free(Word address, std::size_t words) noexcept = 0;

  // Copies words to the device, which are read before it returns, and from it.
  virtual void put(Word address, std::span<const Word> words) = 0;
  virtual void get(std::span<Word> words, Word address) = 0;

  // Starts `blocks` blocks of a kernel.
  virtual void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) = 0;

 protected:
  Device() = default;
};

using DevicePtr = std::shared_ptr<Device>;

// A card of NVIDIA, by its number from 0 on. Throws Error(unsupported) when there is none, or no
// driver or compiler for it.
[[nodiscard]] DevicePtr cuda_device(int number);

// The kernels on the processor of the host: the same code, for tests and for those who have no GPU.
[[nodiscard]] DevicePtr host_device();

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

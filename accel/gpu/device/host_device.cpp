// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "accel/gpu/device/device.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe::gpu {

namespace {

class HostDevice final : public Device {
 public:
  [[nodiscard]] std::string description() const override {
    return "the kernels of the GPU, compiled for this processor";
  }
  // Half of the machine's: the host needs memory beside it.
  [[nodiscard]] std::size_t memory_bytes() const override {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
  }

  [[nodiscard]] Word allocate(std::size_t words) override {
    return reinterpret_cast<Word>(new Word[words]);
  }
  void free(Word address, std::size_t words) noexcept override {
    wipe(std::as_writable_bytes(std::span(at(address), words)));
    delete[] at(address);
  }

  void put(Word address, std::span<const Word> words) override {
    std::ranges::copy(words, at(address));
  }
  void get(std::span<Word> words, Word address) override {
    std::copy_n(at(address), words.size(), words.data());
  }

  void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) override {
    parallel_for(blocks, [&](std::size_t block) {
      kernel.run_block(arguments, static_cast<unsigned>(block));
    });
  }

 private:
  static Word* at(Word address) { return reinterpret_cast<Word*>(address); }
};

}  // namespace

DevicePtr host_device() {
  return std::make_shared<HostDevice>();
}

}  // namespace fhe::gpu

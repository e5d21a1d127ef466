// SPDX-License-Identifier: Apache-2.0
// The device of the host, watched: what is in its memory, what was started, and a call that fails.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "accel/gpu/device/device.hpp"
#include "libfhe/error.hpp"

namespace fhe::gpu {

// One thread at a time.
class CountingDevice final : public Device {
 public:
  // Fails with this error at the call after so many, and from then on.
  explicit CountingDevice(std::size_t calls = std::numeric_limits<std::size_t>::max(),
                          ErrorCode code = ErrorCode::io)
      : calls_left_(calls), code_(code) {}

  // From now on it says that it has so much memory.
  void claim_memory(std::size_t bytes) { memory_bytes_ = bytes; }

  [[nodiscard]] bool has_failed() const { return has_failed_; }
  [[nodiscard]] long words_held() const { return words_held_; }
  [[nodiscard]] std::size_t bytes_in() const { return bytes_in_; }
  [[nodiscard]] std::size_t bytes_out() const { return bytes_out_; }
  [[nodiscard]] std::size_t launches(const std::string& kernel) { return launches_[kernel]; }

  [[nodiscard]] std::string description() const override { return "watched"; }
  [[nodiscard]] std::size_t memory_bytes() const override {
    return memory_bytes_.value_or(host_->memory_bytes());
  }
  [[nodiscard]] Word allocate(std::size_t words) override {
    count();
    words_held_ += static_cast<long>(words);
    return host_->allocate(words);
  }
  void free(Word address, std::size_t words) noexcept override {
    words_held_ -= static_cast<long>(words);
    host_->free(address, words);
  }
  void put(Word address, std::span<const Word> words) override {
    count();
    bytes_in_ += words.size_bytes();
    host_->put(address, words);
  }
  void get(std::span<Word> words, Word address) override {
    count();
    bytes_out_ += words.size_bytes();
    host_->get(words, address);
  }
  void launch(const Kernel& kernel, unsigned blocks, const LaunchArguments& arguments) override {
    count();
    ++launches_[kernel.name];
    bytes_in_ += sizeof arguments;
    host_->launch(kernel, blocks, arguments);
  }

 private:
  void count() {
    if (calls_left_ == 0) {
      has_failed_ = true;
      throw Error(code_, "the card has failed");
    }
    --calls_left_;
  }

  DevicePtr host_ = host_device();
  std::size_t calls_left_;
  ErrorCode code_;
  bool has_failed_ = false;
  std::optional<std::size_t> memory_bytes_;
  long words_held_ = 0;
  std::size_t bytes_in_ = 0;
  std::size_t bytes_out_ = 0;
  std::map<std::string, std::size_t> launches_;
};

}  // namespace fhe::gpu

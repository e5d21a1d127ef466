// SPDX-License-Identifier: Apache-2.0
// An open file of the system, closed with the object.
#pragma once

#include <utility>

#include <unistd.h>

namespace fhe::fpga {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) close(number_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    FileDescriptor taken(std::move(other));
    std::swap(number_, taken.number_);
    return *this;
  }

  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] int release() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace fhe::fpga

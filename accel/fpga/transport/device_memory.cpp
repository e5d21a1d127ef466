// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/transport/device_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accel/fpga/contract/words.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

[[noreturn]] void refuse(std::uint64_t bytes) {
  throw Error(ErrorCode::io, fmt::format("no memory for a simulated device of {} bytes: {}", bytes,
                                         std::strerror(errno)));
}

int make_file(std::uint64_t bytes) {
  const int file = memfd_create("fhe-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) refuse(bytes);
  // Sealed, as whoever maps it relies on its size.
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(file);
    refuse(bytes);
  }
  return file;
}

}  // namespace

DeviceMemory::DeviceMemory(std::uint64_t base, std::uint64_t bytes)
    : DeviceMemory(make_file(bytes), base, bytes) {}

DeviceMemory::DeviceMemory(int file, std::uint64_t base, std::uint64_t bytes)
    : file_(file), base_(base) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) {
    close(file);
    refuse(bytes);
  }
  bytes_ = {static_cast<std::byte*>(mapped), bytes};
}

DeviceMemory::~DeviceMemory() {
  if (file_ < 0) return;
  munmap(bytes_.data(), bytes_.size());
  close(file_);
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      base_(other.base_),
      bytes_(std::exchange(other.bytes_, {})) {}

DeviceMemory DeviceMemory::share() const {
  const int file = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (file < 0) refuse(size());
  return {file, base_, size()};
}

bool DeviceMemory::contains(std::uint64_t address, std::uint64_t size) const {
  return address >= base_ && address - base_ <= bytes_.size() &&
         size <= bytes_.size() - (address - base_);
}

std::span<std::byte> DeviceMemory::at(std::uint64_t address, std::uint64_t size) const {
  return bytes_.subspan(address - base_, size);
}

std::span<std::byte> DeviceMemory::transfer(std::uint64_t address, std::uint64_t size) const {
  if (address % kWordBytes != 0 || size % kWordBytes != 0 || !contains(address, size)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a transfer of {} bytes at {:#x} is not made of whole words of device "
                            "memory, {} bytes from {:#x} on",
                            size, address, bytes_.size(), base_));
  }
  return at(address, size);
}

void DeviceMemory::write(std::uint64_t address, std::span<const std::byte> bytes) const {
  std::ranges::copy(bytes, transfer(address, bytes.size()).begin());
}

void DeviceMemory::read(std::uint64_t address, std::span<std::byte> bytes) const {
  std::ranges::copy(transfer(address, bytes.size()), bytes.begin());
}

}  // namespace fhe::fpga

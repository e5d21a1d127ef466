// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accel/fpga/transport/transports.hpp"

namespace fhe::fpga {

namespace {

std::int64_t result_of(std::int64_t returned) {
  return returned < 0 ? -errno : returned;
}

int open_flags(Access access) {
  switch (access) {
    case Access::read:
      return O_RDONLY;
    case Access::write:
      return O_WRONLY;
    case Access::read_write:
      break;
  }
  return O_RDWR;
}

class OperatingSystem final : public SystemCalls {
 public:
  std::int64_t open(const std::string& path, Access access) override {
    return result_of(::open(path.c_str(), open_flags(access) | O_CLOEXEC));
  }

  void close(int file) override { ::close(file); }

  std::int64_t read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) override {
    return result_of(pread(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)));
  }

  std::int64_t write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset) override {
    return result_of(pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)));
  }

  std::int64_t read(int file, std::span<std::byte> bytes) override {
    return result_of(::read(file, bytes.data(), bytes.size()));
  }

  std::int64_t wait_readable(int file, std::chrono::milliseconds timeout) override {
    pollfd entry{.fd = file, .events = POLLIN, .revents = 0};
    const std::int64_t ready = result_of(poll(&entry, 1, static_cast<int>(timeout.count())));
    return ready > 0 && (entry.revents & POLLIN) == 0 ? -EIO : ready;
  }

  std::int64_t control(int file, unsigned long request, void* argument) override {
    return result_of(ioctl(file, request, argument));
  }

  void* map(int file, std::uint64_t offset, std::size_t bytes) override {
    void* const mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
    return mapped == MAP_FAILED ? nullptr : mapped;
  }

  void unmap(void* address, std::size_t bytes) override { munmap(address, bytes); }
};

}  // namespace

std::shared_ptr<SystemCalls> operating_system() {
  return std::make_shared<OperatingSystem>();
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/driver/litepcie_node.hpp"

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <utility>

#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga::test {

using namespace litepcie;

std::int64_t LitePcieNode::open(const std::string& path, Access /*access*/) {
  if (path != path_) return -ENOENT;
  ++open_files_;
  return next_file_++;
}

void LitePcieNode::close(int file) {
  --open_files_;
  if (file != owner_) return;
  stop(dma::kReader);
  stop(dma::kWriter);
  reads_ = writes_ = false;
  owner_ = -1;
}

std::int64_t LitePcieNode::read_at(int /*file*/, std::span<std::byte> /*bytes*/,
                                   std::uint64_t /*offset*/) {
  return -EINVAL;
}
std::int64_t LitePcieNode::write_at(int /*file*/, std::span<const std::byte> /*bytes*/,
                                    std::uint64_t /*offset*/) {
  return -EINVAL;
}
std::int64_t LitePcieNode::read(int /*file*/, std::span<std::byte> /*bytes*/) {
  return -EINVAL;
}
std::int64_t LitePcieNode::wait_readable(int /*file*/, std::chrono::milliseconds /*timeout*/) {
  return -EINVAL;
}

std::int64_t LitePcieNode::control(int file, unsigned long request, void* argument) {
  card_->pass_time();
  if (request == kAccessRegister) {
    auto& access = *static_cast<RegisterAccess*>(argument);
    if (access.is_write != 0)
      card_->write(access.address - kBar0, access.value);
    else
      access.value = card_->read(access.address - kBar0);
  } else if (request == kControlReader) {
    set(dma::kReader, 0, reads_, argument);
  } else if (request == kControlWriter) {
    set(dma::kWriter, kAllBytes, writes_, argument);
  } else if (request == kGetBuffers) {
    *static_cast<BufferInfo*>(argument) = {.to_card_offset = 0,
                                           .to_card_size = kBufferBytes,
                                           .to_card_count = kBuffers,
                                           .to_host_offset = kAllBytes,
                                           .to_host_size = kBufferBytes,
                                           .to_host_count = kBuffers};
  } else if (request == kLock) {
    auto& lock = *static_cast<LockRequest*>(argument);
    const bool is_free = owner_ < 0;
    if (is_free) owner_ = file;
    lock.reader_status = lock.writer_status = is_free;
  } else {
    return -ENOTTY;
  }
  return 0;
}

void LitePcieNode::set(std::uint32_t direction, std::uint64_t place, bool& is_enabled,
                       void* argument) {
  const bool enable = static_cast<const DmaControl*>(argument)->enable != 0;
  if (enable && !is_enabled) start(direction, place);
  if (!enable && is_enabled) stop(direction);
  is_enabled = enable;
}

// All buffers from a place in memory on, again and again.
void LitePcieNode::start(std::uint32_t direction, std::uint64_t place) {
  card_->write(direction + dma::enable, 0);
  card_->write(direction + dma::flush, 1);
  card_->write(direction + dma::loop, 0);
  for (std::size_t i = 0; i < kBuffers; ++i) {
    const std::uint64_t address = card_->memory_base() + place + i * kBufferBytes;
    card_->write(direction + dma::value, dma::kLastDisable | dma::kIrqDisable | kBufferBytes);
    card_->write(direction + dma::value + 4, static_cast<std::uint32_t>(address));
    card_->write(direction + dma::commit, static_cast<std::uint32_t>(address >> 32));
  }
  card_->write(direction + dma::loop, 1);
  card_->write(direction + dma::enable, 1);
}

void LitePcieNode::stop(std::uint32_t direction) {
  card_->write(direction + dma::loop, 0);
  card_->write(direction + dma::flush, 1);
  card_->pass_time();
  card_->write(direction + dma::enable, 0);
  card_->write(direction + dma::flush, 1);
}

void* LitePcieNode::map(int /*file*/, std::uint64_t offset, std::size_t bytes) {
  if (bytes != kAllBytes || (offset != 0 && offset != kAllBytes)) return nullptr;
  ++mapped_;
  return &card_->memory()[offset];
}

void LitePcieNode::unmap(void* /*address*/, std::size_t /*bytes*/) {
  --mapped_;
}

ModelShell::ModelShell(std::unique_ptr<LocalTransport> device)
    : device_(std::move(device)),
      memory_(2 * LitePcieNode::kBuffers * LitePcieNode::kBufferBytes) {}

std::uint32_t ModelShell::read(std::uint32_t place) {
  if (place >= kDeviceRegisters) return device_->read_register(place - kDeviceRegisters);
  return registers_[place];
}

void ModelShell::write(std::uint32_t place, std::uint32_t value) {
  if (place >= kDeviceRegisters) {
    device_->write_register(place - kDeviceRegisters, value);
    return;
  }
  registers_[place] = value;
  for (const std::uint32_t direction : {dma::kReader, dma::kWriter}) {
    if (place == direction + dma::flush) {
      tables_[direction].clear();
      registers_[direction + dma::loop_status] = 0;
    }
    if (place == direction + dma::commit) {
      tables_[direction].push_back(
          {std::uint64_t{value} << 32 | registers_[direction + dma::value + 4],
           registers_[direction + dma::value] & dma::kLengthMask});
    }
  }
  if (place == shell::put_enable && value == 0) registers_[shell::put_done] = 0;
  if (hangs_) return;
  if (registers_[shell::put_enable] != 0 && registers_[shell::put_done] == 0 &&
      registers_[dma::kReader + dma::enable] != 0)
    put();
  if (place == shell::get_enable && value != 0) get();
}

std::span<std::byte> ModelShell::place_of(const Descriptor& descriptor) {
  return std::span(memory_).subspan(descriptor.address - memory_base(), descriptor.bytes);
}

void ModelShell::put() {
  std::vector<std::byte> bytes;
  for (const Descriptor& descriptor : tables_[dma::kReader]) {
    const auto buffer = place_of(descriptor);
    bytes.insert(bytes.end(), buffer.begin(), buffer.end());
  }
  bytes.resize(std::min<std::size_t>(bytes.size(), registers_[shell::put_length]));
  device_->put(registers_[shell::put_base], bytes);
  registers_[shell::put_done] = 1;
}

// Behind the end of memory is its beginning.
void ModelShell::get() {
  if (registers_[dma::kWriter + dma::enable] == 0)
    throw std::logic_error("a get whose words nobody takes");
  std::uint64_t place = registers_[shell::get_base] - kCardMemory;
  std::size_t left = registers_[shell::get_length];
  std::uint32_t executed = 0;
  for (const Descriptor& descriptor : tables_[dma::kWriter]) {
    if (left < descriptor.bytes) break;
    for (std::size_t i = 0; i < descriptor.bytes; i += kWordBytes, place += kWordBytes)
      device_->get(kCardMemory + place % kCardBytes, place_of(descriptor).subspan(i, kWordBytes));
    left -= descriptor.bytes;
    ++executed;
  }
  registers_[dma::kWriter + dma::loop_status] = executed - 1;
}

}  // namespace fhe::fpga::test

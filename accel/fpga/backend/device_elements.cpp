// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

std::uint64_t element_bytes(const IntegerStream& stream) {
  return padded_bytes(std::max<std::size_t>(stream.bits(), 1));
}

DeviceElements::DeviceElements(Device& device, const IntegerStream& stream, std::size_t first,
                               std::size_t count, OperationCounters& counters,
                               const Monitor& monitor)
    : first_(first),
      count_(count),
      bits_(static_cast<std::uint32_t>(stream.bits())),
      stride_(element_bytes(stream)),
      buffer_(device.allocate(count * stride_)) {
  const std::unique_ptr<IntegerStream::Reader> reader = stream.reader();
  std::vector<Limb> limbs(stride_ / sizeof(Limb));
  for (std::size_t i = 0; i < count; ++i) {
    monitor.throw_if_stopped();
    reader->read(first + i, 0, limbs);
    device.put(address(i), std::as_bytes(std::span(limbs)));
    counters.count_stream_bytes(stride_);
  }
}

void ElementCache::make_room(std::uint64_t bytes, std::uint64_t limit) {
  const auto used = [&] {
    return std::accumulate(entries_.begin(), entries_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Entry& entry) { return sum + entry.bytes; });
  };
  while (!entries_.empty() && used() + bytes > limit) entries_.pop_back();
}

DeviceElementsPtr ElementCache::find_or_load(Device& device, const IntegerStream& stream,
                                             OperationCounters& counters, const Monitor& monitor) {
  const auto source = stream.source();
  const std::uint64_t bytes = stream.count() * element_bytes(stream);
  const std::uint64_t limit = device.memory().size() / 2;
  if (!source || bytes > limit) return nullptr;

  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.source == *source && entry.count == stream.count() && entry.bits == stream.bits();
  });
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    make_room(bytes, limit);
    auto elements = std::make_shared<const DeviceElements>(device, stream, 0, stream.count(),
                                                           counters, monitor);
    entries_.push_front({*source, stream.count(), stream.bits(), bytes, std::move(elements)});
  }
  return entries_.front().elements;
}

}  // namespace fhe::fpga

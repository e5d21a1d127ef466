// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/device_windows.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>

#include "accel/fpga/backend/generated_elements.hpp"
#include "accel/fpga/contract/words.hpp"

namespace fhe::fpga {

namespace {

constexpr std::size_t kMostElements = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t kEntryBytes = parameter::window_entry_bits / 8;
constexpr std::uint64_t kDigitBits = 32;  // of the elements, in rtl/elements/window_engine.sv

// x / 2^bits rounded to the nearest integer, ties up.
Integer rounded(const Integer& x, std::size_t bits) {
  return (x + power_of_two(bits - 1)) >> bits;
}

}  // namespace

std::vector<std::byte> number_of_windows(const Integer& c, const WindowSpec& spec) {
  const std::uint64_t words = words_for_bits(spec.modulus_bits);
  std::vector<std::byte> bytes(words * kWordBytes);
  to_bytes(low_bits(c, spec.modulus_bits) << (words * kWordBits - spec.modulus_bits), bytes);
  std::vector<std::byte> reversed(bytes.size());
  for (std::uint64_t i = 0; i < words; ++i) {
    std::ranges::copy(std::span(bytes).subspan(i * kWordBytes, kWordBytes),
                      reversed.end() - static_cast<std::ptrdiff_t>((i + 1) * kWordBytes));
  }
  return reversed;
}

namespace {

DeviceBuffer store_number(Device& device, const Integer& c, const WindowSpec& spec) {
  const std::vector<std::byte> number = number_of_windows(c, spec);
  DeviceBuffer buffer = device.allocate(number.size());
  device.put(buffer.address(), number);
  return buffer;
}

// The rounded leading bits of a product, of which the device gave an entry.
std::uint32_t window(const Integer& entry, const Integer& c, const IntegerStream& stream,
                     std::size_t index, const WindowSpec& spec) {
  const std::uint64_t digits = words_for_bits(spec.modulus_bits) * (kWordBits / kDigitBits);
  const Integer error = Integer(digits) << kDigitBits;  // the product is less than entry + error
  const std::size_t below = parameter::window_bits - spec.window_bits;
  Integer result = rounded(entry, below);
  if (result != rounded(entry + error, below)) {
    const Integer product = low_bits(c * stream.element(index), spec.modulus_bits);
    result = rounded(product, spec.modulus_bits - spec.window_bits);
  }
  return static_cast<std::uint32_t>(low_bits(result, spec.window_bits).get_ui());
}

}  // namespace

bool takes_windows(const Device& device, const IntegerStream& stream, const WindowSpec& spec) {
  return stream.count() != 0 && generates(device, stream) &&
         words_for_bits(spec.modulus_bits) * kWordBits <= std::numeric_limits<std::uint32_t>::max();
}

std::vector<std::uint32_t> device_product_windows(DeviceSession& session, const Integer& c,
                                                  const IntegerStream& stream,
                                                  const WindowSpec& spec,
                                                  OperationCounters& counters,
                                                  const Monitor& monitor) {
  Device& device = session.device;
  const std::uint64_t bits = words_for_bits(spec.modulus_bits) * kWordBits;
  const DeviceBuffer number = store_number(device, c, spec);
  std::vector<std::uint32_t> results;
  results.reserve(stream.count());
  Progress progress(monitor, "product windows", stream.count());
  for (std::size_t first = 0; first < stream.count(); first += kMostElements) {
    const std::size_t count = std::min(kMostElements, stream.count() - first);
    const GeneratedElements elements(device, stream, first, count);
    const DeviceBuffer entries =
        device.allocate(padded_bytes(count * parameter::window_entry_bits));
    const Ticket ticket = device.submit(
        multiply_windows({.destination = entries.address(),
                          .stream = elements.record(),
                          .first = elements.index_of(0),
                          .elements = static_cast<std::uint16_t>(count),
                          .element_bits = elements.bits(),
                          .number = {number.address(), static_cast<std::uint32_t>(bits)}}));
    session.wait(ticket, counters);
    counters.count_stream_bytes(elements.bytes());
    std::vector<std::byte> bytes(entries.size());
    device.get(entries.address(), bytes);
    for (std::size_t i = 0; i < count; ++i) {
      const Integer entry = from_bytes(std::span(bytes).subspan(i * kEntryBytes, kEntryBytes));
      results.push_back(window(entry, c, stream, first + i, spec));
    }
    progress.advance(count);
  }
  return results;
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/backend/generated_elements.hpp"

#include <limits>
#include <span>

#include "accel/fpga/contract/words.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::fpga {

bool generates(const Device& device, const IntegerStream& stream) {
  const auto source = stream.source();
  return device.info().has(feature::elements) && source && source->generator == kAesCtrGenerator &&
         stream.bits() != 0 && stream.bits() <= std::numeric_limits<std::uint32_t>::max();
}

GeneratedElements::GeneratedElements(Device& device, const IntegerStream& stream, std::size_t first,
                                     std::size_t count)
    : first_(first),
      count_(count),
      bits_(static_cast<std::uint32_t>(stream.bits())),
      record_(device.allocate(kWordBytes)) {
  const StreamSource source = *stream.source();
  first_index_ = source.first_index;
  const StreamRecord record = encode_stream({.seed = source.seed, .purpose = source.purpose});
  device.put(record_.address(), std::as_bytes(std::span(record)));
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/contract/stream_record.hpp"

#include <algorithm>
#include <span>

#include "accel/fpga/contract/register_map.hpp"

namespace fhe::fpga {

StreamRecord encode_stream(const GeneratedStream& stream) {
  StreamRecord record{};
  std::ranges::copy(stream.seed,
                    std::as_writable_bytes(std::span(record).subspan(stream_record::seed)).begin());
  record[stream_record::purpose] = stream.purpose;
  return record;
}

GeneratedStream decode_stream(const StreamRecord& record) {
  GeneratedStream stream{.purpose = record[stream_record::purpose]};
  const auto bytes = std::as_bytes(std::span(record).subspan(stream_record::seed));
  std::ranges::copy(bytes.first(stream.seed.size()), stream.seed.begin());
  return stream;
}

}  // namespace fhe::fpga

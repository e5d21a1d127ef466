// SPDX-License-Identifier: Apache-2.0
// What the targets of the hostile suite share: one entry point each, called with bytes of
// strangers, and the way to say that something does not hold.
//
// A target answers any bytes in one of two ways: it accepts them, and what it made of them keeps
// its promises, or the library refuses them with an Error of the codes that its header names.
// Anything else is a finding: another exception, a crash, what a sanitizer sees, or more time or
// memory than libFuzzer allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "libfhe/error.hpp"

// Defined by each target; libFuzzer's name for it. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fhe::hostile {

// Something does not hold; the message says what.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void demand(bool holds, const std::string& what) {
  if (!holds) throw Finding(what);
}

// Does `work`, and returns whether it came to its end; it may refuse with one of these codes.
template <class Work>
bool accepts(std::initializer_list<ErrorCode> codes, const Work& work) {
  try {
    work();
    return true;
  } catch (const Error& error) {
    demand(std::ranges::find(codes, error.code()) != codes.end(),
           "refused as " + std::string(to_string(error.code())) + ": " + error.what());
    return false;
  }
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Whether to do with these bytes what takes longer than all the rest: fuzzers do it with one input
// in FHE_HOSTILE_DRAW = 8, with it always; replays (1) with all.
inline bool is_drawn(const std::uint8_t* data, std::size_t size) {
  return std::hash<std::string_view>()(text_of(data, size)) % FHE_HOSTILE_DRAW == 0;
}

// Takes numbers off the bytes of an input, zeros after its end.
class ByteSource {
 public:
  ByteSource(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool is_empty() const { return rest_.empty(); }

  // A number of so many bytes, lowest first.
  std::uint64_t take(std::size_t bytes) {
    std::uint64_t value = 0;
    const std::size_t count = std::min(bytes, rest_.size());
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{rest_[i]} << (8 * i);
    rest_ = rest_.subspan(count);
    return value;
  }

  // At most so many of the next bytes.
  std::span<const std::uint8_t> take_span(std::size_t bytes) {
    const auto taken = rest_.first(std::min(bytes, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace fhe::hostile

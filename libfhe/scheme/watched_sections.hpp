// SPDX-License-Identifier: Apache-2.0
// Sections that a monitor is told of while they are written: a public key may have gigabytes. Not
// installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "libfhe/monitor.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

// Passes everything on to `out`, and throws Error(stopped) between two pieces.
class WatchedSections final : public SectionWriter {
 public:
  // About `bytes` bytes will come. All arguments must outlive the object.
  WatchedSections(SectionWriter& out, const Monitor& monitor, std::string_view phase,
                  std::uint64_t bytes)
      : out_(out), progress_(monitor, phase, bytes), left_(bytes) {}

  void begin_section(std::string_view name) override { out_.begin_section(name); }
  void write(std::span<const std::byte> bytes) override {
    out_.write(bytes);
    const std::size_t counted = std::min(bytes.size(), left_);
    left_ -= counted;
    progress_.advance(counted);
  }

  // Says that all have come.
  void finish() { progress_.advance(std::exchange(left_, 0)); }

 private:
  SectionWriter& out_;
  Progress progress_;
  std::size_t left_;
};

}  // namespace fhe

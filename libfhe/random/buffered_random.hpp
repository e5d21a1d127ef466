// SPDX-License-Identifier: Apache-2.0
// Secret randomness in small pieces at the price of large ones. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe {

// Draws from another source 4 KiB at a time: a call of OpenSSL's generator costs about a
// microsecond however short it is. Local to one computation, so that no two processes share what is
// buffered; what was not handed out is overwritten.
class BufferedRandom final : public SecretRandom {
 public:
  explicit BufferedRandom(SecretRandom& source) : source_(source), buffer_(kBufferBytes) {}
  BufferedRandom(const BufferedRandom&) = delete;
  BufferedRandom& operator=(const BufferedRandom&) = delete;

  void fill(std::span<std::byte> out) override {
    while (!out.empty()) {
      if (used_ == buffer_.size()) refill();
      const std::size_t count = std::min(out.size(), buffer_.size() - used_);
      const auto piece = std::span(buffer_).subspan(used_, count);
      std::ranges::copy(piece, out.begin());
      wipe(piece);  // at once: who drew it may be done with it long before this buffer goes
      used_ += count;
      out = out.subspan(count);
    }
  }

  [[nodiscard]] std::unique_ptr<SecretRandom> split(std::uint64_t index) const override {
    return source_.split(index);
  }
  [[nodiscard]] bool is_test() const override { return source_.is_test(); }

 private:
  void refill() {
    source_.fill(buffer_);
    used_ = 0;
  }

  static constexpr std::size_t kBufferBytes = 4096;

  SecretRandom& source_;
  SecretBytes buffer_;
  std::size_t used_ = kBufferBytes;
};

}  // namespace fhe

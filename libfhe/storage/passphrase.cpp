// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/passphrase.hpp"

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/secret/wipe.hpp"

namespace fhe {

namespace {

// Empties a caller's text, which is of no secret type, when the scope ends, however it does.
class WipedText {
 public:
  explicit WipedText(std::string& text) : text_(text) {}
  ~WipedText() {
    wipe(std::as_writable_bytes(std::span(text_)));
    text_.clear();
  }
  WipedText(const WipedText&) = delete;
  WipedText& operator=(const WipedText&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(text_)); }

 private:
  std::string& text_;
};

}  // namespace

Passphrase::Passphrase(std::string&& text) {
  const WipedText given(text);
  const auto bytes = given.bytes();
  if (bytes.empty() || bytes.size() > kMostBytes) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a passphrase has 1 to {} bytes, not {}; choose another one",
                            kMostBytes, bytes.size()));
  }
  text_.assign(bytes.begin(), bytes.end());
}

bool ScryptCost::is_bearable() const {
  constexpr std::uint32_t kMostLogN = 23;
  if (log_n < 1 || log_n > kMostLogN || r < 1 || p < 1) return false;
  // No product is out of range: r and p have 32 bits and are divided by.
  return r <= kMostWork / 128 / p >> log_n;
}

}  // namespace fhe

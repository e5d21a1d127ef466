// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/passphrase.hpp"

#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe {

namespace {

void wipe_text(std::string& text) {
  wipe(std::as_writable_bytes(std::span(text)));
  text.clear();
}

}  // namespace

Passphrase::Passphrase(std::string&& text) : text_(text) {
  wipe_text(text);
  if (!text_.empty() && text_.size() <= kMostBytes) return;
  const std::size_t size = text_.size();
  wipe_text(text_);
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("a passphrase has 1 to {} bytes, not {}; choose another one", kMostBytes, size));
}

Passphrase::~Passphrase() {
  wipe_text(text_);
}

// A short text is kept inside the object, where moving leaves a copy behind.
Passphrase::Passphrase(Passphrase&& other) noexcept {
  text_.swap(other.text_);
}

Passphrase& Passphrase::operator=(Passphrase&& other) noexcept {
  text_.swap(other.text_);
  return *this;
}

std::span<const std::byte> Passphrase::bytes() const {
  return std::as_bytes(std::span(text_));
}

bool ScryptCost::is_bearable() const {
  constexpr std::uint32_t kMostLogN = 23;
  if (log_n < 1 || log_n > kMostLogN || r < 1 || p < 1) return false;
  // No product is out of range: r and p have 32 bits and are divided by.
  return r <= kMostWork / 128 / p >> log_n;
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// SHA-256, and the 32-byte digests that identify parameter groups, keys and sections.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libfhe/export.hpp"

namespace fhe {

// A SHA-256.
using Digest = std::array<std::byte, 32>;

// Computes a SHA-256 piece by piece.
class FHE_EXPORT Hasher {
 public:
  // Nothing is hashed yet. May be moved, not copied.
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  // Appends to what is hashed.
  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);

  // The digest of everything so far; the hasher must not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The digest of a text.
[[nodiscard]] FHE_EXPORT Digest sha256(std::string_view text);

// The first `bytes` bytes in lower-case hexadecimal.
[[nodiscard]] FHE_EXPORT std::string to_hex(std::span<const std::byte> digest,
                                            std::size_t bytes = 32);

}  // namespace fhe

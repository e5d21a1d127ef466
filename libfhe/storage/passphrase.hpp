// SPDX-License-Identifier: Apache-2.0
// Passphrases, and what it costs to try one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "libfhe/export.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe {

// A text that opens a secret; overwritten when it is destroyed. Movable, not copyable.
class FHE_EXPORT Passphrase {
 public:
  // Length of the longest passphrase.
  static constexpr std::size_t kMostBytes = 1024;

  // Takes the text over and overwrites it where it was. Any bytes, in any encoding: they must be
  // the same when the file is opened. Throws Error(invalid_argument) for an empty text and for one
  // of more than kMostBytes.
  explicit Passphrase(std::string&& text);
  // Moves the text; what is moved from has none.
  Passphrase(Passphrase&& other) noexcept = default;
  Passphrase& operator=(Passphrase&& other) noexcept = default;

  // The text. Valid until the passphrase is moved, assigned or destroyed.
  [[nodiscard]] std::span<const std::byte> bytes() const { return text_; }

  friend bool operator==(const Passphrase&, const Passphrase&) = default;

 private:
  SecretBytes text_;
};

// The cost of scrypt (RFC 7914): 128 r 2^log_n bytes of memory, and time in proportion to that
// times p. The default takes 128 MiB and about half a second of one core.
struct FHE_EXPORT ScryptCost {
  std::uint32_t log_n = 17;  // log2 of N, the cost of memory and time
  std::uint32_t r = 8;       // block size, in units of 128 bytes
  std::uint32_t p = 1;       // parallelization

  // The most work that readers and writers take on, whatever a file says: 128 r 2^log_n p bytes.
  static constexpr std::uint64_t kMostWork = std::uint64_t{1} << 30;
  // Whether log_n is in [1, 23], r and p are at least 1, and the work is at most kMostWork.
  [[nodiscard]] bool is_bearable() const;

  friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

}  // namespace fhe

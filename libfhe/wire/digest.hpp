// SHA-256, and the 32-byte digests that identify parameter groups, keys and sections.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fhe {

using Digest = std::array<std::byte, 32>;

// An incremental SHA-256.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  void update(std::span<const std::byte> bytes);
  void update(std::string_view text);

  // The digest of everything so far; the hasher may not be used afterwards.
  [[nodiscard]] Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] Digest sha256(std::string_view text);

// Lower-case hexadecimal of the first `bytes` bytes.
[[nodiscard]] std::string to_hex(std::span<const std::byte> digest, std::size_t bytes = 32);

}  // namespace fhe

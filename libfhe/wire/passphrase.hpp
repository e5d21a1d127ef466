// Passphrases, and what a guess of one costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fhe {

// A text that opens a secret; overwritten when it goes. Movable, not copyable.
class Passphrase {
 public:
  static constexpr std::size_t kMostBytes = 1024;

  // Takes the text over and overwrites it where it was. Any bytes, in any encoding: they must be
  // the same when the file is opened. Throws Error(invalid_argument) for none and for more than
  // kMostBytes.
  explicit Passphrase(std::string&& text);
  ~Passphrase();
  Passphrase(Passphrase&& other) noexcept;
  Passphrase& operator=(Passphrase&& other) noexcept;

  [[nodiscard]] std::span<const std::byte> bytes() const;

  friend bool operator==(const Passphrase&, const Passphrase&) = default;

 private:
  std::string text_;
};

// The cost of scrypt (RFC 7914): 128 r 2^log_n bytes of memory, and time in proportion to that
// times p. The default takes 128 MiB and about half a second of one core.
struct ScryptCost {
  std::uint32_t log_n = 17;
  std::uint32_t r = 8;
  std::uint32_t p = 1;

  // The most that readers and writers do, whatever a file says: 128 r 2^log_n p bytes.
  static constexpr std::uint64_t kMostWork = std::uint64_t{1} << 30;
  [[nodiscard]] bool is_bearable() const;

  friend bool operator==(const ScryptCost&, const ScryptCost&) = default;
};

}  // namespace fhe

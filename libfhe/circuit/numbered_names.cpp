// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/numbered_names.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "libfhe/random/secret_random.hpp"

namespace fhe {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr unsigned kPrimeBits = 61;
constexpr std::uint64_t kPrime = (std::uint64_t{1} << kPrimeBits) - 1;
constexpr std::size_t kBytesAtOnce = 7;  // below the prime

// x y + part modulo the prime. Requires x and y below the prime and part < 2^56.
std::uint64_t multiply_add(std::uint64_t x, std::uint64_t y, std::uint64_t part) {
  const Wide value = Wide{x} * y + part;
  const std::uint64_t folded = (static_cast<std::uint64_t>(value) & kPrime) +
                               static_cast<std::uint64_t>(value >> kPrimeBits);
  return folded >= kPrime ? folded - kPrime : folded;
}

std::uint64_t random_point() {
  std::uint64_t point = 0;
  SystemRandom().fill(std::as_writable_bytes(std::span(&point, 1)));
  return point % kPrime;
}

}  // namespace

SecretHash::SecretHash() {
  static const std::uint64_t point = random_point();
  point_ = point;
}

std::size_t SecretHash::operator()(std::string_view name) const {
  std::uint64_t hash = name.size();
  while (!name.empty()) {
    const std::size_t count = std::min(name.size(), kBytesAtOnce);
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), count);
    hash = multiply_add(hash, point_, part);
    name.remove_prefix(count);
  }
  return static_cast<std::size_t>(multiply_add(hash, point_, 0));
}

std::uint32_t NumberedNames::number_of(std::string_view name) {
  const auto [place, is_new] =
      numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(name);
  return place->second;
}

std::optional<std::uint32_t> NumberedNames::find(std::string_view name) const {
  const auto place = numbers_.find(name);
  return place == numbers_.end() ? std::nullopt : std::optional(place->second);
}

}  // namespace fhe

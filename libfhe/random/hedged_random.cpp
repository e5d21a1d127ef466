// SPDX-License-Identifier: Apache-2.0
#include "libfhe/random/hedged_random.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

template <class Values>
void append(SecretBytes& material, const Values& values) {
  const auto bytes = std::as_bytes(std::span(values));
  material.insert(material.end(), bytes.begin(), bytes.end());
}

void append_number(SecretBytes& material, std::uint64_t number) {
  append(material, std::array{number});
}

void append_clock(SecretBytes& material, clockid_t clock) {
  std::timespec now{};
  if (clock_gettime(clock, &now) != 0) return;  // one fact less
  append_number(material, static_cast<std::uint64_t>(now.tv_sec));
  append_number(material, static_cast<std::uint64_t>(now.tv_nsec));
}

void append_facts(SecretBytes& material) {
  static std::atomic<std::uint64_t> calls{0};
  SecretBytes kernel(32);
  if (getentropy(kernel.data(), kernel.size()) != 0) {
    throw Error(ErrorCode::randomness,
                fmt::format("the kernel's random generator failed and produced nothing: {}",
                            std::system_category().message(errno)));
  }
  append(material, kernel);
  append_number(material, static_cast<std::uint64_t>(getpid()));
  append_clock(material, CLOCK_REALTIME);
  append_clock(material, CLOCK_MONOTONIC);
  append_number(material, ++calls);
}

SecretBytes hedged(SecretRandom& source, std::span<const std::byte> context) {
  SecretBytes material;
  append(material, std::string_view("fhe hedged randomness"));
  SecretBytes drawn(32);
  source.fill(drawn);
  append(material, drawn);
  if (!source.is_test()) append_facts(material);
  append(material, context);
  return material;
}

// 0: the stream itself, otherwise a split.
SecretBytes numbered(SecretBytes material, std::uint64_t number) {
  append_number(material, number);
  return material;
}

}  // namespace

HedgedRandom::HedgedRandom(SecretRandom& source, std::span<const std::byte> context)
    : HedgedRandom(hedged(source, context), source.is_test()) {}

HedgedRandom::HedgedRandom(SecretBytes material, bool is_test)
    : material_(std::move(material)),
      is_test_(is_test),
      stream_(AesCtr::keyed_by(numbered(material_, 0))) {}

std::unique_ptr<SecretRandom> HedgedRandom::split(std::uint64_t index) const {
  return std::unique_ptr<SecretRandom>(new HedgedRandom(numbered(material_, index + 1), is_test_));
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// The bytes of a container as what they consist of, to be altered and put together again with
// digests that fit: without that nothing behind the header would ever be reached. Unlike the
// readers and writers of the library this takes and makes containers that are wrong.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/scheme/dghv/modulus_switch.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/storage/digest.hpp"
#include "libfhe/storage/passphrase.hpp"

namespace fhe::hostile {

struct ContainerImage {
  using Bytes = std::vector<std::uint8_t>;

  struct Section {
    [[nodiscard]] bool is(std::string_view other) const;

    std::array<std::uint8_t, 8> name{};
    Bytes contents;
  };

  // What stands before the section table (libfhe/storage/FORMAT.md); the number of sections in it
  // is not used.
  static constexpr std::size_t kHeadBytes = 136;
  static constexpr std::size_t kMostSections = 17;  // one more than there may be

  // None where there is no section table to be found.
  [[nodiscard]] static std::optional<ContainerImage> parse(std::span<const std::uint8_t> bytes);

  // Makes scheme, name and digest of the group in the head those of the section `params`, and the
  // key id that of a public key or of a secret key of slots, none in a program, or that of the
  // hostile suite's own key of that group.
  void fit_head();

  // With lengths and digests that fit.
  [[nodiscard]] Bytes bytes() const;

  [[nodiscard]] Section* find(std::string_view name);
  [[nodiscard]] std::string_view group() const;

  std::array<std::uint8_t, kHeadBytes> head{};
  std::vector<Section> sections;
};

// The sections of a container but for `params`, whose text may be laid out in another way; none
// where there is no section table.
[[nodiscard]] std::map<std::string, ContainerImage::Bytes> sections_of(
    std::span<const std::byte> container);

// The container with these first bytes in one of its sections, as far as it has them, and digests
// that fit.
[[nodiscard]] std::vector<std::byte> with_first_bytes(std::span<const std::uint8_t> container,
                                                      std::string_view section,
                                                      std::span<const std::byte> first);

// What is sealed of a secret key under a passphrase (libfhe/storage/FORMAT.md), from its container
// in the clear; and the passphrase of the suite.
[[nodiscard]] ContainerImage::Bytes sealed_contents(std::span<const std::byte> secret_key);
[[nodiscard]] Passphrase hostile_passphrase();

// The keys under which targets read ciphertexts and checkpoints: of the mini groups, the same in
// every run. Made when first asked for.
[[nodiscard]] const std::vector<KeyPair>& hostile_keys();

// The rung of a ladder below the first of them.
[[nodiscard]] const dghv::Rung& hostile_rung();

// The same for numbers in slots, of she-mini; and a key pair of a group for sums of its own, whose
// name is tally-mini.
[[nodiscard]] const she::SecretKey& hostile_slots_key();
[[nodiscard]] const she::KeyPair& hostile_tally_keys();

}  // namespace fhe::hostile

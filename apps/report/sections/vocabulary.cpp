// SPDX-License-Identifier: Apache-2.0
#include "apps/report/sections/vocabulary.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "apps/study/format.hpp"

namespace fhe::bench {

std::string operation_title(std::string_view operation) {
  constexpr std::array<std::array<std::string_view, 2>, 30> kTitles{
      {{"keygen", "key generation"},
       {"prepare_encryption", "prepare a key"},
       {"encrypt_dense", "encrypt one bit"},
       {"encrypt_sparse", "encrypt one bit, sparse"},
       {"encrypt_batch_16", "encrypt, each of 16 at once"},
       {"encrypt_owner", "encrypt by the key's owner"},
       {"encrypt_owner_64", "the same, each of 64 at once"},
       {"expand_owner_64", "expand these, each of 64 at once"},
       {"decrypt", "decrypt"},
       {"add", "XOR gate"},
       {"mult", "AND gate, no refresh"},
       {"recrypt", "recrypt"},
       {"recrypt_8", "recrypt, each of 8 at once"},
       {"expand", "expand (part of recrypt)"},
       {"encrypt_per_slot", "encrypt, each slot"},
       {"decrypt_per_slot", "decrypt, each slot"},
       {"mult_per_slot", "AND gate, each slot"},
       {"recrypt_per_slot", "recrypt, each slot"},
       {"aes_state_add_round_key", "AES, a block a slot: AddRoundKey"},
       {"aes_state_sub_bytes", "AES, a block a slot: SubBytes"},
       {"aes_state_mix_columns", "AES, a block a slot: ShiftRows and MixColumns"},
       {"aes_state", "AES, a block a slot, per block"},
       {"aes_bytes_add_round_key", "AES, a byte a slot: AddRoundKey"},
       {"aes_bytes_sub_bytes", "AES, a byte a slot: SubBytes and ShiftRows"},
       {"aes_bytes_mix_columns", "AES, a byte a slot: MixColumns"},
       {"aes_bytes", "AES, a byte a slot, per block"},
       {"gmp_multiplication", "product of ciphertexts by GMP"},
       {"multiplication", "product of ciphertexts"},
       {"gmp_modular_multiplication", "modular product by GMP"},
       {"modular_multiplication", "modular product"}}};
  const auto* const found =
      std::ranges::find(kTitles, operation, [](const auto& t) { return t[0]; });
  return std::string(found == kTitles.end() ? operation : (*found)[1]);
}

std::string group_title(const std::string& group) {
  return group == kEngine ? "products" : group;
}

std::size_t backend_style(std::size_t number) {
  constexpr std::array<std::size_t, 3> kStylesOfBackends{0, 1, 5};
  return kStylesOfBackends[number % kStylesOfBackends.size()];
}

std::size_t platform_style(Platform platform) {
  switch (platform) {
    case Platform::software:
      return 4;
    case Platform::gpu:
      return 2;
    case Platform::asic:
      return 3;
    case Platform::fpga:
      return 7;
  }
  return 0;
}

std::string platform_title(Platform platform) {
  return fmt::format("{}, published", to_string(platform));
}

std::optional<PublishedTime> fastest_published(std::string_view group, std::string_view operation,
                                               Platform platform) {
  std::vector<PublishedTime> times = published_times(group, operation);
  std::erase_if(times, [=](const PublishedTime& t) { return t.origin.platform != platform; });
  if (times.empty()) return std::nullopt;
  return *std::ranges::min_element(times, {}, &PublishedTime::seconds);
}

std::string published_text(const Origin& origin, std::string_view quantity) {
  return fmt::format("{}{}", origin.recalled ? "~" : "", quantity);
}

std::string published_text(const PublishedTime& time) {
  return published_text(time.origin, duration(time.seconds));
}

std::string source_text(const Origin& origin) {
  return fmt::format("{}, {}", origin.paper.short_name, origin.where);
}

std::optional<double> hardware_seconds(std::string_view group, std::string_view operation) {
  const std::string_view name = published_group(group);
  for (const HardwareEncryption& encryption : published().encryptions) {
    if (encryption.group == name && encryption.operation == operation) return encryption.seconds();
  }
  return std::nullopt;
}

std::optional<std::string> reference_label(const Study& study) {
  const std::vector<std::string> labels = study.labels();
  const auto found = std::ranges::find(labels, "ntl");
  if (found == labels.end() || labels.size() == 1) return std::nullopt;
  return *found;
}

}  // namespace fhe::bench

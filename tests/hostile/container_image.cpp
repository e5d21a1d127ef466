// SPDX-License-Identifier: Apache-2.0
#include "tests/hostile/container_image.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/parameters.hpp"

namespace fhe::hostile {

namespace {

constexpr std::size_t kTableLineBytes = 48;
constexpr std::size_t kKindAt = 10;
constexpr std::size_t kSchemeAt = 16;
constexpr std::size_t kSchemeBytes = 16;
constexpr std::size_t kGroupAt = 32;
constexpr std::size_t kGroupBytes = 32;
constexpr std::size_t kParametersDigestAt = 64;
constexpr std::size_t kKeyIdAt = 96;
constexpr std::size_t kCountAt = 128;
constexpr std::uint8_t kPublicKey = 1;
constexpr std::uint8_t kSecretKey = 2;
constexpr std::uint8_t kProgram = 5;
constexpr std::string_view kParams = "params";

std::uint64_t number(std::span<const std::uint8_t> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

void append_number(ContainerImage::Bytes& out, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

void append(ContainerImage::Bytes& out, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) out.push_back(std::to_integer<std::uint8_t>(byte));
}

std::string_view text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view unpadded(std::string_view field) {
  return field.substr(0, field.find('\0'));
}

void put_padded(std::span<std::uint8_t> field, std::string_view word) {
  std::ranges::fill(field, 0);
  std::copy_n(word.begin(), std::min(word.size(), field.size()), field.begin());
}

void put_digest(std::span<std::uint8_t> field, const Digest& digest) {
  std::memcpy(field.data(), digest.data(), digest.size());
}

// A line of the section table.
ContainerImage::Bytes line_of(const ContainerImage::Section& section) {
  ContainerImage::Bytes line(section.name.begin(), section.name.end());
  append_number(line, section.contents.size(), 8);
  append(line, sha256(text(section.contents)));
  return line;
}

Digest key_id(const ContainerImage& image) {
  Hasher hasher;
  hasher.update(text(std::span(image.head).subspan(kParametersDigestAt, sizeof(Digest))));
  for (const ContainerImage::Section& section : image.sections) {
    if (!section.is(kParams)) hasher.update(text(line_of(section)));
  }
  return hasher.finish();
}

// The id of a secret key of slots: of its group and its primes, each as whole limbs.
Digest slots_key_id(const ParameterSet& group, const ContainerImage::Bytes& primes) {
  const std::size_t bytes = bytes_for_bits(she::Parameters(group).eta);
  Hasher hasher;
  hasher.update("fhe slots key");
  hasher.update(group.digest());
  for (std::size_t at = 0; at + bytes <= primes.size(); at += bytes) {
    const Integer p = from_bytes(std::as_bytes(std::span(primes).subspan(at, bytes)));
    hasher.update(std::as_bytes(limbs_of(p)));
  }
  return hasher.finish();
}

void put_key(std::span<std::uint8_t> head, const ParameterSet& group, const KeyId& id) {
  put_digest(head.subspan(kParametersDigestAt, sizeof(Digest)), group.digest());
  put_digest(head.subspan(kKeyIdAt, sizeof(Digest)), id.digest);
}

}  // namespace

bool ContainerImage::Section::is(std::string_view other) const {
  return unpadded(text(name)) == other;
}

std::optional<ContainerImage> ContainerImage::parse(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kHeadBytes) return std::nullopt;
  ContainerImage image;
  std::ranges::copy(bytes.first(kHeadBytes), image.head.begin());
  const std::uint64_t count = number(bytes.subspan(kCountAt, 4));
  const std::size_t start = kHeadBytes + kTableLineBytes * static_cast<std::size_t>(count) + 32;
  if (count == 0 || count > kMostSections || bytes.size() < start) return std::nullopt;
  auto table = bytes.subspan(kHeadBytes);
  auto rest = bytes.subspan(start);
  for (std::uint64_t i = 0; i < count; ++i) {
    Section section;
    std::ranges::copy(table.first(section.name.size()), section.name.begin());
    const std::uint64_t wanted = number(table.subspan(8, 8));
    const auto length = static_cast<std::size_t>(std::min<std::uint64_t>(wanted, rest.size()));
    section.contents.assign(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length));
    image.sections.push_back(std::move(section));
    table = table.subspan(kTableLineBytes);
    rest = rest.subspan(length);
  }
  return image;
}

void ContainerImage::fit_head() {
  const std::span all(head);
  if (const Section* const params = find(kParams)) {
    try {
      const ParameterSet group = ParameterSet::from_toml(text(params->contents), "params");
      put_padded(all.subspan(kSchemeAt, kSchemeBytes), group.scheme());
      put_padded(all.subspan(kGroupAt, kGroupBytes), group.name());
      put_digest(all.subspan(kParametersDigestAt, sizeof(Digest)), group.digest());
      const Section* const primes = find("p");
      if (head[kKindAt] == kSecretKey && group.purpose() == GroupPurpose::slots && primes) {
        put_digest(all.subspan(kKeyIdAt, sizeof(Digest)), slots_key_id(group, primes->contents));
        return;
      }
    } catch (const Error&) {
      // The head stays what it is.
    }
  }
  if (head[kKindAt] == kPublicKey) {
    put_digest(all.subspan(kKeyIdAt, sizeof(Digest)), key_id(*this));
    return;
  }
  for (const KeyPair& keys : hostile_keys()) {
    if (keys.public_key.parameters().name() != this->group()) continue;
    put_key(all, keys.public_key.parameters(), keys.public_key.id());
  }
  if (head[kKindAt] == kProgram) put_digest(all.subspan(kKeyIdAt, sizeof(Digest)), {});
  for (const she::SecretKey* const key : {&hostile_slots_key(), &hostile_tally_keys().secret_key}) {
    if (key->group().name() == this->group()) put_key(all, key->group(), key->id());
  }
}

ContainerImage::Bytes ContainerImage::bytes() const {
  Bytes out(head.begin(), head.begin() + kCountAt);
  append_number(out, sections.size(), 4);
  out.insert(out.end(), head.begin() + kCountAt + 4, head.end());
  for (const Section& section : sections) {
    const Bytes line = line_of(section);
    out.insert(out.end(), line.begin(), line.end());
  }
  append(out, sha256(text(out)));
  for (const Section& section : sections) {
    out.insert(out.end(), section.contents.begin(), section.contents.end());
  }
  return out;
}

ContainerImage::Section* ContainerImage::find(std::string_view name) {
  const auto found =
      std::ranges::find_if(sections, [name](const Section& section) { return section.is(name); });
  return found == sections.end() ? nullptr : &*found;
}

std::string_view ContainerImage::group() const {
  return unpadded(text(std::span(head).subspan(kGroupAt, kGroupBytes)));
}

namespace {

// The sections of a container but for `params`.
std::vector<ContainerImage::Section> contents_of(std::span<const std::byte> container) {
  auto image = ContainerImage::parse(
      {reinterpret_cast<const std::uint8_t*>(container.data()), container.size()});
  if (!image) return {};
  std::erase_if(image->sections,
                [](const ContainerImage::Section& section) { return section.is(kParams); });
  return std::move(image->sections);
}

}  // namespace

std::map<std::string, ContainerImage::Bytes> sections_of(std::span<const std::byte> container) {
  std::map<std::string, ContainerImage::Bytes> found;
  for (ContainerImage::Section& section : contents_of(container)) {
    found.emplace(unpadded(text(section.name)), std::move(section.contents));
  }
  return found;
}

ContainerImage::Bytes sealed_contents(std::span<const std::byte> secret_key) {
  ContainerImage::Bytes sealed;
  for (const ContainerImage::Section& section : contents_of(secret_key)) {
    sealed.insert(sealed.end(), section.name.begin(), section.name.end());
    append_number(sealed, section.contents.size(), 8);
    sealed.insert(sealed.end(), section.contents.begin(), section.contents.end());
  }
  return sealed;
}

Passphrase hostile_passphrase() {
  return Passphrase("the passphrase of the hostile suite");
}

std::vector<std::byte> with_first_bytes(std::span<const std::uint8_t> container,
                                        std::string_view section,
                                        std::span<const std::byte> first) {
  ContainerImage::Bytes bytes(container.begin(), container.end());
  std::optional<ContainerImage> image = ContainerImage::parse(container);
  if (ContainerImage::Section* const found = image ? image->find(section) : nullptr) {
    const auto placed = first.first(std::min(first.size(), found->contents.size()));
    std::ranges::transform(placed, found->contents.begin(),
                           [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
    bytes = image->bytes();
  }
  const auto view = std::as_bytes(std::span(bytes));
  return {view.begin(), view.end()};
}

const std::vector<KeyPair>& hostile_keys() {
  static const std::vector<KeyPair> keys = [] {
    std::vector<KeyPair> made;
    for (const char* const group : {"cnt-mini", "cnt-mini-digits", "cnt-mini-special", "cmnt-mini",
                                    "cmnt-mini-paper", "gh-mini"}) {
      made.push_back(KeyGenerator(ParameterSet::named(group)).generate(TestSeed{"hostile"}));
    }
    return made;
  }();
  return keys;
}

const dghv::Rung& hostile_rung() {
  static const dghv::Rung rung =
      dghv::make_rung(hostile_keys().front().secret_key, {.eta = 100, .Theta = 3},
                      TestSeed{"hostile"}, open_backend());
  return rung;
}

const she::SecretKey& hostile_slots_key() {
  static const she::SecretKey key =
      she::KeyGenerator(ParameterSet::named("she-mini")).generate(TestSeed{"hostile"});
  return key;
}

const she::KeyPair& hostile_tally_keys() {
  static const she::KeyPair keys = she::KeyGenerator(ParameterSet::resolve(FHE_HOSTILE_TALLY_GROUP))
                                       .generate_pair(TestSeed{"hostile"});
  return keys;
}

}  // namespace fhe::hostile

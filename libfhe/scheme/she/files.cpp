// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/files.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <ostream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/object_sections.hpp"
#include "libfhe/scheme/she/group_rules.hpp"
#include "libfhe/scheme/she/public_sections.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/secret/stack.hpp"

namespace fhe::she {

namespace {

// The numbers of libfhe/storage/FORMAT.md.
constexpr std::size_t kKeySections = 2;
constexpr std::size_t kListSections = 3;
constexpr std::uint64_t kCountBytes = 8;
constexpr std::uint64_t kShapeBytes = 8;  // sign and length of a value
constexpr std::string_view kPrimes = "p";

// A ciphertext in the section `meta`: sign, length, and bound on the noise.
std::uint64_t entry_bytes(const Parameters& p) {
  return kShapeBytes + bytes_for_bits(p.eta);
}

void write_primes(SectionWriter& out, const SecretSlots& contents) {
  out.begin_section(kPrimes);
  for (const Integer& p : contents.primes()) out.write_integer(p, contents.parameters().eta);
}

SecretIntegers read_primes(ContainerReader& in, const Parameters& p) {
  in.require_sections({"params", kPrimes});
  const std::uint64_t bytes = p.slots * bytes_for_bits(p.eta);
  in.open_section(kPrimes, bytes, bytes);
  SecretIntegers primes(p.slots);
  for (Integer& prime : primes.span()) {
    prime = in.read_integer(p.eta);
    if (bit_length(prime) != p.eta || mpz_even_p(prime.get_mpz_t()) != 0) {
      throw in.malformed(fmt::format("a secret prime is not an odd number of {} bits", p.eta));
    }
  }
  in.close_section();
  return primes;
}

WritableObject writable_key(const SecretKey& key) {
  return {.header = object_header(ObjectKind::secret_key, key.group(), key.id()),
          .write = [&key](SectionWriter& out) {
            write_parameters(out, key.group());
            write_primes(out, *key.contents());
          }};
}

WritableObject writable_sealed(const SecretKey& key, const PassphraseLock& lock) {
  return sealed_object(
      key.group(), key.id(), [&](SectionWriter& out) { write_primes(out, *key.contents()); }, lock);
}

SecretKey load_key(ContainerReader in, const AskPassphrase& ask) {
  require_object(in, ObjectKind::secret_key, GroupPurpose::slots);
  const ParameterSet group = read_parameters(in);
  if (in.header().sealed) in.unlock(ask());
  const Parameters parameters(group);
  auto contents =
      std::make_shared<const SecretSlots>(group, read_primes(in, parameters), Monitor());
  if (const auto flaw = contents->flaw()) throw in.malformed(*flaw);
  KeyId id = key_id_of(in.header());
  if (!parameters.has_public_keys() && contents->digest() != id.digest) {
    throw in.malformed("the key id in the header is not the one of the key");
  }
  return {std::move(id), std::move(contents)};
}

WritableObject writable_key(const PublicKey& key) {
  return {.header = object_header(ObjectKind::public_key, key.group(), key.id()),
          .write = [&key, bits = Parameters(key.group()).correction_bits()](SectionWriter& out) {
            write_parameters(out, key.group());
            write_public_sections(out, key.seed(), key.corrections(), bits);
          }};
}

PublicKey load_key(ContainerReader in) {
  require_object(in, ObjectKind::public_key, GroupPurpose::slots);
  ParameterSet group = read_parameters(in);
  const Parameters p(group);
  if (!p.has_public_keys()) throw in.malformed("its parameter group has no public keys");
  in.require_sections({"params", kSeed, kCorrections});
  if (in.computed_key_id() != in.header().key_id) {
    throw in.malformed("the key id in the header is not the one of the key");
  }
  in.open_section(kSeed, kStreamSeedBytes, kStreamSeedBytes);
  const StreamSeed seed = in.read_seed();
  in.close_section();
  const std::uint64_t bytes = bytes_for_bits(p.tau * p.correction_bits());
  in.open_section(kCorrections, bytes, bytes);
  std::vector<Integer> corrections = in.read_packed(p.tau, p.correction_bits());
  in.close_section();
  if (!all_different({corrections})) throw in.malformed("two of its corrections are equal");
  return {std::move(group), key_id_of(in.header()), seed, std::move(corrections)};
}

// A finished, not yet visible file.
ContainerWriter written(const std::filesystem::path& path, const WritableObject& object,
                        std::size_t section_count) {
  ContainerWriter out(path, object.header, section_count);
  object.write(out);
  out.finish();
  return out;
}

void save_pair(const std::filesystem::path& public_path, const PublicKey& public_key,
               ContainerWriter secret_file) {
  ContainerWriter::commit_pair(std::move(secret_file),
                               written(public_path, writable_key(public_key), kListSections));
}

void require_objects(std::size_t count) {
  if (count > 0) return;
  throw Error(ErrorCode::invalid_argument, "a file holds at least one ciphertext; none was given");
}

void write_slots(SectionWriter& out, const std::vector<Slots>& slots, const ParameterSet& group,
                 std::size_t noise_bits) {
  write_parameters(out, group);
  out.begin_section("meta");
  out.write_u64(slots.size());
  for (const Slots& x : slots) {
    out.write_u32(x.value() < 0 ? 1 : 0);
    out.write_u32(static_cast<std::uint32_t>(bit_length(x.value())));
    out.write_integer(x.noise(), noise_bits);
  }
  out.begin_section("values");
  for (const Slots& x : slots) out.write_integer(abs(x.value()), bit_length(x.value()));
}

WritableObject writable_slots(const std::vector<Slots>& slots, const ParameterSet& group,
                              const ReadLimits& limits, std::string_view what = kNamelessObject) {
  require_objects(slots.size());
  require_group(slots.front().key(), group.name());
  const Parameters parameters(group);
  for (const Slots& x : slots) require_slots_of(slots.front().key(), parameters, x);
  require_writable_count(slots.size(), limits, what);
  return {.header = object_header(ObjectKind::ciphertexts, group, slots.front().key()),
          .write = [&slots, &group, bits = parameters.eta](
                       SectionWriter& out) { write_slots(out, slots, group, bits); },
          .limits = limits};
}

// A few bytes must not make a reader take many times as many.
void require_expandable(std::uint64_t count, const Parameters& p, const ReadLimits& limits,
                        std::string_view what) {
  const std::uint64_t each = bytes_for_bits(p.gamma) + entry_bytes(p);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  require_writable_size(container_bytes(kListSections, count > kMost / each ? kMost : count * each),
                        limits, fmt::format("{}, expanded,", what));
}

WritableObject writable_compressed(const CompressedSlots& slots, const ParameterSet& group,
                                   const ReadLimits& limits,
                                   std::string_view what = kNamelessObject) {
  require_group(slots.key(), group.name());
  require_objects(slots.size());
  require_writable_count(slots.size(), limits, what);
  const Parameters parameters(group);
  require_expandable(slots.size(), parameters, limits, what);
  return {.header = object_header(ObjectKind::ciphertexts, group, slots.key()),
          .write =
              [&slots, &group, bits = parameters.correction_bits()](SectionWriter& out) {
                write_parameters(out, group);
                out.begin_section("seeded");
                out.write_u64(slots.size());
                out.write_seed(slots.seed());
                out.begin_section("delta");
                out.write_packed(slots.corrections(), bits);
              },
          .limits = limits};
}

// What the section `meta` says of a ciphertext.
struct Shape {
  bool negative;
  std::uint64_t bits;
  Integer noise;
};

Shape read_shape(ContainerReader& in, const Parameters& p) {
  const std::uint32_t sign = in.read_u32();
  const std::uint32_t bits = in.read_u32();
  Integer noise = in.read_integer(p.eta);
  if (sign > 1 || (sign == 1 && bits == 0)) throw in.malformed("a sign is not 0 or 1");
  if (bits > p.most_bits()) {
    throw in.malformed(fmt::format("a ciphertext of {} bits is longer than the {} that decrypt",
                                   bits, p.most_bits()));
  }
  if (noise > p.noise_limit()) throw in.malformed("a noise bound is above the limit of the group");
  return {sign == 1, bits, std::move(noise)};
}

std::vector<Shape> read_shapes(ContainerReader& in, const Parameters& p) {
  in.open_section("meta", kCountBytes, std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t count = in.read_u64();
  const std::uint64_t rest = in.section_bytes() - kCountBytes;
  if (count == 0 || rest % entry_bytes(p) != 0 || rest / entry_bytes(p) != count) {
    throw in.malformed(
        fmt::format("{} ciphertexts in {} bytes; there must be at least one, and {} bytes for each",
                    count, rest, entry_bytes(p)));
  }
  require_readable_count(in, count);
  std::vector<Shape> shapes;
  for (std::uint64_t i = 0; i < count; ++i) shapes.push_back(read_shape(in, p));
  in.close_section();
  return shapes;
}

std::vector<Slots> read_whole(ContainerReader& in, const Parameters& p, const KeyId& key) {
  in.require_sections({"params", "meta", "values"});
  std::vector<Shape> shapes = read_shapes(in, p);
  std::uint64_t bytes = 0;
  for (const Shape& shape : shapes) bytes += bytes_for_bits(shape.bits);
  in.open_section("values", bytes, bytes);
  std::vector<Slots> slots;
  slots.reserve(shapes.size());
  for (Shape& shape : shapes) {
    Integer value = in.read_integer(shape.bits);
    if (bit_length(value) != shape.bits) {
      throw in.malformed(fmt::format("ciphertext {} does not have the {} bits that it claims",
                                     slots.size(), shape.bits));
    }
    if (shape.negative) value = -value;
    slots.emplace_back(std::move(value), std::move(shape.noise), key);
  }
  in.close_section();
  return slots;
}

CompressedSlots read_compressed(ContainerReader& in, const Parameters& p, const KeyId& key) {
  in.require_sections({"params", "seeded", "delta"});
  constexpr std::uint64_t kSeededBytes = kCountBytes + kStreamSeedBytes;
  in.open_section("seeded", kSeededBytes, kSeededBytes);
  const std::uint64_t count = in.read_u64();
  const StreamSeed seed = in.read_seed();
  in.close_section();
  if (count == 0) throw in.malformed("it holds no ciphertext; there must be at least one");
  require_readable_count(in, count);
  require_expandable(count, p, in.limits(), fmt::format("'{}'", in.name()));
  const std::uint64_t bytes = bytes_for_bits(count * p.correction_bits());
  in.open_section("delta", bytes, bytes);
  std::vector<Integer> corrections = in.read_packed(count, p.correction_bits());
  in.close_section();
  return {seed, std::move(corrections), key};
}

LoadedSlots load(ContainerReader in, const Monitor& monitor) {
  require_object(in, ObjectKind::ciphertexts, GroupPurpose::slots);
  ParameterSet group = read_parameters(in);
  const Parameters parameters(group);
  const KeyId key = key_id_of(in.header());
  const bool compressed = in.sections().size() > 1 && in.sections()[1].name == "seeded";
  std::vector<Slots> slots = compressed
                                 ? read_compressed(in, parameters, key).expand(group, monitor)
                                 : read_whole(in, parameters, key);
  return {std::move(group), std::move(slots), compressed};
}

}  // namespace

void save(const std::filesystem::path& path, const SecretKey& key) {
  const SecretWork work;
  reporting_memory([&] { to_file(path, writable_key(key), kKeySections); });
}

void save(const std::filesystem::path& path, const SecretKey& key, const PassphraseLock& lock) {
  const SecretWork work;
  reporting_memory([&] { to_file(path, writable_sealed(key, lock), kSealedSections); });
}

void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys) {
  const SecretWork work;
  reporting_memory([&] {
    require_two_files(public_path, secret_path);
    save_pair(public_path, keys.public_key,
              written(secret_path, writable_key(keys.secret_key), kKeySections));
  });
}

void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys, const PassphraseLock& lock) {
  const SecretWork work;
  reporting_memory([&] {
    require_two_files(public_path, secret_path);
    save_pair(public_path, keys.public_key,
              written(secret_path, writable_sealed(keys.secret_key, lock), kSealedSections));
  });
}

void save(const std::filesystem::path& path, const PublicKey& key) {
  reporting_memory([&] { to_file(path, writable_key(key), kListSections); });
}

std::vector<std::byte> to_bytes(const PublicKey& key) {
  return reporting_memory([&] { return in_memory<std::vector<std::byte>>(writable_key(key)); });
}

PublicKey load_public_key(const Source& source, const ReadLimits& limits) {
  return reporting_memory([&] { return load_key(ContainerReader(source, limits)); });
}

SecretBytes to_bytes(const SecretKey& key) {
  const SecretWork work;
  return reporting_memory([&] { return in_memory<SecretBytes>(writable_key(key)); });
}

SecretKey load_secret_key(const Source& source, const ReadLimits& limits) {
  return reporting_memory(
      [&] { return she::load_secret_key(source, no_passphrase(source.name()), limits); });
}

SecretKey load_secret_key(const Source& source, const AskPassphrase& ask,
                          const ReadLimits& limits) {
  const SecretWork work;
  return reporting_memory([&] { return load_key(ContainerReader(source, limits), ask); });
}

void save(const std::filesystem::path& path, const std::vector<Slots>& slots,
          const ParameterSet& group, const ReadLimits& limits) {
  reporting_memory([&] {
    to_file(path, writable_slots(slots, group, limits, quoted_path(path)), kListSections);
  });
}

void save(const std::filesystem::path& path, const CompressedSlots& slots,
          const ParameterSet& group, const ReadLimits& limits) {
  reporting_memory([&] {
    to_file(path, writable_compressed(slots, group, limits, quoted_path(path)), kListSections);
  });
}

void save(std::ostream& out, const std::vector<Slots>& slots, const ParameterSet& group,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable_slots(slots, group, limits)); });
}

void save(std::ostream& out, const CompressedSlots& slots, const ParameterSet& group,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable_compressed(slots, group, limits)); });
}

std::vector<std::byte> to_bytes(const std::vector<Slots>& slots, const ParameterSet& group,
                                const ReadLimits& limits) {
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable_slots(slots, group, limits)); });
}

std::vector<std::byte> to_bytes(const CompressedSlots& slots, const ParameterSet& group,
                                const ReadLimits& limits) {
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable_compressed(slots, group, limits)); });
}

LoadedSlots load_slots(const Source& source, const ReadLimits& limits, const Monitor& monitor) {
  return reporting_memory([&] { return load(ContainerReader(source, limits), monitor); });
}

}  // namespace fhe::she

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/files.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <ostream>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/object_sections.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "libfhe/secret/stack.hpp"
#include "libfhe/storage/writable_object.hpp"

namespace fhe {

namespace {

// The numbers of libfhe/storage/FORMAT.md.
constexpr std::uint64_t kMetaStartBytes = 16;
constexpr std::uint64_t kSeededBytes =
    3 * sizeof(std::uint64_t) + NoiseBound::kFileBytes + kStreamSeedBytes;

// What ciphertexts are checked against: the common part of public and secret keys.
struct KeyView {
  const ParameterSet& parameters;
  const KeyId& id;
  const Integer& modulus;
};

KeyView view(const PublicKey& key) {
  return {key.parameters(), key.id(), key.modulus()};
}

KeyView view(const SecretKey& key) {
  return {key.parameters(), key.id(), key.material().modulus()};
}

// The sections of a public or secret key.
template <class Key>
void write_key(SectionWriter& out, const Key& key) {
  write_parameters(out, key.parameters());
  key.material().write(out);
}

// The finished, not yet visible file of a key that is not encrypted.
ContainerWriter written(const std::filesystem::path& path, const PublicKey& key,
                        const Monitor& monitor) {
  ContainerWriter out(path, object_header(ObjectKind::public_key, key.parameters(), key.id()),
                      1 + key.material().section_count());
  WatchedSections watched(out, monitor, "write the public key",
                          sizes_of(key.parameters())->public_key_file);
  write_key(watched, key);
  watched.finish();
  out.finish();
  return out;
}

ContainerWriter written(const std::filesystem::path& path, const SecretKey& key) {
  ContainerWriter out(path, object_header(ObjectKind::secret_key, key.parameters(), key.id()),
                      1 + key.material().section_count());
  write_key(out, key);
  out.finish();
  return out;
}

// Under a passphrase.
WritableObject writable_sealed(const SecretKey& key, const PassphraseLock& lock) {
  return sealed_object(
      key.parameters(), key.id(), [&](SectionWriter& out) { key.material().write(out); }, lock);
}

ContainerWriter written(const std::filesystem::path& path, const SecretKey& key,
                        const PassphraseLock& lock) {
  const WritableObject object = writable_sealed(key, lock);
  ContainerWriter out(path, object.header, kSealedSections);
  object.write(out);
  out.finish();
  return out;
}

template <class Key>
WritableObject writable_key(ObjectKind kind, const Key& key) {
  return {.header = object_header(kind, key.parameters(), key.id()),
          .write = [&key](SectionWriter& out) { write_key(out, key); }};
}

// All that can run out of space happens before either file is visible.
void save_pair(ContainerWriter secret_file, const std::filesystem::path& public_path,
               const KeyPair& keys, const Monitor& monitor) {
  ContainerWriter public_file = written(public_path, keys.public_key, monitor);
  ContainerWriter::commit_pair(std::move(secret_file), std::move(public_file));
}

// Of a key that encrypts bits.
ParameterSet read_group(ContainerReader& in) {
  ParameterSet group = read_parameters(in);
  if (group.makes_keys()) return group;
  throw in.malformed(fmt::format("there are no keys of its parameter group {}, of purpose '{}'",
                                 group.name(), to_string(group.purpose())));
}

struct CiphertextMeta {
  std::uint64_t modulus_bits = 0;
  std::vector<NoiseBound> noise;
};

NoiseBound noise_of_units(const ContainerReader& in, std::uint32_t units) {
  if (units > NoiseBound::kMaxUnits) throw in.malformed("a noise bound is above 2^31 units");
  return NoiseBound::from_units(units);
}

std::uint64_t read_count(ContainerReader& in) {
  const std::uint64_t count = in.read_u64();
  const std::uint64_t noise_bytes = in.section_bytes() - kMetaStartBytes;
  if (count == 0 || noise_bytes % NoiseBound::kFileBytes != 0 ||
      noise_bytes / NoiseBound::kFileBytes != count) {
    throw in.malformed(fmt::format(
        "{} ciphertexts with {} bytes of noise bounds; there must be at least one, and {} "
        "bytes for each",
        count, noise_bytes, NoiseBound::kFileBytes));
  }
  require_readable_count(in, count);
  return count;
}

CiphertextMeta read_meta(ContainerReader& in) {
  in.open_section("meta", kMetaStartBytes, std::numeric_limits<std::uint64_t>::max());
  const std::uint64_t count = read_count(in);
  CiphertextMeta meta{.modulus_bits = in.read_u64(), .noise = {}};
  for (const std::uint32_t units : in.read_u32s(count)) {
    meta.noise.push_back(noise_of_units(in, units));
  }
  in.close_section();
  return meta;
}

// Whose ciphertexts they are; says so before anything else is looked at.
void require_key(const ContainerReader& in, const KeyView& key) {
  const std::string what = fmt::format("the file '{}'", in.name());
  require_same_key(key.id, key_id_of(in.header()), what);
  if (in.header().scheme != key.parameters.scheme() ||
      in.header().parameters_digest != key.parameters.digest()) {
    throw in.malformed("its parameter group has the name of the key's, but is another one");
  }
}

// Of `count` numbers of so many bits; 2^64 - 1 when that is no size.
std::uint64_t values_bytes(std::uint64_t count, std::uint64_t modulus_bits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  if (modulus_bits > kMax - 7) return kMax;
  const std::uint64_t value_bytes = bytes_for_bits(modulus_bits);
  return value_bytes != 0 && count > kMax / value_bytes ? kMax : count * value_bytes;
}

// The sections `meta` and `values` of so many ciphertexts.
std::uint64_t list_bytes(std::uint64_t ciphertexts, std::uint64_t modulus_bits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t kNoiseBits = 8 * NoiseBound::kFileBytes;
  if (modulus_bits > kMax - kNoiseBits) return kMax;
  const std::uint64_t lists = values_bytes(ciphertexts, modulus_bits + kNoiseBits);
  return lists > kMax - kMetaStartBytes ? kMax : kMetaStartBytes + lists;
}

// A packed list of so many entries; 2^64 - 1 when that is no size.
std::uint64_t packed_bytes(std::uint64_t count, std::uint64_t bits) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return bits != 0 && count > (kMax - 7) / bits ? kMax : bytes_for_bits(count * bits);
}

void open_values(ContainerReader& in, const CiphertextMeta& meta) {
  if (meta.modulus_bits == 0) throw in.malformed("its ciphertexts have 0 bits");
  const std::uint64_t bytes = values_bytes(meta.noise.size(), meta.modulus_bits);
  in.open_section("values", bytes, bytes);
}

std::vector<Ciphertext> read_values(ContainerReader& in, const CiphertextMeta& meta,
                                    const KeyView& key) {
  const std::uint64_t count = meta.noise.size();
  open_values(in, meta);
  std::vector<Ciphertext> ciphertexts;
  ciphertexts.reserve(count);
  for (const NoiseBound noise : meta.noise) {
    Integer value = in.read_integer(meta.modulus_bits);
    if (value >= key.modulus) {
      throw in.malformed(
          fmt::format("ciphertext {} is not below the key's modulus", ciphertexts.size()));
    }
    ciphertexts.emplace_back(std::move(value), noise, key.id);
  }
  in.close_section();
  return ciphertexts;
}

void require_modulus_bits(const ContainerReader& in, std::uint64_t bits, const KeyView& key) {
  if (bits == bit_length(key.modulus)) return;
  throw in.malformed(fmt::format("its ciphertexts have {} bits, the key's modulus has {}", bits,
                                 bit_length(key.modulus)));
}

// The sections `meta` and `values`.
std::vector<Ciphertext> read_sections(ContainerReader& in, const KeyView& key) {
  const CiphertextMeta meta = read_meta(in);
  require_modulus_bits(in, meta.modulus_bits, key);
  return read_values(in, meta, key);
}

// The section `seeded` of compressed ciphertexts.
struct SeededMeta {
  std::uint64_t count = 0;
  std::uint64_t modulus_bits = 0;
  std::uint64_t correction_bits = 0;
  NoiseBound noise;
  StreamSeed seed{};
};

bool is_compressed(const ContainerReader& in) {
  return in.sections().front().name == "seeded";
}

SeededMeta read_seeded(ContainerReader& in) {
  in.require_sections({"seeded", "delta"});
  in.open_section("seeded", kSeededBytes, kSeededBytes);
  SeededMeta meta;
  meta.count = in.read_u64();
  meta.modulus_bits = in.read_u64();
  meta.correction_bits = in.read_u64();
  meta.noise = noise_of_units(in, in.read_u32());
  meta.seed = in.read_seed();
  if (meta.count == 0) throw in.malformed("it holds no ciphertext; there must be at least one");
  in.close_section();
  require_readable_count(in, meta.count);
  return meta;
}

// What a compressed file is held to: that its ciphertexts, expanded, are within the limits of a
// file. A few bytes must not make a reader take a thousand times as many.
void require_expandable(const SeededMeta& meta, const ReadLimits& limits, std::string_view what) {
  require_writable_size(container_bytes(2, list_bytes(meta.count, meta.modulus_bits)), limits,
                        fmt::format("{}, expanded,", what));
}

std::optional<CompressedForm> form_of(const KeyView& key) {
  return scheme_named(key.parameters.scheme()).compressed_form(key.parameters);
}

CompressedForm readable_form(const ContainerReader& in, const KeyView& key) {
  if (const auto form = form_of(key)) return *form;
  throw in.malformed("its scheme has no compressed ciphertexts");
}

CompressedCiphertexts read_compressed(ContainerReader& in, const KeyView& key) {
  const std::size_t bits = readable_form(in, key).correction_bits;
  const SeededMeta meta = read_seeded(in);
  require_modulus_bits(in, meta.modulus_bits, key);
  if (meta.correction_bits != bits) {
    throw in.malformed(fmt::format("its corrections have {} bits, those of the group have {}",
                                   meta.correction_bits, bits));
  }
  require_expandable(meta, in.limits(), fmt::format("'{}'", in.name()));
  const std::uint64_t bytes = packed_bytes(meta.count, bits);
  in.open_section("delta", bytes, bytes);
  std::vector<Integer> corrections = in.read_packed(meta.count, bits);
  in.close_section();
  return {meta.seed, std::move(corrections), meta.noise, key.id};
}

std::vector<Ciphertext> load(ContainerReader in, const KeyView& key) {
  require_object(in, ObjectKind::ciphertexts, GroupPurpose::scheme);
  require_key(in, key);
  if (is_compressed(in)) {
    return read_compressed(in, key).expand(readable_form(in, key), key.modulus, Monitor());
  }
  in.require_sections({"meta", "values"});
  return read_sections(in, key);
}

CompressedCiphertexts load_compressed(ContainerReader in, const KeyView& key) {
  require_object(in, ObjectKind::ciphertexts, GroupPurpose::scheme);
  require_key(in, key);
  if (is_compressed(in)) return read_compressed(in, key);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' holds whole ciphertexts, not compressed ones", in.name()));
}

PublicKey load_public(ContainerReader in, const Monitor& monitor) {
  require_object(in, ObjectKind::public_key, GroupPurpose::scheme);
  in.watch(monitor, "read the public key");
  ParameterSet parameters = read_group(in);
  if (in.computed_key_id() != in.header().key_id) {
    throw in.malformed("the key id in the header is not the one of the key");
  }
  auto material = scheme_named(parameters.scheme()).read_public(parameters, in);
  return {std::move(parameters), key_id_of(in.header()), std::move(material)};
}

SecretKey load_secret(ContainerReader in, const AskPassphrase& ask) {
  require_object(in, ObjectKind::secret_key, GroupPurpose::scheme);
  ParameterSet parameters = read_group(in);
  if (in.header().sealed) in.unlock(ask());
  auto material = scheme_named(parameters.scheme()).read_secret(parameters, in);
  return {std::move(parameters), key_id_of(in.header()), std::move(material)};
}

// What FileSummary says of whole ciphertexts, and of compressed ones.
std::vector<NoiseBound> read_whole_noise(ContainerReader& in) {
  in.require_sections({"meta", "values"});
  CiphertextMeta meta = read_meta(in);
  open_values(in, meta);
  return std::move(meta.noise);
}

std::vector<NoiseBound> read_compressed_noise(ContainerReader& in) {
  const SeededMeta meta = read_seeded(in);
  const std::uint64_t bytes = packed_bytes(meta.count, meta.correction_bits);
  in.open_section("delta", bytes, bytes);
  return std::vector<NoiseBound>(meta.count, meta.noise);
}

void require_any(std::size_t ciphertexts) {
  if (ciphertexts > 0) return;
  throw Error(ErrorCode::invalid_argument, "a file holds at least one ciphertext; none was given");
}

void check_ciphertexts(const std::vector<Ciphertext>& ciphertexts, const PublicKey& key) {
  require_any(ciphertexts.size());
  for (const Ciphertext& c : ciphertexts) require_ciphertext_of(key.id(), key.modulus(), c);
}

// The section `seeded` of compressed ciphertexts that may be written within the limits.
SeededMeta seeded_meta(const CompressedCiphertexts& compressed, const KeyView& key,
                       const ReadLimits& limits, std::string_view what) {
  require_same_key(key.id, compressed.key(), "the compressed ciphertext");
  require_any(compressed.size());
  const auto form = form_of(key);
  if (!form) throw no_compressed_form();
  const SeededMeta meta{.count = compressed.size(),
                        .modulus_bits = bit_length(key.modulus),
                        .correction_bits = form->correction_bits,
                        .noise = compressed.noise(),
                        .seed = compressed.seed()};
  require_writable_count(meta.count, limits, what);
  require_expandable(meta, limits, what);
  return meta;
}

void write_compressed(SectionWriter& out, const CompressedCiphertexts& compressed,
                      const SeededMeta& meta) {
  out.begin_section("seeded");
  out.write_u64(meta.count);
  out.write_u64(meta.modulus_bits);
  out.write_u64(meta.correction_bits);
  out.write_u32(meta.noise.units());
  out.write_seed(meta.seed);
  out.begin_section("delta");
  out.write_packed(compressed.corrections(), meta.correction_bits);
}

WritableObject writable_compressed(const CompressedCiphertexts& compressed, const KeyView& key,
                                   const ReadLimits& limits,
                                   std::string_view what = kNamelessObject) {
  return {.header = object_header(ObjectKind::ciphertexts, key.parameters, key.id),
          .write = [&compressed, meta = seeded_meta(compressed, key, limits, what)](
                       SectionWriter& out) { write_compressed(out, compressed, meta); },
          .limits = limits};
}

WritableObject writable_ciphertexts(const std::vector<Ciphertext>& ciphertexts,
                                    const PublicKey& key, const ReadLimits& limits,
                                    std::string_view what = kNamelessObject) {
  check_ciphertexts(ciphertexts, key);
  require_savable(ciphertexts.size(), key, limits, what);
  return {.header = file_header(ObjectKind::ciphertexts, key),
          .write = [&key, all = pointers_to(ciphertexts)](
                       SectionWriter& out) { write_ciphertexts(out, all, key); },
          .limits = limits};
}

// A list of ciphertexts, whole or compressed.
void list_to_file(const std::filesystem::path& path, const WritableObject& list) {
  constexpr std::size_t kSections = 2;
  to_file(path, list, kSections);
}

// Whether ciphertexts bring their group with them, as those of numbers in slots do
// (she/files.hpp).
bool has_group(const ContainerReader& in) {
  return in.sections().front().name == "params";
}

FileSummary summary_of(ContainerReader in) {
  FileSummary summary{in.header(), in.file_bytes(), {}, {}, false};
  for (const SectionEntry& entry : in.sections()) {
    summary.sections.emplace_back(entry.name, entry.bytes);
  }
  if (in.header().kind == ObjectKind::ciphertexts && !has_group(in)) {
    summary.compressed = is_compressed(in);
    summary.noise = summary.compressed ? read_compressed_noise(in) : read_whole_noise(in);
  }
  in.skip_rest();
  return summary;
}

}  // namespace

void save(const std::filesystem::path& path, const PublicKey& key, const Monitor& monitor) {
  reporting_memory([&] { written(path, key, monitor).commit(); });
}

void save(const std::filesystem::path& path, const SecretKey& key) {
  const SecretWork work;
  reporting_memory([&] { written(path, key).commit(); });
}

void save(const std::filesystem::path& path, const SecretKey& key, const PassphraseLock& lock) {
  const SecretWork work;
  reporting_memory([&] { written(path, key, lock).commit(); });
}

void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys, const Monitor& monitor) {
  const SecretWork work;
  reporting_memory([&] {
    require_two_files(public_path, secret_path);
    save_pair(written(secret_path, keys.secret_key), public_path, keys, monitor);
  });
}

void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys, const PassphraseLock& lock, const Monitor& monitor) {
  const SecretWork work;
  reporting_memory([&] {
    require_two_files(public_path, secret_path);
    save_pair(written(secret_path, keys.secret_key, lock), public_path, keys, monitor);
  });
}

void save(const std::filesystem::path& path, const std::vector<Ciphertext>& ciphertexts,
          const PublicKey& key, const ReadLimits& limits) {
  reporting_memory([&] {
    list_to_file(path, writable_ciphertexts(ciphertexts, key, limits, quoted_path(path)));
  });
}

void require_savable(std::uint64_t ciphertexts, const PublicKey& key, const ReadLimits& limits,
                     std::string_view what) {
  require_writable_count(ciphertexts, limits, what);
  require_writable_size(container_bytes(2, ciphertexts_bytes(ciphertexts, key)), limits, what);
}

std::uint64_t ciphertexts_bytes(std::uint64_t ciphertexts, const PublicKey& key) {
  return list_bytes(ciphertexts, bit_length(key.modulus()));
}

void require_writable_count(std::uint64_t ciphertexts, const ReadLimits& limits,
                            std::string_view what) {
  if (ciphertexts <= limits.max_ciphertexts) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} would hold {} ciphertexts, more than the {} that can be read back: "
                          "raise max_ciphertexts (--max-ciphertexts), here and where the file is "
                          "read",
                          what, ciphertexts, limits.max_ciphertexts));
}

ObjectHeader file_header(ObjectKind kind, const PublicKey& key) {
  return object_header(kind, key.parameters(), key.id());
}

std::vector<const Ciphertext*> pointers_to(const std::vector<Ciphertext>& ciphertexts) {
  std::vector<const Ciphertext*> pointers;
  pointers.reserve(ciphertexts.size());
  for (const Ciphertext& c : ciphertexts) pointers.push_back(&c);
  return pointers;
}

void write_ciphertexts(SectionWriter& out, const std::vector<const Ciphertext*>& ciphertexts,
                       const PublicKey& key) {
  const std::size_t bits = bit_length(key.modulus());
  out.begin_section("meta");
  out.write_u64(ciphertexts.size());
  out.write_u64(bits);
  std::vector<std::uint32_t> noise;
  noise.reserve(ciphertexts.size());
  for (const Ciphertext* c : ciphertexts) noise.push_back(c->noise().units());
  out.write_u32s(noise);
  out.begin_section("values");
  for (const Ciphertext* c : ciphertexts) out.write_integer(c->value(), bits);
}

void require_file_of(const ContainerReader& in, const PublicKey& key) {
  require_key(in, view(key));
}

std::vector<Ciphertext> read_ciphertexts(ContainerReader& in, const PublicKey& key) {
  return read_sections(in, view(key));
}

void save(const std::filesystem::path& path, const CompressedCiphertexts& compressed,
          const SecretKey& key, const ReadLimits& limits) {
  reporting_memory([&] {
    list_to_file(path, writable_compressed(compressed, view(key), limits, quoted_path(path)));
  });
}

void save(const std::filesystem::path& path, const CompressedCiphertexts& compressed,
          const PublicKey& key, const ReadLimits& limits) {
  reporting_memory([&] {
    list_to_file(path, writable_compressed(compressed, view(key), limits, quoted_path(path)));
  });
}

void save(std::ostream& out, const PublicKey& key) {
  reporting_memory([&] { to_stream(out, writable_key(ObjectKind::public_key, key)); });
}

void save(std::ostream& out, const SecretKey& key) {
  const SecretWork work;
  reporting_memory([&] { to_stream(out, writable_key(ObjectKind::secret_key, key)); });
}

void save(std::ostream& out, const SecretKey& key, const PassphraseLock& lock) {
  const SecretWork work;
  reporting_memory([&] { to_stream(out, writable_sealed(key, lock)); });
}

void save(std::ostream& out, const std::vector<Ciphertext>& ciphertexts, const PublicKey& key,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable_ciphertexts(ciphertexts, key, limits)); });
}

void save(std::ostream& out, const CompressedCiphertexts& compressed, const SecretKey& key,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable_compressed(compressed, view(key), limits)); });
}

void save(std::ostream& out, const CompressedCiphertexts& compressed, const PublicKey& key,
          const ReadLimits& limits) {
  reporting_memory([&] { to_stream(out, writable_compressed(compressed, view(key), limits)); });
}

std::vector<std::byte> to_bytes(const PublicKey& key) {
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable_key(ObjectKind::public_key, key)); });
}

SecretBytes to_bytes(const SecretKey& key) {
  const SecretWork work;
  return reporting_memory(
      [&] { return in_memory<SecretBytes>(writable_key(ObjectKind::secret_key, key)); });
}

std::vector<std::byte> to_bytes(const SecretKey& key, const PassphraseLock& lock) {
  const SecretWork work;
  return reporting_memory(
      [&] { return in_memory<std::vector<std::byte>>(writable_sealed(key, lock)); });
}

std::vector<std::byte> to_bytes(const std::vector<Ciphertext>& ciphertexts, const PublicKey& key,
                                const ReadLimits& limits) {
  return reporting_memory([&] {
    return in_memory<std::vector<std::byte>>(writable_ciphertexts(ciphertexts, key, limits));
  });
}

std::vector<std::byte> to_bytes(const CompressedCiphertexts& compressed, const SecretKey& key,
                                const ReadLimits& limits) {
  return reporting_memory([&] {
    return in_memory<std::vector<std::byte>>(writable_compressed(compressed, view(key), limits));
  });
}

std::vector<std::byte> to_bytes(const CompressedCiphertexts& compressed, const PublicKey& key,
                                const ReadLimits& limits) {
  return reporting_memory([&] {
    return in_memory<std::vector<std::byte>>(writable_compressed(compressed, view(key), limits));
  });
}

PublicKey load_public_key(const Source& source, const ReadLimits& limits, const Monitor& monitor) {
  return reporting_memory([&] { return load_public(ContainerReader(source, limits), monitor); });
}

SecretKey load_secret_key(const Source& source, const ReadLimits& limits) {
  return reporting_memory(
      [&] { return load_secret_key(source, no_passphrase(source.name()), limits); });
}

SecretKey load_secret_key(const Source& source, const AskPassphrase& ask,
                          const ReadLimits& limits) {
  const SecretWork work;
  return reporting_memory([&] { return load_secret(ContainerReader(source, limits), ask); });
}

std::vector<Ciphertext> load_ciphertexts(const Source& source, const PublicKey& key,
                                         const ReadLimits& limits) {
  return reporting_memory([&] { return load(ContainerReader(source, limits), view(key)); });
}

std::vector<Ciphertext> load_ciphertexts(const Source& source, const SecretKey& key,
                                         const ReadLimits& limits) {
  return reporting_memory([&] { return load(ContainerReader(source, limits), view(key)); });
}

CompressedCiphertexts load_compressed_ciphertexts(const Source& source, const PublicKey& key,
                                                  const ReadLimits& limits) {
  return reporting_memory(
      [&] { return load_compressed(ContainerReader(source, limits), view(key)); });
}

CompressedCiphertexts load_compressed_ciphertexts(const Source& source, const SecretKey& key,
                                                  const ReadLimits& limits) {
  return reporting_memory(
      [&] { return load_compressed(ContainerReader(source, limits), view(key)); });
}

FileSummary summarize(const Source& source, const ReadLimits& limits) {
  return reporting_memory([&] { return summary_of(ContainerReader(source, limits)); });
}

}  // namespace fhe

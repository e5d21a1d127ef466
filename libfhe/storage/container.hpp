// SPDX-License-Identifier: Apache-2.0
// The one container for keys of all kinds, ciphertexts, checkpoints and programs: a checked header
// and a few checked sections. The byte layout is specified in FORMAT.md beside this file.
//
// Readers trust nothing: sizes are checked against the file and against the caller's limits before
// anything is allocated, digests before a section counts as read, and every error names the file
// and the byte and says what to do. Threads: one at a time per object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "libfhe/arith/integer.hpp"
#include "libfhe/error.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/digest.hpp"
#include "libfhe/storage/sealing.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

// What a file holds. The numbers are part of the format.
enum class ObjectKind : std::uint16_t {
  public_key = 1,
  secret_key = 2,
  ciphertexts = 3,
  checkpoint = 4,
  program = 5,
  switching_key = 6,
};

// The name of a kind: "public key", "secret key", "ciphertexts", "checkpoint", "program",
// "switching key".
FHE_EXPORT std::string_view to_string(ObjectKind kind);

// How many bytes of a file announced_kind() needs.
inline constexpr std::size_t kAnnouncingBytes = 12;

// The kind of object that a file claims to hold by its first kAnnouncingBytes bytes, for programs
// that pass files on without reading them; nothing for a start that is shorter or not that of a
// container. More bytes may follow.
[[nodiscard]] FHE_EXPORT std::optional<ObjectKind> announced_kind(std::span<const std::byte> start);

// How many bytes of a file announced_scheme() needs, and the scheme that the object claims to be of
// by them; nothing where announced_kind() says nothing, and for a name that no header can have.
inline constexpr std::size_t kSchemeAnnouncingBytes = 32;
[[nodiscard]] FHE_EXPORT std::optional<std::string> announced_scheme(
    std::span<const std::byte> start);

// What the header says about the object.
struct FHE_EXPORT ObjectHeader {
  ObjectKind kind = ObjectKind::public_key;  // what the file holds
  bool test_key = false;       // made from deterministic test secrets, or of such a key
  bool sealed = false;         // a secret key whose values are encrypted under a passphrase
  std::string scheme;          // at most 15 printable ASCII characters, such as "cnt"
  std::string parameters;      // name of the parameter group, at most 31 characters
  Digest parameters_digest{};  // of the group's canonical text
  Digest key_id{};             // of the key that the object is or belongs to; of a program, zeros

  friend bool operator==(const ObjectHeader&, const ObjectHeader&) = default;
};

// Upper limits for readers and writers: what is written within some limits can be read with the
// same ones, and the defaults are the same for both. They allow for a checkpoint of 27,000
// ciphertexts of the largest group, and for the largest published key (2.25 GB) many times over.
// `fhe` sets them by --max-file-bytes and --max-ciphertexts.
struct FHE_EXPORT ReadLimits {
  std::uint64_t max_file_bytes = std::uint64_t{1} << 36;   // of the whole file
  std::uint64_t max_ciphertexts = std::uint64_t{1} << 20;  // in one file
};

// The size in bytes of a container of `section_count` sections with `contents` bytes in all, or
// 2^64 - 1 when it would be larger than that.
[[nodiscard]] FHE_EXPORT std::uint64_t container_bytes(std::size_t section_count,
                                                       std::uint64_t contents);

// Throws Error(invalid_argument) unless a file of `bytes` bytes, which is about to be written, is
// within the limits; `what` names it at the start of the message.
FHE_EXPORT void require_writable_size(std::uint64_t bytes, const ReadLimits& limits,
                                      std::string_view what);

// Bytes of a public seed in a file, with the name of its generator before it.
inline constexpr std::size_t kStreamSeedBytes = 16 + std::tuple_size_v<StreamSeed>;

// Where an object writes its sections to: a file, or a digest. Copies made on the way are wiped,
// except those of packed lists, so secrets do not belong in packed lists. A value outside its
// documented range is an Error(invalid_argument).
class FHE_EXPORT SectionWriter {
 public:
  virtual ~SectionWriter() = default;

  // Starts the next section. Names are 1 to 8 printable ASCII characters, distinct; at most 16
  // sections.
  virtual void begin_section(std::string_view name) = 0;

  // Appends to the section that was started last.
  virtual void write(std::span<const std::byte> bytes) = 0;

  // The bytes of `text`, without its length.
  void write_text(std::string_view text);
  // Printable ASCII `text` and zeros, `width` bytes in all. Requires text.size() < width.
  void write_padded(std::string_view text, std::size_t width);
  // A number of 4 or 8 bytes, little-endian as all numbers of the format.
  void write_u32(std::uint32_t value);
  void write_u64(std::uint64_t value);
  // Many numbers of 4 bytes, in one call.
  void write_u32s(std::span<const std::uint32_t> values);
  // An integer of ceil(bits / 8) bytes. Requires 0 <= value < 2^bits.
  void write_integer(const Integer& value, std::size_t bits);
  // The name of the generator of public streams, and a seed: kStreamSeedBytes.
  void write_seed(const StreamSeed& seed);
  // A packed list of integers of `bits` bits. Requires 0 <= value < 2^bits for each.
  void write_packed(std::span<const Integer> values, std::size_t bits);
};

// A line of the section table.
struct FHE_EXPORT SectionEntry {
  std::string name;         // 1 to 8 printable ASCII characters
  std::uint64_t bytes = 0;  // length of the contents
  Digest digest{};          // of the contents
};

// The lines of a section table while the sections are being written.
class FHE_EXPORT SectionTable final : public SectionWriter {
 public:
  void begin_section(std::string_view name) override;
  void write(std::span<const std::byte> bytes) override;

  // Number of sections so far.
  [[nodiscard]] std::size_t size() const { return sections_.size(); }

  // The finished lines; nothing can be written afterwards.
  [[nodiscard]] std::vector<SectionEntry> finish();

 private:
  struct Section {
    SectionEntry entry;
    Hasher hasher;
  };
  std::vector<Section> sections_;
};

// Computes the id of a public key from the sections that it writes (FORMAT.md, "Key id").
class FHE_EXPORT KeyIdHasher final : public SectionWriter {
 public:
  void begin_section(std::string_view name) override { table_.begin_section(name); }
  void write(std::span<const std::byte> bytes) override { table_.write(bytes); }
  // The id, for a key of the group with this digest; nothing can be written afterwards.
  [[nodiscard]] Digest finish(const Digest& parameters_digest);

 private:
  SectionTable table_;
};

// Collects the sections of a secret key and writes them encrypted under a passphrase (FORMAT.md,
// "Under a passphrase"). What was collected is overwritten before it is freed.
class FHE_EXPORT SealedSections final : public SectionWriter {
 public:
  void begin_section(std::string_view name) override;
  void write(std::span<const std::byte> bytes) override;

  // Writes the sections `lock` and `sealed` of an object with this header.
  void write_to(SectionWriter& out, const ObjectHeader& header, const Passphrase& passphrase,
                const ScryptCost& cost);

 private:
  struct Section {
    std::string name;
    SecretBytes contents;
  };
  std::vector<Section> sections_;
};

// Writes a container section by section; nothing is visible until commit().
class FHE_EXPORT ContainerWriter final : public SectionWriter {
 public:
  // Starts a file of `section_count` sections. Those of secret keys are created with owner-only
  // access. Throws as AtomicFile, and Error(invalid_argument) for values that a header cannot hold.
  ContainerWriter(const std::filesystem::path& target, const ObjectHeader& header,
                  std::size_t section_count, const ReadLimits& limits = {});

  void begin_section(std::string_view name) override;
  // Throws Error(invalid_argument) when the file would exceed the limits.
  void write(std::span<const std::byte> bytes) override;

  // Completes the header with lengths and digests and flushes everything to the disk, still under
  // the temporary name; only commit() can follow. commit() calls it if needed.
  void finish();

  // Makes the file visible under its name.
  void commit();
  // The same for a file that grows (AtomicFile::commit_growing), which it returns: other containers
  // may be written behind this one. Nothing else can follow.
  [[nodiscard]] AtomicFile commit_growing();

  // Makes two files of one directory visible in one step, as AtomicFile::commit_pair does.
  static void commit_pair(ContainerWriter first, ContainerWriter second);

 private:
  AtomicFile file_;
  ObjectHeader header_;
  std::size_t section_count_;
  ReadLimits limits_;
  std::uint64_t file_bytes_;  // so far, header included
  SectionTable table_;
  bool finished_ = false;
};

// Writes the sections of an object. It may be called several times and writes the same each time.
using WriteSections = std::function<void(SectionWriter&)>;

// Takes the next bytes of a container.
using TakeBytes = std::function<void(std::span<const std::byte>)>;

// A container from its first byte to its last, for what cannot go back to the header: `write` is
// called once for lengths and digests, `start` with the size of it all, and `write` again. Throws
// Error(invalid_argument) when it would exceed the limits; `what` names it at the start of the
// message.
FHE_EXPORT void write_container(const ObjectHeader& header, const WriteSections& write,
                                const std::function<void(std::uint64_t)>& start,
                                const TakeBytes& take, const ReadLimits& limits,
                                std::string_view what);

// Reads a container. Sections are read in any order, one at a time, each from its beginning;
// require_sections says which ones the file of an object must have, and in which order. Copies made
// on the way are wiped, except those of packed lists.
class FHE_EXPORT ContainerReader {
 public:
  // Opens the source and checks header, section table and total size; of a stream, whose size only
  // its end tells, the size that the header states is held to the limits, and sections can only be
  // read in the order of the table. Throws Error(io) when it cannot be read, Error(malformed_file)
  // when it is not a whole, unaltered container of a known version, Error(invalid_argument) when it
  // exceeds the limits. Nothing may follow in a source that has an end, except behind a checkpoint
  // (FORMAT.md), where it is not read.
  explicit ContainerReader(const Source& source, const ReadLimits& limits = {});

  // The header, the name of the source, the size, the limits, and the section table, which unlock()
  // changes.
  [[nodiscard]] const ObjectHeader& header() const { return header_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }
  [[nodiscard]] const ReadLimits& limits() const { return limits_; }
  [[nodiscard]] const std::vector<SectionEntry>& sections() const { return sections_; }

  // From now on reading sections is a phase that `monitor` watches: read() throws Error(stopped).
  // Monitor and phase must outlive the reader.
  void watch(const Monitor& monitor, std::string_view phase);

  // Decrypts the sections that are encrypted under the passphrase: they take the places of `lock`
  // and `sealed`. Takes the time and memory of scrypt at the cost that the file states, which is
  // bounded. Requires header().sealed. Throws Error(wrong_key) for another passphrase (or an
  // altered file: the two look the same), Error(malformed_file) for impossible values.
  void unlock(const Passphrase& passphrase);

  // Throws Error(malformed_file) unless these are the sections, in this order.
  void require_sections(const std::vector<std::string_view>& names) const;

  // Goes to the start of a section; throws Error(malformed_file) when it is missing or its length
  // is outside [min_bytes, max_bytes].
  void open_section(std::string_view name, std::uint64_t min_bytes, std::uint64_t max_bytes);

  // Length in bytes of the open section.
  [[nodiscard]] std::uint64_t section_bytes() const;

  // Reads the next bytes of the open section: raw, as text, or as little-endian numbers. Throws
  // Error(malformed_file) past the end of the section.
  void read(std::span<std::byte> out);
  std::string read_text(std::size_t bytes);
  std::uint32_t read_u32();
  std::uint64_t read_u64();
  SecretIndices read_u32s(std::size_t count);
  // Printable ASCII text and at least one zero after it, `width` bytes in all; throws
  // Error(malformed_file) for anything else.
  std::string read_padded(std::size_t width);
  // A seed of public streams; throws Error(malformed_file) for one of another generator.
  StreamSeed read_seed();
  // An integer of ceil(bits / 8) bytes; throws Error(malformed_file) when it is not below 2^bits.
  Integer read_integer(std::size_t bits);
  // A packed list; throws Error(malformed_file) when the unused bits of its last byte are not 0.
  std::vector<Integer> read_packed(std::size_t count, std::size_t bits);

  // The id of a public key, computed from the section table (FORMAT.md, "Key id").
  [[nodiscard]] Digest computed_key_id() const;

  // Must follow the last read of a section: throws Error(malformed_file) unless all of it was read
  // and its digest is that of the section table. Only then do the values count.
  void close_section();

  // Goes behind the last section, where a stream is to be left that was not read in full. Throws as
  // read().
  void skip_rest();

  // The error to throw when what was read is impossible: it names the file, the open section and
  // the byte reached in the file (only the file when no section is open).
  [[nodiscard]] Error malformed(const std::string& what) const;

 private:
  void require_bytes_within_limits() const;
  void read_header();
  void check_format(std::span<const std::byte> start) const;
  void decode_fields(std::span<const std::byte> header);
  void decode_table(std::span<const std::byte> table);
  void settle_file_bytes(std::uint64_t sections_start);
  [[nodiscard]] std::string decode_text(std::span<const std::byte> field, std::size_t max_chars,
                                        std::uint64_t offset) const;
  void read_at(std::uint64_t offset, std::span<std::byte> out);
  [[nodiscard]] std::vector<std::byte> read_section(std::string_view name, std::uint64_t min_bytes,
                                                    std::uint64_t max_bytes);
  void list_opened();
  [[nodiscard]] bool is_opened(const SectionEntry& entry) const;
  void require_left(std::uint64_t bytes) const;
  [[nodiscard]] Error truncated(std::uint64_t wanted, std::uint64_t found) const;
  [[nodiscard]] Error malformed_at(std::uint64_t offset, const std::string& what) const;

  std::string name_;
  ReadLimits limits_;
  std::unique_ptr<OpenSource> source_;
  std::uint64_t file_bytes_ = 0;
  ObjectHeader header_;
  std::vector<SectionEntry> sections_;
  const SectionEntry* open_ = nullptr;
  std::uint64_t section_offset_ = 0;  // of the open section in the file
  std::uint64_t position_ = 0;        // inside the open section
  SecretBytes opened_;                // what was encrypted; empty before unlock()
  std::uint64_t opened_offset_ = 0;   // of the open section's contents in it
  Hasher hasher_;
  std::unique_ptr<Progress> progress_;  // in bytes; none where nobody watches
};

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/container.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/storage/temporary_file.hpp"

namespace fhe {

namespace {

// The numbers of FORMAT.md.
constexpr std::string_view kMagic =
    "\x89"
    "FHE\r\n\x1a\n";
constexpr std::uint16_t kVersion = 1;
constexpr std::uint16_t kFirstKind = 1;
constexpr std::uint16_t kLastKind = 6;
constexpr std::uint32_t kTestKeyFlag = 1;
constexpr std::uint32_t kSealedFlag = 2;
constexpr std::uint32_t kKnownFlags = kTestKeyFlag | kSealedFlag;
constexpr std::string_view kSealName = "scrypt-aes256gcm-v1";
constexpr std::size_t kSealNameBytes = 32;
constexpr std::size_t kLockBytes = kSealNameBytes + 12 + 16 + 12;
constexpr std::uint64_t kMostSealedBytes = (std::uint64_t{1} << 30) - 1;
constexpr std::size_t kSealedSections = 3;  // of the file: params, lock, sealed
constexpr std::size_t kInnerHeadingBytes = 16;
constexpr std::size_t kSchemeBytes = 16;
constexpr std::size_t kParametersBytes = 32;
constexpr std::size_t kSectionNameBytes = 8;
constexpr std::size_t kMaxSections = 16;

constexpr std::size_t kVersionOffset = 8;
constexpr std::size_t kKindOffset = 10;
constexpr std::size_t kFlagsOffset = 12;
constexpr std::size_t kSchemeOffset = 16;
constexpr std::size_t kParametersOffset = 32;
constexpr std::size_t kParametersDigestOffset = 64;
constexpr std::size_t kKeyIdOffset = 96;
constexpr std::size_t kSectionCountOffset = 128;
constexpr std::size_t kReservedOffset = 132;
constexpr std::size_t kTableOffset = 136;
constexpr std::size_t kEntryBytes = 48;
constexpr std::size_t kDigestBytes = sizeof(Digest);

// Eight entries of a packed list end on a whole byte whatever their size, so lists pass through
// memory in pieces of eight.
constexpr std::size_t kPackedGroup = 8;

// Numbers of 4 bytes that pass through memory at a time.
constexpr std::size_t kNumberGroup = 1024;

constexpr std::string_view kAdvice = "the file is damaged or altered: get an intact copy";

constexpr std::size_t header_bytes(std::size_t section_count) {
  return kTableOffset + kEntryBytes * section_count + kDigestBytes;
}

template <std::unsigned_integral T>
void store(std::span<std::byte> out, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out[i] = static_cast<std::byte>(value >> (8 * i) & 0xff);
  }
}

template <std::unsigned_integral T>
T load(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = value << 8 | static_cast<std::uint64_t>(bytes[i]);
  return static_cast<T>(value);
}

Error misuse(const std::string& what) {
  return {ErrorCode::invalid_argument, what};
}

bool is_printable(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

// Requires that `text` is printable ASCII of at most `max` characters, and at least one.
void require_text(std::string_view text, std::size_t max, std::string_view what) {
  if (!text.empty() && text.size() <= max && is_printable(text)) return;
  throw misuse(
      fmt::format("{} in a file has 1 to {} printable ASCII characters, this one has {} bytes",
                  what, max, text.size()));
}

// Requires that a header can hold the names.
void require_fields(const ObjectHeader& header) {
  require_text(header.scheme, kSchemeBytes - 1, "the name of a scheme");
  require_text(header.parameters, kParametersBytes - 1, "the name of a parameter group");
}

// The contents of sections, and nothing else.
class PassingWriter final : public SectionWriter {
 public:
  explicit PassingWriter(const TakeBytes& take) : take_(take) {}
  void begin_section(std::string_view /*name*/) override {}
  void write(std::span<const std::byte> bytes) override { take_(bytes); }

 private:
  const TakeBytes& take_;
};

void require_in_range(const Integer& value, std::size_t bits) {
  if (value < 0) throw misuse("a negative integer does not fit into a file");
  if (bit_length(value) <= bits) return;
  throw misuse(fmt::format("an integer of {} bits does not fit into a field of {} bits",
                           bit_length(value), bits));
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

void append_text(std::vector<std::byte>& out, std::string_view text, std::size_t width) {
  append(out, std::as_bytes(std::span(text)));
  out.resize(out.size() + width - text.size());
}

template <std::unsigned_integral T>
void append_number(std::vector<std::byte>& out, T value) {
  std::array<std::byte, sizeof(T)> bytes;
  store(std::span(bytes), value);
  append(out, bytes);
}

Digest digest_of(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.update(bytes);
  return hasher.finish();
}

std::vector<std::byte> encode_entry(const SectionEntry& entry) {
  std::vector<std::byte> out;
  append_text(out, entry.name, kSectionNameBytes);
  append_number(out, entry.bytes);
  append(out, entry.digest);
  return out;
}

// What stands before the number of sections.
std::vector<std::byte> encode_identity(const ObjectHeader& header) {
  std::vector<std::byte> out;
  append_text(out, kMagic, kMagic.size());
  append_number(out, kVersion);
  append_number(out, static_cast<std::uint16_t>(header.kind));
  append_number(out, (header.test_key ? kTestKeyFlag : std::uint32_t{0}) |
                         (header.sealed ? kSealedFlag : std::uint32_t{0}));
  append_text(out, header.scheme, kSchemeBytes);
  append_text(out, header.parameters, kParametersBytes);
  append(out, header.parameters_digest);
  append(out, header.key_id);
  return out;
}

std::vector<std::byte> encode_header(const ObjectHeader& header,
                                     std::span<const SectionEntry> sections) {
  std::vector<std::byte> out = encode_identity(header);
  append_number(out, static_cast<std::uint32_t>(sections.size()));
  append_number(out, std::uint32_t{0});
  for (const SectionEntry& entry : sections) append(out, encode_entry(entry));
  append(out, digest_of(out));
  return out;
}

std::vector<std::byte> encode_lock(const SealParameters& parameters) {
  std::vector<std::byte> out;
  append_text(out, kSealName, kSealNameBytes);
  append_number(out, parameters.cost.log_n);
  append_number(out, parameters.cost.r);
  append_number(out, parameters.cost.p);
  append(out, parameters.salt);
  append(out, parameters.nonce);
  return out;
}

// Requires kLockBytes that start with the known name.
SealParameters decode_lock(std::span<const std::byte> lock) {
  SealParameters parameters{};
  lock = lock.subspan(kSealNameBytes);
  for (std::uint32_t* const number :
       {&parameters.cost.log_n, &parameters.cost.r, &parameters.cost.p}) {
    *number = load<std::uint32_t>(lock.first(sizeof(std::uint32_t)));
    lock = lock.subspan(sizeof(std::uint32_t));
  }
  std::ranges::copy(lock.first(parameters.salt.size()), parameters.salt.begin());
  std::ranges::copy(lock.last(parameters.nonce.size()), parameters.nonce.begin());
  return parameters;
}

// What an encrypted key is tied to: everything that its header and its lock say.
std::vector<std::byte> seal_context(const ObjectHeader& header, std::span<const std::byte> lock) {
  std::vector<std::byte> context = encode_identity(header);
  append(context, lock);
  return context;
}

Digest key_id(const Digest& parameters_digest, std::span<const SectionEntry> sections) {
  Hasher hasher;
  hasher.update(parameters_digest);
  for (const SectionEntry& entry : sections) {
    if (entry.name != "params") hasher.update(encode_entry(entry));
  }
  return hasher.finish();
}

// The text before the zeros that fill up the field; nothing when it is not printable ASCII
// followed by zeros alone.
std::optional<std::string> unpadded(std::span<const std::byte> field) {
  const auto end = std::ranges::find(field, std::byte{0});
  std::string text;
  for (const std::byte b : std::span(field.begin(), end)) text += static_cast<char>(b);
  const bool zeros = std::all_of(end, field.end(), [](std::byte b) { return b == std::byte{0}; });
  if (!zeros || !is_printable(text)) return std::nullopt;
  return text;
}

}  // namespace

std::string_view to_string(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::public_key:
      return "public key";
    case ObjectKind::secret_key:
      return "secret key";
    case ObjectKind::ciphertexts:
      return "ciphertexts";
    case ObjectKind::checkpoint:
      return "checkpoint";
    case ObjectKind::program:
      return "program";
    case ObjectKind::switching_key:
      return "switching key";
  }
  return "unknown object";
}

std::optional<ObjectKind> announced_kind(std::span<const std::byte> start) {
  static_assert(kAnnouncingBytes == kKindOffset + sizeof(std::uint16_t));
  const auto magic = std::as_bytes(std::span(kMagic));
  if (start.size() < kAnnouncingBytes || !std::ranges::equal(start.first(magic.size()), magic)) {
    return std::nullopt;
  }
  const auto kind = load<std::uint16_t>(start.subspan(kKindOffset));
  if (kind < kFirstKind || kind > kLastKind) return std::nullopt;
  return static_cast<ObjectKind>(kind);
}

std::optional<std::string> announced_scheme(std::span<const std::byte> start) {
  static_assert(kSchemeAnnouncingBytes == kSchemeOffset + kSchemeBytes);
  if (start.size() < kSchemeAnnouncingBytes || !announced_kind(start)) return std::nullopt;
  return unpadded(start.subspan(kSchemeOffset, kSchemeBytes));
}

std::uint64_t container_bytes(std::size_t section_count, std::uint64_t contents) {
  const std::uint64_t header = header_bytes(section_count);
  return header + std::min(contents, std::numeric_limits<std::uint64_t>::max() - header);
}

void require_writable_size(std::uint64_t bytes, const ReadLimits& limits, std::string_view what) {
  if (bytes <= limits.max_file_bytes) return;
  throw misuse(
      fmt::format("{} would have {} bytes, more than the {} that can be read back: raise "
                  "max_file_bytes (--max-file-bytes), here and where the file is read",
                  what, bytes, limits.max_file_bytes));
}

void SectionWriter::write_text(std::string_view text) {
  write(std::as_bytes(std::span(text)));
}

void SectionWriter::write_seed(const StreamSeed& seed) {
  write_padded(kAesCtrGenerator, kStreamSeedBytes - seed.size());
  write(seed);
}

void SectionWriter::write_padded(std::string_view text, std::size_t width) {
  if (text.size() >= width || !is_printable(text)) {
    throw misuse(
        fmt::format("a text of {} bytes does not fit into a field of {}, or is not printable",
                    text.size(), width));
  }
  std::vector<std::byte> field;
  append_text(field, text, width);
  write(field);
}

void SectionWriter::write_u32(std::uint32_t value) {
  write_u32s(std::span(&value, 1));
}

void SectionWriter::write_u64(std::uint64_t value) {
  SecretBytes buffer(sizeof(value));
  store(buffer, value);
  write(buffer);
}

void SectionWriter::write_u32s(std::span<const std::uint32_t> values) {
  SecretBytes buffer(std::min(values.size(), kNumberGroup) * sizeof(std::uint32_t));
  while (!values.empty()) {
    const auto group = values.first(std::min(values.size(), kNumberGroup));
    for (std::size_t i = 0; i < group.size(); ++i) {
      store(std::span(buffer).subspan(i * sizeof(std::uint32_t)), group[i]);
    }
    write(std::span(buffer).first(group.size_bytes()));
    values = values.subspan(group.size());
  }
}

void SectionWriter::write_integer(const Integer& value, std::size_t bits) {
  require_in_range(value, bits);
  SecretBytes buffer(bytes_for_bits(bits));
  to_bytes(value, buffer);
  write(buffer);
}

void SectionWriter::write_packed(std::span<const Integer> values, std::size_t bits) {
  for (std::size_t start = 0; start < values.size(); start += kPackedGroup) {
    const auto group = values.subspan(start, std::min(kPackedGroup, values.size() - start));
    Integer joined;
    for (std::size_t i = group.size(); i-- > 0;) {
      require_in_range(group[i], bits);
      joined <<= bits;
      joined += group[i];
    }
    write_integer(joined, group.size() * bits);
  }
}

void SectionTable::begin_section(std::string_view name) {
  require_text(name, kSectionNameBytes, "the name of a section");
  const bool taken = std::ranges::any_of(
      sections_, [name](const Section& section) { return section.entry.name == name; });
  if (taken) throw misuse(fmt::format("a file has only one section '{}'", name));
  if (sections_.size() == kMaxSections) {
    throw misuse(fmt::format("a file has at most {} sections", kMaxSections));
  }
  sections_.emplace_back().entry.name = name;
}

void SectionTable::write(std::span<const std::byte> bytes) {
  if (sections_.empty()) throw misuse("begin_section comes before the first write");
  sections_.back().entry.bytes += bytes.size();
  sections_.back().hasher.update(bytes);
}

std::vector<SectionEntry> SectionTable::finish() {
  std::vector<SectionEntry> entries;
  for (Section& section : sections_) {
    section.entry.digest = section.hasher.finish();
    entries.push_back(section.entry);
  }
  return entries;
}

void SealedSections::begin_section(std::string_view name) {
  require_text(name, kSectionNameBytes, "the name of a section");
  sections_.push_back({std::string(name), SecretBytes()});
}

void SealedSections::write(std::span<const std::byte> bytes) {
  if (sections_.empty()) throw misuse("begin_section comes before the first write");
  SecretBytes& contents = sections_.back().contents;
  contents.insert(contents.end(), bytes.begin(), bytes.end());
}

void SealedSections::write_to(SectionWriter& out, const ObjectHeader& header,
                              const Passphrase& passphrase, const ScryptCost& cost) {
  SecretBytes plain;
  for (const Section& section : sections_) {
    std::vector<std::byte> heading;
    append_text(heading, section.name, kSectionNameBytes);
    append_number(heading, std::uint64_t{section.contents.size()});
    plain.insert(plain.end(), heading.begin(), heading.end());
    plain.insert(plain.end(), section.contents.begin(), section.contents.end());
  }
  const SealParameters parameters = SealParameters::draw(cost);
  const std::vector<std::byte> lock = encode_lock(parameters);
  out.begin_section("lock");
  out.write(lock);
  out.begin_section("sealed");
  out.write(seal(plain, passphrase, parameters, seal_context(header, lock)));
}

Digest KeyIdHasher::finish(const Digest& parameters_digest) {
  return key_id(parameters_digest, table_.finish());
}

ContainerWriter::ContainerWriter(const std::filesystem::path& target, const ObjectHeader& header,
                                 std::size_t section_count, const ReadLimits& limits)
    : file_(target,
            header.kind == ObjectKind::secret_key ? FileAccess::owner_only : FileAccess::everyone),
      header_(header),
      section_count_(section_count),
      limits_(limits),
      file_bytes_(container_bytes(section_count, 0)) {
  require_fields(header);
  if (section_count < 1 || section_count > kMaxSections) {
    throw misuse(fmt::format("a file has 1 to {} sections, not {}", kMaxSections, section_count));
  }
  file_.write(std::vector<std::byte>(header_bytes(section_count)));
}

void ContainerWriter::begin_section(std::string_view name) {
  if (finished_ || table_.size() == section_count_) {
    throw misuse(fmt::format("section '{}' comes after the last of {}", name, section_count_));
  }
  table_.begin_section(name);
}

void ContainerWriter::write(std::span<const std::byte> bytes) {
  if (finished_) throw misuse("nothing can be written into a finished file");
  file_bytes_ += bytes.size();
  if (file_bytes_ > limits_.max_file_bytes) {
    require_writable_size(file_bytes_, limits_, shown_target(file_.target()));
  }
  table_.write(bytes);
  file_.write(bytes);
}

void ContainerWriter::finish() {
  if (finished_) return;
  if (table_.size() != section_count_) {
    throw misuse(fmt::format("{} of {} sections were written", table_.size(), section_count_));
  }
  file_.write_at(0, encode_header(header_, table_.finish()));
  file_.flush();
  finished_ = true;
}

void ContainerWriter::commit() {
  finish();
  file_.commit();
}

AtomicFile ContainerWriter::commit_growing() {
  finish();
  file_.commit_growing();
  return std::move(file_);
}

void ContainerWriter::commit_pair(ContainerWriter first, ContainerWriter second) {
  first.finish();
  second.finish();
  AtomicFile::commit_pair(std::move(first.file_), std::move(second.file_));
}

void write_container(const ObjectHeader& header, const WriteSections& write,
                     const std::function<void(std::uint64_t)>& start, const TakeBytes& take,
                     const ReadLimits& limits, std::string_view what) {
  require_fields(header);
  SectionTable table;
  write(table);
  const std::vector<SectionEntry> sections = table.finish();
  std::uint64_t contents = 0;
  for (const SectionEntry& entry : sections) contents += entry.bytes;
  const std::uint64_t bytes = container_bytes(sections.size(), contents);
  require_writable_size(bytes, limits, what);
  start(bytes);
  take(encode_header(header, sections));
  PassingWriter passing(take);
  write(passing);
}

ContainerReader::ContainerReader(const Source& source, const ReadLimits& limits)
    : name_(source.name()),
      limits_(limits),
      source_(source.open()),
      file_bytes_(source_->bytes().value_or(0)) {
  require_bytes_within_limits();
  read_header();
}

void ContainerReader::watch(const Monitor& monitor, std::string_view phase) {
  progress_ = std::make_unique<Progress>(monitor, phase, file_bytes_);
}

void ContainerReader::require_bytes_within_limits() const {
  if (file_bytes_ <= limits_.max_file_bytes) return;
  throw misuse(
      fmt::format("'{}' has {} bytes, more than the limit of {}: raise max_file_bytes "
                  "(--max-file-bytes) if the file is what you expect",
                  name_, file_bytes_, limits_.max_file_bytes));
}

void ContainerReader::read_header() {
  std::vector<std::byte> bytes(kTableOffset);
  bytes.resize(source_->read(0, bytes));
  check_format(bytes);
  const auto require_header = [this](std::uint64_t wanted, std::uint64_t found) {
    if (found >= wanted) return;
    throw malformed_at(
        found, fmt::format("truncated: the header has {} bytes, the file has {}", wanted, found));
  };
  if (bytes.size() < kTableOffset) require_header(header_bytes(1), bytes.size());
  const auto count = load<std::uint32_t>(std::span(bytes).subspan(kSectionCountOffset));
  if (count < 1 || count > kMaxSections) {
    throw malformed_at(kSectionCountOffset,
                       fmt::format("{} sections, but there are 1 to {}", count, kMaxSections));
  }
  bytes.resize(header_bytes(count));
  require_header(bytes.size(), source_->read(kTableOffset, std::span(bytes).subspan(kTableOffset)));
  const auto checked = std::span(bytes).first(bytes.size() - kDigestBytes);
  if (!std::ranges::equal(digest_of(checked), std::span(bytes).last(kDigestBytes))) {
    throw malformed_at(checked.size(), "the header does not have the SHA-256 that it states");
  }
  decode_fields(checked);
  decode_table(checked.subspan(kTableOffset));
  settle_file_bytes(bytes.size());
}

// Magic and version: everything after them may look different in another version.
void ContainerReader::check_format(std::span<const std::byte> start) const {
  const auto magic = std::as_bytes(std::span(kMagic));
  if (start.size() < kKindOffset || !std::ranges::equal(start.first(kMagic.size()), magic)) {
    throw malformed_at(0, "this is not a file of keys or ciphertexts of this library");
  }
  const auto version = load<std::uint16_t>(start.subspan(kVersionOffset));
  if (version == kVersion) return;
  throw Error(
      ErrorCode::malformed_file,
      fmt::format("'{}', byte {}: the file has format version {}, this program reads "
                  "version {}: update the program, or get the file from one of this version",
                  name_, kVersionOffset, version, kVersion));
}

void ContainerReader::decode_fields(std::span<const std::byte> header) {
  const auto kind = load<std::uint16_t>(header.subspan(kKindOffset));
  header_.kind = static_cast<ObjectKind>(kind);
  if (kind < kFirstKind || kind > kLastKind) {
    throw malformed_at(
        kKindOffset, fmt::format("object kind {} is unknown: this program knows {} "
                                 "to {} (public key, secret key, ciphertexts, checkpoint, program, "
                                 "switching key)",
                                 kind, kFirstKind, kLastKind));
  }
  const auto flags = load<std::uint32_t>(header.subspan(kFlagsOffset));
  header_.test_key = (flags & kTestKeyFlag) != 0;
  header_.sealed = (flags & kSealedFlag) != 0;
  if ((flags & ~kKnownFlags) != 0) {
    throw malformed_at(kFlagsOffset, fmt::format("unknown flags {:#x}", flags & ~kKnownFlags));
  }
  if (header_.sealed && header_.kind != ObjectKind::secret_key) {
    throw malformed_at(kFlagsOffset, "only secret keys are encrypted under a passphrase");
  }
  header_.scheme =
      decode_text(header.subspan(kSchemeOffset, kSchemeBytes), kSchemeBytes - 1, kSchemeOffset);
  header_.parameters = decode_text(header.subspan(kParametersOffset, kParametersBytes),
                                   kParametersBytes - 1, kParametersOffset);
  std::ranges::copy(header.subspan(kParametersDigestOffset, kDigestBytes),
                    header_.parameters_digest.begin());
  std::ranges::copy(header.subspan(kKeyIdOffset, kDigestBytes), header_.key_id.begin());
  if (load<std::uint32_t>(header.subspan(kReservedOffset)) != 0) {
    throw malformed_at(kReservedOffset, "the reserved bytes are not 0");
  }
}

void ContainerReader::decode_table(std::span<const std::byte> table) {
  for (std::size_t start = 0; start < table.size(); start += kEntryBytes) {
    const auto line = table.subspan(start, kEntryBytes);
    SectionEntry entry;
    entry.name =
        decode_text(line.first(kSectionNameBytes), kSectionNameBytes, kTableOffset + start);
    entry.bytes = load<std::uint64_t>(line.subspan(kSectionNameBytes));
    std::ranges::copy(line.last(kDigestBytes), entry.digest.begin());
    if (std::ranges::count(sections_, entry.name, &SectionEntry::name) != 0) {
      throw malformed_at(kTableOffset + start, fmt::format("a second section '{}'", entry.name));
    }
    sections_.push_back(std::move(entry));
  }
}

std::string ContainerReader::decode_text(std::span<const std::byte> field, std::size_t max_chars,
                                         std::uint64_t offset) const {
  const auto text = unpadded(field);
  if (text && !text->empty() && text->size() <= max_chars) return *text;
  throw malformed_at(
      offset, fmt::format("a name of 1 to {} printable ASCII characters and zeros must stand here",
                          max_chars));
}

void ContainerReader::settle_file_bytes(std::uint64_t sections_start) {
  std::uint64_t total = sections_start;
  for (const SectionEntry& entry : sections_) {
    // Stops at the end of the range instead of wrapping around.
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - total;
    total += std::min(entry.bytes, room);
  }
  if (!source_->bytes()) {
    file_bytes_ = total;
    return require_bytes_within_limits();
  }
  if (total > file_bytes_) throw truncated(total, file_bytes_);
  if (total < file_bytes_ && header_.kind != ObjectKind::checkpoint) {
    throw malformed_at(total, fmt::format("the file has {} bytes, but ends at {} by its header",
                                          file_bytes_, total));
  }
}

void ContainerReader::require_sections(const std::vector<std::string_view>& names) const {
  if (std::ranges::equal(sections_, names, {}, &SectionEntry::name)) return;
  std::vector<std::string_view> found;
  found.reserve(sections_.size());
  for (const SectionEntry& entry : sections_) found.push_back(entry.name);
  throw malformed_at(kTableOffset,
                     fmt::format("the sections are {}, but those of this object are {}, in this "
                                 "order",
                                 fmt::join(found, ", "), fmt::join(names, ", ")));
}

void ContainerReader::open_section(std::string_view name, std::uint64_t min_bytes,
                                   std::uint64_t max_bytes) {
  open_ = nullptr;
  const auto entry = std::ranges::find(sections_, name, &SectionEntry::name);
  if (entry == sections_.end()) {
    throw malformed_at(kTableOffset, fmt::format("there is no section '{}'", name));
  }
  // Of those that were encrypted only `params`, the first, is read from the file.
  const bool unlocked = !opened_.empty();
  std::uint64_t offset = header_bytes(unlocked ? kSealedSections : sections_.size());
  for (auto before = sections_.begin(); before != entry; ++before) offset += before->bytes;
  if (entry->bytes < min_bytes || entry->bytes > max_bytes) {
    throw malformed_at(
        offset,
        fmt::format("section '{}' has {} bytes, but must have {}{}", name, entry->bytes, min_bytes,
                    min_bytes == max_bytes ? "" : fmt::format(" to {}", max_bytes)));
  }
  open_ = &*entry;
  section_offset_ = offset;
  opened_offset_ = kInnerHeadingBytes;
  for (auto before = sections_.begin(); before != entry; ++before) {
    if (is_opened(*before)) opened_offset_ += kInnerHeadingBytes + before->bytes;
  }
  position_ = 0;
  hasher_ = Hasher();
}

std::vector<std::byte> ContainerReader::read_section(std::string_view name, std::uint64_t min_bytes,
                                                     std::uint64_t max_bytes) {
  open_section(name, min_bytes, max_bytes);
  std::vector<std::byte> contents(section_bytes());
  read(contents);
  close_section();
  return contents;
}

void ContainerReader::unlock(const Passphrase& passphrase) {
  if (!header_.sealed || !opened_.empty()) throw misuse("there is nothing to unlock");
  require_sections({"params", "lock", "sealed"});
  const std::vector<std::byte> lock = read_section("lock", kLockBytes, kLockBytes);
  if (unpadded(std::span(lock).first(kSealNameBytes)) != kSealName) {
    throw malformed("it is encrypted in a way that this program does not know");
  }
  const SealParameters parameters = decode_lock(lock);
  if (!parameters.cost.is_bearable()) {
    throw malformed(
        fmt::format("its passphrase costs more than {} bytes of work", ScryptCost::kMostWork));
  }
  const std::vector<std::byte> sealed = read_section("sealed", kSealTagBytes, kMostSealedBytes);
  if (!unseal(sealed, passphrase, parameters, seal_context(header_, lock), opened_)) {
    throw Error(ErrorCode::wrong_key,
                fmt::format("'{}': this is not its passphrase, or the file was altered", name_));
  }
  list_opened();
}

// The sections of what was encrypted, in the places of those that it was encrypted in.
void ContainerReader::list_opened() {
  std::erase_if(sections_, [](const SectionEntry& entry) { return entry.name != "params"; });
  auto rest = std::span(std::as_const(opened_));
  while (!rest.empty()) {
    const auto heading = rest.first(std::min(rest.size(), kInnerHeadingBytes));
    const auto name = unpadded(heading.first(std::min(heading.size(), kSectionNameBytes)));
    rest = rest.subspan(heading.size());
    if (heading.size() < kInnerHeadingBytes || !name || name->empty() ||
        load<std::uint64_t>(heading.subspan(kSectionNameBytes)) > rest.size() ||
        std::ranges::count(sections_, *name, &SectionEntry::name) != 0) {
      throw malformed("what is encrypted in it is not the values of a key");
    }
    const auto contents = rest.first(load<std::uint64_t>(heading.subspan(kSectionNameBytes)));
    sections_.push_back({*name, contents.size(), digest_of(contents)});
    rest = rest.subspan(contents.size());
  }
}

bool ContainerReader::is_opened(const SectionEntry& entry) const {
  return !opened_.empty() && entry.name != "params";
}

std::uint64_t ContainerReader::section_bytes() const {
  if (open_ == nullptr) throw misuse("open_section comes before what is done with a section");
  return open_->bytes;
}

void ContainerReader::require_left(std::uint64_t bytes) const {
  const std::uint64_t left = section_bytes() - position_;
  if (bytes <= left) return;
  throw malformed(fmt::format("{} bytes must follow, the section has {} more", bytes, left));
}

void ContainerReader::read_at(std::uint64_t offset, std::span<std::byte> out) {
  const std::uint64_t end = source_->read(offset, out);
  if (end < offset + out.size()) throw truncated(file_bytes_, end);
}

void ContainerReader::skip_rest() {
  read_at(file_bytes_, {});
}

void ContainerReader::read(std::span<std::byte> out) {
  require_left(out.size());
  if (is_opened(*open_)) {
    std::ranges::copy(std::span(opened_).subspan(opened_offset_ + position_, out.size()),
                      out.begin());
  } else {
    read_at(section_offset_ + position_, out);
  }
  hasher_.update(out);
  position_ += out.size();
  if (progress_) progress_->advance(out.size());
}

std::string ContainerReader::read_text(std::size_t bytes) {
  require_left(bytes);
  std::string text(bytes, '\0');
  read(std::as_writable_bytes(std::span(text)));
  return text;
}

std::uint32_t ContainerReader::read_u32() {
  return read_u32s(1).front();
}

std::uint64_t ContainerReader::read_u64() {
  SecretBytes buffer(sizeof(std::uint64_t));
  read(buffer);
  return load<std::uint64_t>(buffer);
}

SecretIndices ContainerReader::read_u32s(std::size_t count) {
  constexpr std::size_t kNumberBytes = sizeof(std::uint32_t);
  // The product may be out of range, but not for a count below the length of the section.
  require_left(count > section_bytes() ? count : count * kNumberBytes);
  SecretIndices values;
  values.reserve(count);
  SecretBytes buffer(std::min(count, kNumberGroup) * kNumberBytes);
  while (values.size() < count) {
    const auto group =
        std::span(buffer).first(std::min(count - values.size(), kNumberGroup) * kNumberBytes);
    read(group);
    for (std::size_t at = 0; at < group.size(); at += kNumberBytes) {
      values.push_back(load<std::uint32_t>(group.subspan(at)));
    }
  }
  return values;
}

StreamSeed ContainerReader::read_seed() {
  StreamSeed seed;
  const std::string generator = read_padded(kStreamSeedBytes - seed.size());
  if (generator != kAesCtrGenerator) {
    throw malformed(fmt::format("it was made with the generator '{}', this program has '{}'",
                                generator, kAesCtrGenerator));
  }
  read(seed);
  return seed;
}

std::string ContainerReader::read_padded(std::size_t width) {
  require_left(width);
  std::vector<std::byte> field(width);
  read(field);
  const auto text = unpadded(field);
  if (text && text->size() < width) return *text;
  throw malformed(
      fmt::format("the {} bytes before this one are not printable ASCII and zeros", width));
}

Integer ContainerReader::read_integer(std::size_t bits) {
  require_left(bytes_for_bits(bits));
  SecretBytes buffer(bytes_for_bits(bits));
  read(buffer);
  Integer value = from_bytes(buffer);
  if (bit_length(value) <= bits) return value;
  throw malformed(
      fmt::format("an integer of {} bits ends here, but may have {}", bit_length(value), bits));
}

std::vector<Integer> ContainerReader::read_packed(std::size_t count, std::size_t bits) {
  if (bits == 0) throw misuse("entries of a packed list have at least 1 bit");
  // A product of count and bits that is out of range is more than any section has.
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  require_left(count > (kMax - 7) / bits ? kMax : bytes_for_bits(count * bits));
  std::vector<Integer> values;
  values.reserve(count);
  while (values.size() < count) {
    const std::size_t group = std::min(kPackedGroup, count - values.size());
    // Checks that the unused bits of the last byte are 0.
    const Integer joined = read_integer(group * bits);
    for (std::size_t i = 0; i < group; ++i) values.push_back(bits_at(joined, i * bits, bits));
  }
  return values;
}

Digest ContainerReader::computed_key_id() const {
  return key_id(header_.parameters_digest, sections_);
}

void ContainerReader::close_section() {
  if (section_bytes() != position_) {
    throw malformed(
        fmt::format("the section has {} bytes after its contents", open_->bytes - position_));
  }
  if (hasher_.finish() != open_->digest) {
    throw malformed("the section does not have the SHA-256 that the section table states");
  }
  open_ = nullptr;
}

Error ContainerReader::truncated(std::uint64_t wanted, std::uint64_t found) const {
  return malformed_at(
      found, fmt::format("truncated: the header says {} bytes, the file has {}", wanted, found));
}

Error ContainerReader::malformed(const std::string& what) const {
  if (open_ == nullptr) {
    return {ErrorCode::malformed_file, fmt::format("'{}': {}; {}", name_, what, kAdvice)};
  }
  if (is_opened(*open_)) {
    return {ErrorCode::malformed_file,
            fmt::format("'{}': encrypted section '{}': {}; {}", name_, open_->name, what, kAdvice)};
  }
  return malformed_at(section_offset_ + position_,
                      fmt::format("section '{}': {}", open_->name, what));
}

Error ContainerReader::malformed_at(std::uint64_t offset, const std::string& what) const {
  return {ErrorCode::malformed_file,
          fmt::format("'{}', byte {}: {}; {}", name_, offset, what, kAdvice)};
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

namespace {

constexpr std::size_t kDigestBytes = sizeof(Digest);
constexpr std::size_t kNameBytes = sizeof(std::uint32_t);
constexpr std::size_t kCheckpointSections = 3;

void require_digest(ContainerReader& in, const Digest& expected, std::string_view what) {
  Digest found;
  in.read(found);
  if (found == expected) return;
  throw Error(
      ErrorCode::invalid_argument,
      fmt::format("'{}' is the checkpoint of a run with {} ({} instead of {}): give what it "
                  "was made with, or start anew without it",
                  in.name(), what, to_hex(found, 4), to_hex(expected, 4)));
}

std::vector<WireValue> read_names(ContainerReader& in, std::size_t wires) {
  const std::uint64_t bytes = in.section_bytes() - 2 * kDigestBytes;
  if (bytes % kNameBytes != 0) throw in.malformed("its list of values has a broken length");
  std::vector<WireValue> names;
  for (const std::uint32_t number : in.read_u32s(bytes / kNameBytes)) {
    const WireValue name{number / 2, number % 2 != 0};
    if (name.wire >= wires || (!names.empty() && name <= names.back())) {
      throw in.malformed("its list of values is not in order, or names what is not in the circuit");
    }
    names.push_back(name);
  }
  return names;
}

RunState read_state(const Source& source, const RunIdentity& identity, std::size_t wires,
                    const PublicKey& key, const ReadLimits& limits) {
  ContainerReader in(source, limits);
  require_object(in, ObjectKind::checkpoint, GroupPurpose::scheme);
  if (in.sections().front().name == "cycles") {
    throw wrong_object(in, "the checkpoint of a run without clock cycles");
  }
  in.require_sections({"run", "meta", "values"});
  require_file_of(in, key);
  in.open_section("run", 2 * kDigestBytes, std::numeric_limits<std::uint64_t>::max());
  require_digest(in, identity.circuit,
                 "another circuit, or of a version of fhe that simplifies it otherwise");
  require_digest(in, identity.inputs, "other inputs");
  const std::vector<WireValue> names = read_names(in, wires);
  in.close_section();
  std::vector<Ciphertext> values = read_ciphertexts(in, key);
  if (names.size() != values.size()) {
    throw in.malformed(fmt::format("{} names of {} values", names.size(), values.size()));
  }
  RunState state;
  for (std::size_t i = 0; i < names.size(); ++i) state.emplace(names[i], std::move(values[i]));
  return state;
}

// What `read` makes of a container behind the first one; nothing for one that is torn, which may
// look like anything.
template <class Read>
std::optional<RunState> if_whole(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::io || error.code() == ErrorCode::out_of_memory) throw;
    return std::nullopt;
  }
}

std::string text_of(const std::filesystem::path& path) {
  return fmt::format("the checkpoint '{}'", path.string());
}

// Of a container of so many values. Wires are numbered by 32 bits, so there are no so many values
// that this could wrap around.
std::uint64_t checkpoint_bytes(std::uint64_t values, const PublicKey& key) {
  const std::uint64_t run = 2 * kDigestBytes + kNameBytes * values;
  const std::uint64_t bytes = ciphertexts_bytes(values, key);
  return container_bytes(kCheckpointSections, std::max(bytes, run + bytes));
}

void write_values(SectionWriter& out, const RunIdentity& identity,
                  const std::vector<NamedValue>& values, const PublicKey& key) {
  out.begin_section("run");
  out.write(identity.circuit);
  out.write(identity.inputs);
  std::vector<std::uint32_t> numbers;
  std::vector<const Ciphertext*> ciphertexts;
  for (const auto& [name, ciphertext] : values) {
    numbers.push_back(2 * name.wire + (name.refreshed ? 1 : 0));
    ciphertexts.push_back(ciphertext);
  }
  out.write_u32s(numbers);
  write_ciphertexts(out, ciphertexts, key);
}

}  // namespace

Digest digest_of(const std::vector<Ciphertext>& inputs) {
  Hasher hasher;
  for (const Ciphertext& c : inputs) {
    const std::array<std::uint64_t, 2> sizes{limbs_of(c.value()).size(), c.noise().units()};
    hasher.update(std::as_bytes(std::span(sizes)));
    hasher.update(std::as_bytes(limbs_of(c.value())));
  }
  return hasher.finish();
}

void require_checkpoint_size(const std::filesystem::path& path, std::uint64_t values,
                             const PublicKey& key, const ReadLimits& limits) {
  const std::string what = text_of(path);
  require_writable_count(values, limits, what);
  require_writable_size(checkpoint_bytes(values, key), limits, what);
}

CheckpointFile::CheckpointFile(std::filesystem::path path, const RunIdentity& identity,
                               const PublicKey& key, const ReadLimits& limits)
    : path_(std::move(path)), identity_(identity), key_(key), limits_(limits) {}

CheckpointFile::~CheckpointFile() = default;

void CheckpointFile::save(const std::vector<NamedValue>& values) {
  std::vector<NamedValue> more;
  std::ranges::copy_if(values, std::back_inserter(more),
                       [&](const NamedValue& value) { return !saved_.contains(value.name); });
  if (more.empty()) return;
  if (file_ != nullptr && fits_behind(more.size(), values.size())) {
    append(more);
  } else {
    rewrite(values);
  }
}

bool CheckpointFile::fits_behind(std::size_t more, std::size_t needed) const {
  const std::size_t count = saved_.size() + more;
  return count <= 2 * needed && count <= limits_.max_ciphertexts &&
         file_bytes_ + checkpoint_bytes(more, key_) <= limits_.max_file_bytes;
}

void CheckpointFile::rewrite(const std::vector<NamedValue>& values) {
  require_checkpoint_size(path_, values.size(), key_, limits_);
  ContainerWriter out(path_, file_header(ObjectKind::checkpoint, key_), kCheckpointSections,
                      limits_);
  write_values(out, identity_, values, key_);
  file_ = std::make_unique<AtomicFile>(out.commit_growing());
  file_bytes_ = checkpoint_bytes(values.size(), key_);
  saved_.clear();
  for (const NamedValue& value : values) saved_.insert(value.name);
}

void CheckpointFile::append(const std::vector<NamedValue>& values) {
  const std::unique_ptr<AtomicFile> file = std::move(file_);  // back when all is well
  write_container(
      file_header(ObjectKind::checkpoint, key_),
      [&](SectionWriter& out) { write_values(out, identity_, values, key_); },
      [&](std::uint64_t bytes) { file_bytes_ += bytes; },
      [&](std::span<const std::byte> bytes) { file->write(bytes); }, limits_, text_of(path_));
  file->flush();
  for (const NamedValue& value : values) saved_.insert(value.name);
  file_ = std::make_unique<AtomicFile>(std::move(*file));
}

RunState load_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                         std::size_t wires, const PublicKey& key, const ReadLimits& limits) {
  static_cast<void>(ContainerReader(path, limits));  // it is a file, and within the limits
  std::ifstream file(path, std::ios::binary);
  const Source source(file, path.string());
  const auto read_next = [&] { return read_state(source, identity, wires, key, limits); };
  RunState state = read_next();
  while (file.peek() != std::ifstream::traits_type::eof()) {
    std::optional<RunState> more = if_whole(read_next);
    if (!more) break;
    state.merge(*more);
  }
  return state;
}

namespace {

constexpr std::size_t kClockedSections = 3;
constexpr std::uint64_t kClockedRunBytes = 2 * sizeof(Digest) + 3 * sizeof(std::uint64_t);

void require_same(bool is_same, const ContainerReader& in, std::string_view what) {
  if (is_same) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("'{}' is the checkpoint of a run with {}: give what it was made with, or "
                          "start anew without it",
                          in.name(), what));
}

Digest read_digest(ContainerReader& in) {
  Digest digest;
  in.read(digest);
  return digest;
}

}  // namespace

void require_clocked_checkpoint_size(const std::filesystem::path& path, std::uint64_t values,
                                     const PublicKey& key, const ReadLimits& limits) {
  const std::string what = fmt::format("the checkpoint '{}'", path.string());
  require_writable_count(values, limits, what);
  const std::uint64_t head = container_bytes(kClockedSections, kClockedRunBytes);
  require_writable_size(head + ciphertexts_bytes(values, key), limits, what);
}

void save_clocked_checkpoint(const std::filesystem::path& path, const ClockedIdentity& identity,
                             const ClockedState& state, const PublicKey& key,
                             const ReadLimits& limits) {
  require_clocked_checkpoint_size(path, state.values.size(), key, limits);
  ContainerWriter out(path, file_header(ObjectKind::checkpoint, key), kClockedSections, limits);
  out.begin_section("cycles");
  out.write(identity.circuit);
  out.write(identity.inputs);
  out.write_u64(identity.cycles);
  out.write_u64(identity.every_cycle ? 1 : 0);
  out.write_u64(state.finished);
  write_ciphertexts(out, pointers_to(state.values), key);
  out.commit();
}

ClockedState load_clocked_checkpoint(const std::filesystem::path& path,
                                     const ClockedIdentity& identity, std::size_t registers,
                                     std::size_t output_bits, const PublicKey& key,
                                     const ReadLimits& limits) {
  ContainerReader in(path, limits);
  require_object(in, ObjectKind::checkpoint, GroupPurpose::scheme);
  if (in.sections().front().name == "run") {
    throw wrong_object(in, "the checkpoint of a run of clock cycles (fhe run --cycles)");
  }
  in.require_sections({"cycles", "meta", "values"});
  require_file_of(in, key);
  in.open_section("cycles", kClockedRunBytes, kClockedRunBytes);
  require_same(read_digest(in) == identity.circuit, in,
               "another circuit, or of a version of fhe that simplifies it otherwise");
  require_same(read_digest(in) == identity.inputs, in, "other inputs");
  require_same(in.read_u64() == identity.cycles, in, "another number of cycles");
  require_same(in.read_u64() == (identity.every_cycle ? 1U : 0U), in, "other outputs");
  ClockedState state{in.read_u64(), {}};
  in.close_section();
  state.values = read_ciphertexts(in, key);
  const std::uint64_t wanted = identity.every_cycle ? state.finished : 1;
  if (state.finished == 0 || state.finished > identity.cycles ||
      state.values.size() != wanted * output_bits + registers) {
    throw in.malformed(fmt::format("it has {} values after {} of {} cycles", state.values.size(),
                                   state.finished, identity.cycles));
  }
  return state;
}

}  // namespace fhe

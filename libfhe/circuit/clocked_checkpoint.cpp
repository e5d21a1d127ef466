// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/clocked_checkpoint.hpp"

#include <string_view>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/files.hpp"

namespace fhe {

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

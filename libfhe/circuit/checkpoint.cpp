// SPDX-License-Identifier: Apache-2.0
#include "libfhe/circuit/checkpoint.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/storage/container.hpp"

namespace fhe {

namespace {

constexpr std::size_t kDigestBytes = sizeof(Digest);
constexpr std::size_t kNameBytes = sizeof(std::uint32_t);
constexpr std::size_t kSections = 3;

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
  const std::string what = fmt::format("the checkpoint '{}'", path.string());
  require_writable_count(values, limits, what);
  // Wires are numbered by 32 bits, so there are no so many values that this could wrap around.
  const std::uint64_t run = 2 * kDigestBytes + kNameBytes * values;
  const std::uint64_t bytes = container_bytes(kSections, run) + ciphertexts_bytes(values, key);
  require_writable_size(bytes, limits, what);
}

void save_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                     const RunState& state, const PublicKey& key, const ReadLimits& limits) {
  require_checkpoint_size(path, state.values.size(), key, limits);
  ContainerWriter out(path, file_header(ObjectKind::checkpoint, key), kSections, limits);
  out.begin_section("run");
  out.write(identity.circuit);
  out.write(identity.inputs);
  std::vector<std::uint32_t> numbers;
  numbers.reserve(state.names.size());
  for (const WireValue& name : state.names)
    numbers.push_back(2 * name.wire + (name.refreshed ? 1 : 0));
  out.write_u32s(numbers);
  write_ciphertexts(out, state.values, key);
  out.commit();
}

RunState load_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                         std::size_t wires, const PublicKey& key, const ReadLimits& limits) {
  ContainerReader in(path, limits);
  in.require_kind(ObjectKind::checkpoint);
  in.require_sections({"run", "meta", "values"});
  require_file_of(in, key);
  in.open_section("run", 2 * kDigestBytes, std::numeric_limits<std::uint64_t>::max());
  require_digest(in, identity.circuit, "another circuit");
  require_digest(in, identity.inputs, "other inputs");
  RunState state{read_names(in, wires), {}};
  in.close_section();
  state.values = read_ciphertexts(in, key);
  if (state.names.size() != state.values.size()) {
    throw in.malformed(
        fmt::format("{} names of {} values", state.names.size(), state.values.size()));
  }
  return state;
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// The file from which an interrupted run of a circuit goes on (libfhe/storage/FORMAT.md). Not
// installed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "libfhe/circuit/schedule.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// What a checkpoint belongs to: it is refused for anything else.
struct RunIdentity {
  Digest circuit{};  // Netlist::digest of the circuit that runs
  Digest inputs{};   // of the input ciphertexts
};

[[nodiscard]] Digest digest_of(const std::vector<Ciphertext>& inputs);

// Values of a run, with their names in the same order.
struct RunState {
  std::vector<WireValue> names;
  std::vector<Ciphertext> values;
};

// Throws Error(invalid_argument) unless a checkpoint of so many values is within the limits.
void require_checkpoint_size(const std::filesystem::path& path, std::uint64_t values,
                             const PublicKey& key, const ReadLimits& limits);

// Writes the whole file or leaves the old one. Throws Error(io), and as require_checkpoint_size.
void save_checkpoint(const std::filesystem::path& path, const RunIdentity& identity,
                     const RunState& state, const PublicKey& key, const ReadLimits& limits = {});

// Throws Error(io), Error(malformed_file), Error(wrong_key), and Error(invalid_argument) for
// another circuit or other inputs and beyond the limits. `wires` is the number of wires of the
// circuit.
[[nodiscard]] RunState load_checkpoint(const std::filesystem::path& path,
                                       const RunIdentity& identity, std::size_t wires,
                                       const PublicKey& key, const ReadLimits& limits = {});

}  // namespace fhe

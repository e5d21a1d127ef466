// SPDX-License-Identifier: Apache-2.0
// The file from which an interrupted run of cycles goes on (libfhe/storage/FORMAT.md). Not
// installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// What the checkpoint of a clocked run belongs to: it is refused for anything else.
struct ClockedIdentity {
  Digest circuit{};  // ClockedCircuit::digest
  Digest inputs{};   // of digest_of() each input word
  std::uint64_t cycles = 0;
  bool every_cycle = false;
};

// What a run holds between two cycles.
struct ClockedState {
  std::uint64_t finished = 0;  // cycles
  // The outputs of finished cycles, as far as they are wanted, and then what the registers hold.
  std::vector<Ciphertext> values;
};

// Throws Error(invalid_argument) unless a checkpoint of so many ciphertexts is within the limits.
void require_clocked_checkpoint_size(const std::filesystem::path& path, std::uint64_t values,
                                     const PublicKey& key, const ReadLimits& limits);

// Writes the whole file or leaves the old one. Throws Error(io), and as
// require_clocked_checkpoint_size().
void save_clocked_checkpoint(const std::filesystem::path& path, const ClockedIdentity& identity,
                             const ClockedState& state, const PublicKey& key,
                             const ReadLimits& limits);

// `registers` is how many the circuit has, `output_bits` how many bits all its outputs have in one
// cycle. Throws Error(io), Error(malformed_file), Error(wrong_key), and Error(invalid_argument) for
// another run and beyond the limits.
[[nodiscard]] ClockedState load_clocked_checkpoint(const std::filesystem::path& path,
                                                   const ClockedIdentity& identity,
                                                   std::size_t registers, std::size_t output_bits,
                                                   const PublicKey& key, const ReadLimits& limits);

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// The files from which interrupted runs of circuits and of cycles go on (libfhe/storage/FORMAT.md).
// Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "libfhe/circuit/task_graph.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

// What a checkpoint belongs to: it is refused for anything else.
struct RunIdentity {
  Digest circuit{};  // Netlist::digest of the circuit that runs
  Digest inputs{};   // of the input ciphertexts
};

[[nodiscard]] Digest digest_of(const std::vector<Ciphertext>& inputs);

// Values of a run.
using RunState = std::map<WireValue, Ciphertext>;

// A value to be saved.
struct NamedValue {
  WireValue name;
  const Ciphertext* value;
};

// Throws Error(invalid_argument) unless a checkpoint of so many values is within the limits.
void require_checkpoint_size(const std::filesystem::path& path, std::uint64_t values,
                             const PublicKey& key, const ReadLimits& limits);

// The checkpoint of one run, which grows: each save appends what is not in it yet, as a container
// of its own. Where that would make it larger than twice what is needed, it is written anew, whole
// or not at all. So a save takes time for what is new, and a killed one leaves a torn container at
// the end, which load_checkpoint() ignores. The references must outlive it. Threads: one at a time.
class CheckpointFile {
 public:
  CheckpointFile(std::filesystem::path path, const RunIdentity& identity, const PublicKey& key,
                 const ReadLimits& limits = {});
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  // Makes the file hold these values at least, which suffice to go on; in the order of their names.
  // Throws Error(io), and as require_checkpoint_size. The file is as before then, or ends torn.
  void save(const std::vector<NamedValue>& values);

 private:
  [[nodiscard]] bool fits_behind(std::size_t more, std::size_t needed) const;
  void rewrite(const std::vector<NamedValue>& values);
  void append(const std::vector<NamedValue>& values);

  std::filesystem::path path_;
  RunIdentity identity_;
  const PublicKey& key_;
  ReadLimits limits_;
  std::uint64_t file_bytes_ = 0;      // of all its containers
  std::unique_ptr<AtomicFile> file_;  // open behind its last container; null before the first
  std::set<WireValue> saved_;         // what is in it
};

// What is in a checkpoint, up to the first container that is not whole. Throws Error(io),
// Error(malformed_file) when the first one is not, Error(wrong_key), and Error(invalid_argument)
// for another circuit or other inputs and beyond the limits. `wires` is the number of wires of the
// circuit.
[[nodiscard]] RunState load_checkpoint(const std::filesystem::path& path,
                                       const RunIdentity& identity, std::size_t wires,
                                       const PublicKey& key, const ReadLimits& limits = {});

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

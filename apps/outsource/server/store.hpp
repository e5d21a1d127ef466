// SPDX-License-Identifier: Apache-2.0
// The files of the clients: keys, ciphertexts, circuits and jobs.
//
//   <data>/lock
//   <data>/clients/<client>/incoming/                    uploads that are under way
//   <data>/clients/<client>/keys/<key>/key.fhe           <key>: the key's id
//   <data>/clients/<client>/keys/<key>/<digest>.fhe      ciphertexts; SHA-256 of the file
//   <data>/clients/<client>/circuits/<digest>.blif|.txt
//   <data>/clients/<client>/jobs/<job>/                  jobs.hpp
//
// A file gets one of these names after it was read whole and checked, by another process
// (checks.hpp); what is known about it since then is beside it, in <file>.json, what its client
// calls it in <file>.label, and nothing here reads the file again. Names that come from clients are
// looked at before they become part of a path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/outsource/server/checks.hpp"
#include "apps/outsource/server/client_locks.hpp"
#include "apps/outsource/tokens.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::outsource {

struct StoreLimits {
  std::uint64_t upload_bytes = std::uint64_t{256} << 20;   // of a key or a file of ciphertexts
  std::uint64_t circuit_bytes = std::uint64_t{4} << 20;    // of an uploaded circuit
  std::uint64_t quota_files = 4096;                        // of a client
  std::uint64_t reserve_bytes = std::uint64_t{256} << 20;  // of the disk, which uploads leave free
};

struct CiphertextsEntry {
  std::string id;
  std::uint64_t bits = 0;
  std::uint64_t bytes = 0;
};

struct KeyEntry {
  std::string id;
  std::string parameters;
  std::uint64_t slots = 1;  // bits of each ciphertext
  std::uint64_t bytes = 0;
  std::vector<CiphertextsEntry> ciphertexts;
};

struct CircuitEntry {
  std::string name;
  std::string label = {};  // of an uploaded one; empty: it has none
  std::uint64_t bytes = 0;
  bool shipped = false;
};

// Keeps a folder for one process.
class FolderLock {
 public:
  // Makes the folder when it is missing. Throws Error(io), also when another process has it.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

// Removes what a killed process left of files that it was writing, and logs it. Nobody may be
// writing there. A folder that cannot be listed stays as it is.
void remove_temporaries(const std::filesystem::path& folder);

class Store;

// A file on its way in. What is not added to the store is removed with this object. One thread.
class Upload {
 public:
  ~Upload();
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Appends. A secret key is refused, Refusal(422), before any of it is written. Error(io).
  void write(std::span<const std::byte> bytes);

  // Nothing follows. To be called once, before the following.
  void finish();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  friend class Store;
  Upload(Store& store, std::string client, std::uint64_t bytes, std::filesystem::path path);

  void write_start();

  Store& store_;
  const std::string client_;
  const std::uint64_t reserved_bytes_;
  const std::filesystem::path path_;
  std::vector<std::byte> start_;  // until its kind is known
  bool started_ = false;
  AtomicFile file_;
  Hasher hasher_;
  std::string digest_;
};

// Any number of threads. Functions throw Refusal, and Error as the readers of libfhe do.
class Store {
 public:
  // Opens or makes the folder; `circuits` holds circuits for everybody (empty: none). Throws
  // Error(io), also when another server uses the folder, and for circuits that are none
  // Error(malformed_file). `clients`, who says how much each may have, and `checks` must outlive
  // the store.
  Store(std::filesystem::path data, const std::filesystem::path& circuits,
        const StoreLimits& limits, const Clients& clients, Checks& checks);
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Makes the folders of a client, and removes or completes what a server left there that was
  // killed. To be called before anything else is done for the client; later calls do nothing.
  // One thread at a time. Throws Error(io).
  void open(const std::string& client);

  [[nodiscard]] const StoreLimits& limits() const { return limits_; }

  // A new file of so many bytes, its name ending in `suffix`. Refusal(507) when the client's quota
  // or the disk does not hold it.
  [[nodiscard]] Upload upload(const std::string& client, std::uint64_t bytes,
                              const std::string& suffix);

  // These check an upload and give it its name. Adding what is there already changes nothing.
  [[nodiscard]] KeyEntry add_key(const std::string& client, const Upload& upload);
  [[nodiscard]] CiphertextsEntry add_ciphertexts(const std::string& client, const std::string& key,
                                                 const Upload& upload);
  // A circuit that is there gets the label, unless that is empty.
  [[nodiscard]] CircuitEntry add_circuit(const std::string& client, const Upload& upload,
                                         const std::string& label);

  // What there is of a client; Refusal(404) for what is not there.
  [[nodiscard]] CiphertextsEntry ciphertexts(const std::string& client, const std::string& key,
                                             const std::string& id) const;
  [[nodiscard]] std::vector<KeyEntry> keys(const std::string& client) const;
  [[nodiscard]] std::vector<CircuitEntry> circuits(const std::string& client) const;

  // Where things are; Refusal(404) for what is not there, and Refusal(409) for ciphertexts of
  // another key of the client.
  [[nodiscard]] std::filesystem::path key_file(const std::string& client,
                                               const std::string& key) const;
  [[nodiscard]] std::filesystem::path ciphertexts_file(const std::string& client,
                                                       const std::string& key,
                                                       const std::string& id) const;
  [[nodiscard]] std::filesystem::path circuit_file(const std::string& client,
                                                   const std::string& name) const;
  [[nodiscard]] std::filesystem::path jobs_folder(const std::string& client) const;

  // The facts of a circuit (checks.hpp) and its "label"; Refusal(404) for what is not there.
  [[nodiscard]] Json circuit_facts(const std::string& client, const std::string& name) const;

  // Refusal(404) for what is not there. A key goes with its ciphertexts.
  void remove_key(const std::string& client, const std::string& key);
  void remove_ciphertexts(const std::string& client, const std::string& key, const std::string& id);
  void remove_circuit(const std::string& client, const std::string& name);

  // Of all files of a client, those on their way in not counted.
  [[nodiscard]] std::uint64_t used_bytes(const std::string& client) const;

  // Refusal(507) when the client may not have `bytes` more, or the disk has no space for them.
  void require_room(const std::string& client, std::uint64_t bytes) const;

  // Whether the disk has no more than what is to stay free.
  [[nodiscard]] bool disk_is_low() const;

 private:
  friend class Upload;

  [[nodiscard]] std::filesystem::path folder(const std::string& client) const;
  [[nodiscard]] Json facts_of_shipped(const std::filesystem::path& circuit) const;
  void load_shipped(const std::filesystem::path& circuits);
  void restore(const std::string& client);
  void restore_key(const std::string& client, const std::filesystem::path& home);
  void restore_facts(const std::string& client, const Check& check);
  void require_room_locked(const std::string& client, std::uint64_t bytes) const;
  void require_disk_locked(std::uint64_t bytes) const;
  void release(const std::string& client, std::uint64_t bytes);

  const std::filesystem::path data_;
  const StoreLimits limits_;
  const FolderLock lock_;
  struct Shipped {
    std::filesystem::path path;
    Json facts;
  };

  const Clients& clients_;
  Checks& checks_;
  std::map<std::string, Shipped> shipped_;
  mutable ClientLocks changing_;  // held while a file gets its name, or is removed
  mutable std::mutex guard_;
  std::set<std::string> open_;                     // clients whose folders are
  std::map<std::string, std::uint64_t> reserved_;  // bytes of uploads that are under way, by client
};

}  // namespace fhe::outsource

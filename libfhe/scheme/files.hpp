// Keys and ciphertexts in files (libfhe/wire/FORMAT.md).
//
// Saving is atomic: the file is there whole or not at all. Loading trusts nothing and checks
// everything before it is used. Errors: Error(io), Error(malformed_file) with file and byte,
// Error(wrong_key), Error(invalid_argument) beyond the limits. Files are written within the limits
// that they are read with, so nothing is saved that cannot be loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/wire/container.hpp"
#include "libfhe/wire/passphrase.hpp"

namespace fhe {

void save(const std::filesystem::path& path, const PublicKey& key);

// Readable by the owner only; not encrypted.
void save(const std::filesystem::path& path, const SecretKey& key);

// What a secret key is encrypted under: scrypt and AES-256-GCM (FORMAT.md, "Under a passphrase").
struct PassphraseLock {
  const Passphrase& passphrase;  // must outlive the call
  ScryptCost cost = {};          // Error(invalid_argument) unless it is bearable
};

// Readable by the owner only, and encrypted.
void save(const std::filesystem::path& path, const SecretKey& key, const PassphraseLock& lock);

// Both files in one step, older ones of these names replaced; they are gone then. Whenever the
// process is killed, what is read from these files afterwards is the older pair or the new one, as
// a whole: see clear_leftovers() for what it may leave beside them. On an error the older files are
// there as before, unless the message says that the new pair is. Throws Error(invalid_argument)
// unless both paths are names in one directory.
void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys);
void save(const std::filesystem::path& public_path, const std::filesystem::path& secret_path,
          const KeyPair& keys, const PassphraseLock& lock);

// Ciphertexts of this key; at least one. Throws Error(wrong_key) for another key's,
// Error(invalid_argument) for none or for a value that is not below the modulus.
void save(const std::filesystem::path& path, const std::vector<Ciphertext>& ciphertexts,
          const PublicKey& key, const ReadLimits& limits = {});

// Throws Error(invalid_argument) unless so many ciphertexts of the key can be saved in one file:
// worth asking before they are made. `what` is the file, as messages name it.
void require_savable(std::uint64_t ciphertexts, const PublicKey& key, const ReadLimits& limits,
                     std::string_view what);

[[nodiscard]] PublicKey load_public_key(const std::filesystem::path& path,
                                        const ReadLimits& limits = {});

// A key under a passphrase is refused: Error(invalid_argument).
[[nodiscard]] SecretKey load_secret_key(const std::filesystem::path& path,
                                        const ReadLimits& limits = {});

// `ask` is called, once, for a key under a passphrase, and for no other. Throws Error(wrong_key)
// when its answer is not the passphrase.
using AskPassphrase = std::function<Passphrase()>;
[[nodiscard]] SecretKey load_secret_key(const std::filesystem::path& path, const AskPassphrase& ask,
                                        const ReadLimits& limits = {});

// Ciphertexts of the given key: throws Error(wrong_key) for another key's, Error(malformed_file)
// for a value that is not below the modulus.
[[nodiscard]] std::vector<Ciphertext> load_ciphertexts(const std::filesystem::path& path,
                                                       const PublicKey& key,
                                                       const ReadLimits& limits = {});
[[nodiscard]] std::vector<Ciphertext> load_ciphertexts(const std::filesystem::path& path,
                                                       const SecretKey& key,
                                                       const ReadLimits& limits = {});

// For objects that hold ciphertexts among other sections (circuit/checkpoint.hpp): the header of an
// object of this key, the sections of ciphertexts and their size in bytes (2^64 - 1 when that is no
// size), and the checks that there are not too many and that a file belongs to the key.
[[nodiscard]] ObjectHeader file_header(ObjectKind kind, const PublicKey& key);
[[nodiscard]] std::uint64_t ciphertexts_bytes(std::uint64_t ciphertexts, const PublicKey& key);
void require_writable_count(std::uint64_t ciphertexts, const ReadLimits& limits,
                            std::string_view what);
void write_ciphertexts(ContainerWriter& out, const std::vector<Ciphertext>& ciphertexts,
                       const PublicKey& key);
void require_file_of(const ContainerReader& in, const PublicKey& key);
[[nodiscard]] std::vector<Ciphertext> read_ciphertexts(ContainerReader& in, const PublicKey& key);

// What a file says about itself, without a key. Of the contents of its sections, only those of
// `meta` are read and checked, and that `values` has the size that they say.
struct FileSummary {
  ObjectHeader header;
  std::uint64_t file_bytes = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sections;  // name, bytes
  std::vector<NoiseBound> noise;                                // of ciphertexts, as claimed
};
[[nodiscard]] FileSummary summarize(const std::filesystem::path& path,
                                    const ReadLimits& limits = {});

}  // namespace fhe

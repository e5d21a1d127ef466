// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts in files, in streams and as bytes in memory (libfhe/storage/FORMAT.md). The
// bytes of an object are the same everywhere, and are read with the same checks and limits.
//
// Saving is atomic: a file is there whole or not at all. Loading trusts nothing and checks
// everything before it is used. Errors: Error(io), Error(malformed_file) with file and byte,
// Error(wrong_key), also for an intact object of another kind or family, with what takes it
// (family.hpp), Error(invalid_argument) beyond the limits. Files are written within the limits that
// they are read with, so nothing is saved that could not be loaded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/passphrase.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe {

// Saves a public key. Where the key is large, it takes its time: the monitor watches. Throws
// Error(stopped).
FHE_EXPORT void save(const std::filesystem::path& path, const PublicKey& key,
                     const Monitor& monitor = {});

// Saves a secret key, not encrypted, in a file that only its owner can read.
FHE_EXPORT void save(const std::filesystem::path& path, const SecretKey& key);

// What a secret key is encrypted under: scrypt and AES-256-GCM (FORMAT.md, "Under a passphrase").
struct FHE_EXPORT PassphraseLock {
  const Passphrase& passphrase;  // must outlive the call
  ScryptCost cost = {};          // Error(invalid_argument) unless is_bearable()
};

// Saves a secret key, encrypted, in a file that only its owner can read.
FHE_EXPORT void save(const std::filesystem::path& path, const SecretKey& key,
                     const PassphraseLock& lock);

// Saves both keys in one step, with or without encryption of the secret one; older files of these
// names are replaced. Whenever the process is killed, what is read from these files afterwards is
// either the older pair or the new one: see clear_leftovers() for what may be left beside them. On
// an error the older files are there as before, unless the message says that the new pair is.
// Throws Error(invalid_argument) unless both paths are names in one directory; Error(stopped).
FHE_EXPORT void save(const std::filesystem::path& public_path,
                     const std::filesystem::path& secret_path, const KeyPair& keys,
                     const Monitor& monitor = {});
FHE_EXPORT void save(const std::filesystem::path& public_path,
                     const std::filesystem::path& secret_path, const KeyPair& keys,
                     const PassphraseLock& lock, const Monitor& monitor = {});

// Saves ciphertexts of this key, at least one. Throws Error(wrong_key) for those of another key,
// Error(invalid_argument) for none and for a value that is not below the modulus.
FHE_EXPORT void save(const std::filesystem::path& path, const std::vector<Ciphertext>& ciphertexts,
                     const PublicKey& key, const ReadLimits& limits = {});

// Saves compressed ciphertexts of this key, at least one. Throws Error(wrong_key) for those of
// another key, Error(invalid_argument) for none, and for so many that the file would be beyond the
// limits when they are whole.
FHE_EXPORT void save(const std::filesystem::path& path, const CompressedCiphertexts& compressed,
                     const SecretKey& key, const ReadLimits& limits = {});
FHE_EXPORT void save(const std::filesystem::path& path, const CompressedCiphertexts& compressed,
                     const PublicKey& key, const ReadLimits& limits = {});

// The same to a stream (opened with std::ios::binary), which is flushed: public keys, secret keys
// not encrypted and under a passphrase, ciphertexts, and compressed ones. Takes no memory beside
// the object. Throws Error(io) when the stream fails, which has then got a part of the object.
FHE_EXPORT void save(std::ostream& out, const PublicKey& key);
FHE_EXPORT void save(std::ostream& out, const SecretKey& key);
FHE_EXPORT void save(std::ostream& out, const SecretKey& key, const PassphraseLock& lock);
FHE_EXPORT void save(std::ostream& out, const std::vector<Ciphertext>& ciphertexts,
                     const PublicKey& key, const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const CompressedCiphertexts& compressed,
                     const SecretKey& key, const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const CompressedCiphertexts& compressed,
                     const PublicKey& key, const ReadLimits& limits = {});

// The same as bytes: public keys, secret keys, which overwrite the bytes when they are freed,
// secret keys under a passphrase, ciphertexts, and compressed ones.
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const PublicKey& key);
[[nodiscard]] FHE_EXPORT SecretBytes to_bytes(const SecretKey& key);
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const SecretKey& key,
                                                         const PassphraseLock& lock);
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const std::vector<Ciphertext>& ciphertexts,
                                                         const PublicKey& key,
                                                         const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const CompressedCiphertexts& compressed,
                                                         const SecretKey& key,
                                                         const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const CompressedCiphertexts& compressed,
                                                         const PublicKey& key,
                                                         const ReadLimits& limits = {});

// Throws Error(invalid_argument) unless this number of ciphertexts of the key can be saved in one
// file: worth asking before they are made. `what` is the name of the file in messages.
FHE_EXPORT void require_savable(std::uint64_t ciphertexts, const PublicKey& key,
                                const ReadLimits& limits, std::string_view what);

// The public key of a file, of bytes in memory or of a stream (see Source). It is read piece by
// piece and takes no memory beside the key. Throws Error(stopped).
[[nodiscard]] FHE_EXPORT PublicKey load_public_key(const Source& source,
                                                   const ReadLimits& limits = {},
                                                   const Monitor& monitor = {});

// The secret key of a source. Throws Error(invalid_argument) for one under a passphrase.
[[nodiscard]] FHE_EXPORT SecretKey load_secret_key(const Source& source,
                                                   const ReadLimits& limits = {});

// Returns the passphrase of a key, asking whoever knows it.
using AskPassphrase = std::function<Passphrase()>;

// The secret key of a source. `ask` is called once for a key under a passphrase, and never for any
// other. Throws Error(wrong_key) when its answer is not the passphrase.
[[nodiscard]] FHE_EXPORT SecretKey load_secret_key(const Source& source, const AskPassphrase& ask,
                                                   const ReadLimits& limits = {});

// The ciphertexts of a source, which must belong to the given key; compressed ones are expanded,
// and are within the limits if the file of the whole ones would be. Throws Error(wrong_key) for
// those of another key, Error(malformed_file) for a value that is not below the modulus.
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> load_ciphertexts(const Source& source,
                                                                  const PublicKey& key,
                                                                  const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> load_ciphertexts(const Source& source,
                                                                  const SecretKey& key,
                                                                  const ReadLimits& limits = {});

// The compressed ciphertexts of a source, as they are. Throws Error(invalid_argument) for
// whole ones, and as load_ciphertexts().
[[nodiscard]] FHE_EXPORT CompressedCiphertexts load_compressed_ciphertexts(
    const Source& source, const PublicKey& key, const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT CompressedCiphertexts load_compressed_ciphertexts(
    const Source& source, const SecretKey& key, const ReadLimits& limits = {});

// For objects that hold ciphertexts among other sections (circuit/checkpoint.hpp): the header of an
// object of this key; where ciphertexts are; the size in bytes of the sections of ciphertexts (at
// most 2^64 - 1, also when they would be larger), and how to write and read them; the checks that
// there are not too many and that a file belongs to the key.
[[nodiscard]] FHE_EXPORT ObjectHeader file_header(ObjectKind kind, const PublicKey& key);
[[nodiscard]] FHE_EXPORT std::uint64_t ciphertexts_bytes(std::uint64_t ciphertexts,
                                                         const PublicKey& key);
FHE_EXPORT void require_writable_count(std::uint64_t ciphertexts, const ReadLimits& limits,
                                       std::string_view what);
[[nodiscard]] FHE_EXPORT std::vector<const Ciphertext*> pointers_to(
    const std::vector<Ciphertext>& ciphertexts);
FHE_EXPORT void write_ciphertexts(SectionWriter& out,
                                  const std::vector<const Ciphertext*>& ciphertexts,
                                  const PublicKey& key);
FHE_EXPORT void require_file_of(const ContainerReader& in, const PublicKey& key);
[[nodiscard]] FHE_EXPORT std::vector<Ciphertext> read_ciphertexts(ContainerReader& in,
                                                                  const PublicKey& key);

// What a file says about itself, without a key.
struct FHE_EXPORT FileSummary {
  ObjectHeader header;                                          // kind, key and parameter group
  std::uint64_t file_bytes = 0;                                 // size of the file
  std::vector<std::pair<std::string, std::uint64_t>> sections;  // name, bytes
  std::vector<NoiseBound> noise;                                // of encrypted bits, as claimed
  bool compressed = false;                                      // ciphertexts that are
};

// The summary of a source; she::load_slots() says more about ciphertexts of numbers. Of the
// contents of its sections only those of `meta` or `seeded` are read and checked, and that `values`
// or `delta` has the size that they say.
[[nodiscard]] FHE_EXPORT FileSummary summarize(const Source& source, const ReadLimits& limits = {});

}  // namespace fhe

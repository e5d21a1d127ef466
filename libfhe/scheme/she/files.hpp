// SPDX-License-Identifier: Apache-2.0
// Secret keys of numbers in slots, and the ciphertexts, as files, bytes and streams: the container
// of libfhe/storage/FORMAT.md. Threads, errors and limits are as in libfhe/scheme/files.hpp.
//
// A file of ciphertexts holds its parameter group, so that who computes with it needs nothing else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/compressed_slots.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/she/slots.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe::she {

// Saves a secret key in a file that only its owner can read: as it is, and under a passphrase.
FHE_EXPORT void save(const std::filesystem::path& path, const SecretKey& key);
FHE_EXPORT void save(const std::filesystem::path& path, const SecretKey& key,
                     const PassphraseLock& lock);
// The same as bytes, which are overwritten when they are freed.
[[nodiscard]] FHE_EXPORT SecretBytes to_bytes(const SecretKey& key);

// The secret key of a source. `ask` is called once for a key under a passphrase, and never for any
// other; without it, such a key is an Error(invalid_argument). Throws Error(wrong_key) when the
// answer is not the passphrase, Error(malformed_file) for a key that is none, or is not the one
// that its id names (where there is a public key, the id is that key's, and not checked here).
[[nodiscard]] FHE_EXPORT SecretKey load_secret_key(const Source& source,
                                                   const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT SecretKey load_secret_key(const Source& source, const AskPassphrase& ask,
                                                   const ReadLimits& limits = {});

// Saves both keys of a pair in one step, as libfhe/scheme/files.hpp does; and a public key alone,
// also as bytes.
FHE_EXPORT void save(const std::filesystem::path& public_path,
                     const std::filesystem::path& secret_path, const KeyPair& keys);
FHE_EXPORT void save(const std::filesystem::path& public_path,
                     const std::filesystem::path& secret_path, const KeyPair& keys,
                     const PassphraseLock& lock);
FHE_EXPORT void save(const std::filesystem::path& path, const PublicKey& key);
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const PublicKey& key);

// The public key of a source.
[[nodiscard]] FHE_EXPORT PublicKey load_public_key(const Source& source,
                                                   const ReadLimits& limits = {});

// Saves ciphertexts of this group and of one key, at least one: whole and compressed ones, in a
// file, to a stream (opened with std::ios::binary) and as bytes. Throws Error(wrong_key) for those
// of another group or of several keys, Error(invalid_argument) for none and for what no operation
// would take.
FHE_EXPORT void save(const std::filesystem::path& path, const std::vector<Slots>& slots,
                     const ParameterSet& group, const ReadLimits& limits = {});
FHE_EXPORT void save(const std::filesystem::path& path, const CompressedSlots& slots,
                     const ParameterSet& group, const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const std::vector<Slots>& slots, const ParameterSet& group,
                     const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const CompressedSlots& slots, const ParameterSet& group,
                     const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const std::vector<Slots>& slots,
                                                         const ParameterSet& group,
                                                         const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const CompressedSlots& slots,
                                                         const ParameterSet& group,
                                                         const ReadLimits& limits = {});

// What a file of ciphertexts holds.
struct FHE_EXPORT LoadedSlots {
  ParameterSet group;        // the group of their key
  std::vector<Slots> slots;  // at least one, all of one key; compressed ones are expanded
  bool compressed = false;   // whether the file had compressed ones
};

// The ciphertexts of a source, whole or compressed: what compressed ones take when they are
// expanded is held to the limits too. Whatever is returned every operation takes, as far as its
// noise allows. Throws Error(stopped).
[[nodiscard]] FHE_EXPORT LoadedSlots load_slots(const Source& source, const ReadLimits& limits = {},
                                                const Monitor& monitor = {});

}  // namespace fhe::she

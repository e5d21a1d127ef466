// SPDX-License-Identifier: Apache-2.0
// Modulus-switching keys in files, in streams and as bytes in memory (libfhe/storage/FORMAT.md), as
// scheme/files.hpp has it for other keys.
//
//   save("rung.fhe", rung.public_key);                            // as any public key
//   save("switch.fhe", rung.switch_key, keys.public_key);
//   const PublicKey to = load_public_key("rung.fhe");
//   const dghv::ModulusSwitch down = dghv::load_modulus_switch("switch.fhe", keys.public_key, to);
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/scheme/dghv/modulus_switch.hpp"
#include "libfhe/scheme/keys.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe::dghv {

// Saves a switching key from the public key `from`: whole or not at all; to a stream, which is
// flushed; as bytes. Throws Error(wrong_key) unless it leads from that key, Error(io), and
// Error(invalid_argument) beyond the limits.
FHE_EXPORT void save(const std::filesystem::path& path, const ModulusSwitch& key,
                     const PublicKey& from, const ReadLimits& limits = {});
FHE_EXPORT void save(std::ostream& out, const ModulusSwitch& key, const PublicKey& from,
                     const ReadLimits& limits = {});
[[nodiscard]] FHE_EXPORT std::vector<std::byte> to_bytes(const ModulusSwitch& key,
                                                         const PublicKey& from,
                                                         const ReadLimits& limits = {});

// The switching key of a source, which must lead from the one key to the other. Throws
// Error(wrong_key) for one that leads elsewhere, Error(invalid_argument) where `to` is not the key
// of a rung, Error(io), Error(malformed_file), and Error(invalid_argument) beyond the limits.
[[nodiscard]] FHE_EXPORT ModulusSwitch load_modulus_switch(const Source& source,
                                                           const PublicKey& from,
                                                           const PublicKey& to,
                                                           const ReadLimits& limits = {});

}  // namespace fhe::dghv

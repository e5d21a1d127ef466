// SPDX-License-Identifier: Apache-2.0
// What the files of all keys and ciphertexts have in common. Not installed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/writable_object.hpp"

namespace fhe {

// The header of an object of this key, and the key that a header names.
ObjectHeader object_header(ObjectKind kind, const ParameterSet& group, const KeyId& id);
KeyId key_id_of(const ObjectHeader& header);

// The section `params`. Reading checks that the header names this group, and that it has no flaw.
// Throw Error(invalid_parameters) for a text that is too long, Error(malformed_file).
void write_parameters(SectionWriter& out, const ParameterSet& group);
ParameterSet read_parameters(ContainerReader& in);

// Sections of a secret key under a passphrase, and how many these are. They are computed at once,
// since each time draws a salt.
inline constexpr std::size_t kSealedSections = 3;
WritableObject sealed_object(const ParameterSet& group, const KeyId& id,
                             const WriteSections& write_values, const PassphraseLock& lock);

// What to ask where nobody can be asked: throws Error(invalid_argument) about the file.
AskPassphrase no_passphrase(const std::string& name);

// Throws Error(invalid_argument) when a file holds more ciphertexts than its reader takes.
void require_readable_count(const ContainerReader& in, std::uint64_t count);

// Throws Error(invalid_argument) when the keys of a pair would have one name.
void require_two_files(const std::filesystem::path& public_path,
                       const std::filesystem::path& secret_path);

// 'path'
std::string quoted_path(const std::filesystem::path& path);

// Sections that a monitor is told of while they are written: a public key may have gigabytes.
//
// Passes everything on to `out`, and throws Error(stopped) between two pieces.
class WatchedSections final : public SectionWriter {
 public:
  // About `bytes` bytes will come. All arguments must outlive the object.
  WatchedSections(SectionWriter& out, const Monitor& monitor, std::string_view phase,
                  std::uint64_t bytes)
      : out_(out), progress_(monitor, phase, bytes), left_(bytes) {}

  void begin_section(std::string_view name) override { out_.begin_section(name); }
  void write(std::span<const std::byte> bytes) override {
    out_.write(bytes);
    const std::size_t counted = std::min(bytes.size(), left_);
    left_ -= counted;
    progress_.advance(counted);
  }

  // Says that all have come.
  void finish() { progress_.advance(std::exchange(left_, 0)); }

 private:
  SectionWriter& out_;
  Progress progress_;
  std::size_t left_;
};

}  // namespace fhe

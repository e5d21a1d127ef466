// SPDX-License-Identifier: Apache-2.0
// Keys and ciphertexts that a command reads from a file, a pipe or standard input.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <span>
#include <streambuf>
#include <string>
#include <vector>

#include "apps/cli/input.hpp"
#include "apps/cli/session.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/container.hpp"
#include "libfhe/storage/source.hpp"

namespace fhe::cli {

// Whether `path` is no file but something that bytes come from: "-" for standard input, a pipe, a
// terminal or another device.
bool is_piped(const std::string& path);

// Clears what interrupted writers left beside the file; there is no such place beside a pipe.
void clear_leftovers(const std::string& path);

// An Input as a stream with a buffer that holds no more than the start of an object, which says
// what it is. One thread at a time.
class InputBuffer final : public std::streambuf {
 public:
  InputBuffer(const std::string& path, const std::stop_token& stop) : input_(path, stop) {}

  // What was read and not taken.
  [[nodiscard]] std::span<const std::byte> waiting() const {
    return std::as_bytes(std::span(gptr(), egptr()));
  }

 protected:
  int_type underflow() override;
  std::streamsize xsgetn(char* out, std::streamsize count) override;

 private:
  Input input_;
  std::array<char, kSchemeAnnouncingBytes> next_{};
};

// The one object that comes through a pipe. One thread at a time.
class PipedObject {
 public:
  // Waits for its first byte, but not past a stop request. Throws Error(io), Error(stopped), and
  // Error(malformed_file) when there is none.
  PipedObject(const std::string& path, const std::stop_token& stop);

  // To read it from, with errors as above.
  [[nodiscard]] Source source() { return {stream_, name_}; }

  // The bytes that say what it is, as long as nothing was read.
  [[nodiscard]] std::span<const std::byte> start() const { return buffer_.waiting(); }

  // Throws Error(malformed_file) when anything follows it.
  void require_end();

 private:
  std::string name_;
  InputBuffer buffer_;
  std::istream stream_;
};

// What `load` makes of the Source that `path` stands for: a file, or all that comes through a pipe.
// Throws what `load` throws, and as PipedObject.
template <class Load>
auto read_object(const std::string& path, const Session& session, const Load& load) {
  if (!is_piped(path)) return load(Source(path));
  PipedObject piped(path, session.monitor().stop);
  auto object = load(piped.source());
  piped.require_end();
  return object;
}

// Whether what starts so is an object of numbers in slots.
bool starts_numbers(std::span<const std::byte> start);
bool starts_numbers(const Source& file);

// As read_object(), for a `load` that is also told whether the object is of numbers in slots.
template <class Load>
auto read_any_object(const std::string& path, const Session& session, const Load& load) {
  if (!is_piped(path)) return load(Source(path), starts_numbers(Source(path)));
  PipedObject piped(path, session.monitor().stop);
  auto object = load(piped.source(), starts_numbers(piped.start()));
  piped.require_end();
  return object;
}

// The ciphertexts of this key that `path` stands for. Throws as load_ciphertexts() and
// read_object().
template <class Key>
std::vector<Ciphertext> open_ciphertexts(const std::string& path, const Key& key,
                                         const Session& session) {
  return read_object(path, session, [&](const Source& source) {
    return load_ciphertexts(source, key, session.limits());
  });
}

// What is read more than once: a file, or all that has come through a pipe, in memory.
class KeptObject {
 public:
  // Throws as PipedObject, and Error(invalid_argument) past so many bytes.
  KeptObject(const std::string& path, std::uint64_t most_bytes, const Session& session);
  KeptObject(const KeptObject&) = delete;
  KeptObject& operator=(const KeptObject&) = delete;

  [[nodiscard]] const Source& source() const { return *source_; }

 private:
  SecretBytes bytes_;
  std::optional<Source> source_;
};

}  // namespace fhe::cli

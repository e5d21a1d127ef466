// SPDX-License-Identifier: Apache-2.0
// Where an object is read from: a file, bytes in memory, or a stream.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "libfhe/export.hpp"

namespace fhe {

// The bytes of a source, by their distance from its start. Threads: one at a time.
class FHE_EXPORT OpenSource {
 public:
  virtual ~OpenSource() = default;

  // How many there are; nothing where only the end will tell.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes() const = 0;

  // Reads those at [offset, offset + out.size()), or as many of them as there are, and returns the
  // end of what was read. Those of a stream are read in their order, once: Error(invalid_argument)
  // for an offset before the end of the last call; with no bytes in `out`, what is before `offset`
  // is skipped. Throws Error(io).
  [[nodiscard]] virtual std::uint64_t read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

// What functions that read an object take: each of the three stands for a Source. What it was made
// of must outlive it and stay as it is while it is read.
class FHE_EXPORT Source {
 public:
  // A regular file, by its path, or by what becomes one and is kept as such.
  Source(const std::filesystem::path& file);
  template <class Path>
    requires std::convertible_to<const Path&, std::filesystem::path>
  Source(const Path& file) : from_(std::filesystem::path(file)) {}

  // Bytes in memory: a span of const std::byte, or what becomes one. `name` is for messages.
  template <class Bytes>
    requires std::convertible_to<const Bytes&, std::span<const std::byte>>
  Source(const Bytes& bytes, std::string name = "bytes in memory")
      : from_(std::span<const std::byte>(bytes)), name_(std::move(name)) {}

  // A stream of bytes (opened with std::ios::binary), from where it stands. An object is read in
  // one go, without a copy beside the object itself, and the stream then stands behind it, where
  // another may follow; after an error it stands anywhere. Of a secret key copies stay in the
  // buffer of the stream, if it has one. `name` is for messages.
  Source(std::istream& in, std::string name = "stream");

  // How messages call it: the path of a file, or the name of the bytes or the stream.
  [[nodiscard]] std::string name() const;

  // Opens it. Completes an interrupted replacement of a pair of keys beside a file before that
  // (clear_leftovers()), so that nobody reads one new key and one old one. Throws Error(io) for a
  // file that cannot be read or is none.
  [[nodiscard]] std::unique_ptr<OpenSource> open() const;

 private:
  // The path of a file; none for the others.
  [[nodiscard]] const std::filesystem::path* file() const;

  std::variant<const std::filesystem::path*, std::filesystem::path, std::span<const std::byte>,
               std::istream*>
      from_;
  std::string name_;  // of what is no file
};

}  // namespace fhe

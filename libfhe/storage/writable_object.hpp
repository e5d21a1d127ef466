// SPDX-License-Identifier: Apache-2.0
// An object as a container that can be written anywhere: to a file, a stream or memory. Not
// installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string_view>

#include "libfhe/storage/container.hpp"

namespace fhe {

// What messages call an object that has no file.
inline constexpr std::string_view kNamelessObject = "the object";

// An object as it is written: the same at every call.
struct WritableObject {
  ObjectHeader header;
  WriteSections write;
  ReadLimits limits = {};
};

// A file of so many sections, whole or not at all.
void to_file(const std::filesystem::path& path, const WritableObject& object,
             std::size_t section_count);

// Throws Error(io) when the stream fails, which has then got a part of the object.
void to_stream(std::ostream& out, const WritableObject& object);

// In memory that is allocated once.
template <class Bytes>
Bytes in_memory(const WritableObject& object) {
  Bytes bytes;
  write_container(
      object.header, object.write, [&](std::uint64_t size) { bytes.reserve(size); },
      [&](std::span<const std::byte> next) { bytes.insert(bytes.end(), next.begin(), next.end()); },
      object.limits, kNamelessObject);
  return bytes;
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/writable_object.hpp"

#include <cerrno>
#include <ios>
#include <ostream>
#include <system_error>

#include <fmt/format.h>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

// A stream that throws at failures has its own way to say so; its state says it as well.
template <class Act>
void require_written(std::ostream& out, const Act& act) {
  errno = 0;
  try {
    act();
  } catch (const std::ios_base::failure&) {  // NOLINT(bugprone-empty-catch): looked at below
  }
  if (out) return;
  throw Error(ErrorCode::io,
              fmt::format("cannot write to the stream: {}; what it got is a part of the object",
                          errno != 0 ? std::system_category().message(errno) : "it failed"));
}

}  // namespace

void to_file(const std::filesystem::path& path, const WritableObject& object,
             std::size_t section_count) {
  ContainerWriter out(path, object.header, section_count, object.limits);
  object.write(out);
  out.commit();
}

void to_stream(std::ostream& out, const WritableObject& object) {
  write_container(
      object.header, object.write, [](std::uint64_t) {},
      [&](std::span<const std::byte> next) {
        require_written(out, [&] {
          out.write(reinterpret_cast<const char*>(next.data()),
                    static_cast<std::streamsize>(next.size()));
        });
      },
      object.limits, kNamelessObject);
  require_written(out, [&] { out.flush(); });
}

}  // namespace fhe

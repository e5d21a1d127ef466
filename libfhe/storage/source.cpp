// SPDX-License-Identifier: Apache-2.0
#include "libfhe/storage/source.hpp"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <istream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/secret/vector.hpp"
#include "libfhe/storage/file_pair.hpp"
#include "libfhe/storage/file_target.hpp"

namespace fhe {

namespace {

namespace fs = std::filesystem;

Error read_error(const std::string& name, const std::string& reason) {
  return {ErrorCode::io,
          fmt::format("cannot read '{}': {}; check the path, the permissions and the disk", name,
                      reason)};
}

std::string system_reason(std::string_view otherwise) {
  return errno != 0 ? std::system_category().message(errno) : std::string(otherwise);
}

// A file that does not exist yet may be one of the pair.
void finish_pair_beside(const fs::path& path) {
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(path, failure);
  if (!failure) finish_pair(directory_of(real));
}

// Opening a pipe would wait for its writer, and a device has no size to check against.
void require_regular_file(const fs::path& path) {
  std::error_code failure;
  const auto status = fs::status(path, failure);
  if (failure) throw read_error(path.string(), failure.message());
  if (!exists(status)) {
    throw read_error(path.string(),
                     std::make_error_code(std::errc::no_such_file_or_directory).message());
  }
  if (!is_regular_file(status)) {
    throw read_error(path.string(), is_directory(status)
                                        ? "it is a directory"
                                        : "it is no regular file; of a pipe or a device give a "
                                          "stream (in C++ a std::istream)");
  }
}

// The part of `out` that bytes at `offset` of so many in all fill.
std::span<std::byte> filled_part(std::span<std::byte> out, std::uint64_t offset,
                                 std::uint64_t bytes) {
  return out.first(std::min<std::uint64_t>(out.size(), bytes - std::min(offset, bytes)));
}

class FileBytes final : public OpenSource {
 public:
  explicit FileBytes(const fs::path& path) : name_(path.string()) {
    finish_pair_beside(path);
    require_regular_file(path);
    // No stream buffer: it would keep copies of secrets.
    file_.rdbuf()->pubsetbuf(nullptr, 0);
    errno = 0;
    file_.open(path, std::ios::binary | std::ios::ate);
    if (!file_) throw read_error(name_, std::system_category().message(errno));
    bytes_ = static_cast<std::uint64_t>(std::streamoff{file_.tellg()});
  }

  [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return bytes_; }

  [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::span<std::byte> out) override {
    const std::span<std::byte> part = filled_part(out, offset, bytes_);
    errno = 0;
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(reinterpret_cast<char*>(part.data()), static_cast<std::streamsize>(part.size()));
    if (file_) return offset + part.size();
    throw read_error(name_, system_reason("the file became shorter while it was read"));
  }

 private:
  std::string name_;
  std::ifstream file_;
  std::uint64_t bytes_ = 0;
};

class MemoryBytes final : public OpenSource {
 public:
  explicit MemoryBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return bytes_.size(); }

  [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::span<std::byte> out) override {
    const std::span<std::byte> part = filled_part(out, offset, bytes_.size());
    if (!part.empty()) std::ranges::copy(bytes_.subspan(offset, part.size()), part.begin());
    return offset + part.size();
  }

 private:
  std::span<const std::byte> bytes_;
};

class StreamBytes final : public OpenSource {
 public:
  StreamBytes(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  [[nodiscard]] std::optional<std::uint64_t> bytes() const override { return std::nullopt; }

  [[nodiscard]] std::uint64_t read(std::uint64_t offset, std::span<std::byte> out) override {
    if (offset < position_) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("'{}' is a stream, which is read once and in its order", name_));
    }
    while (position_ < offset) {
      SecretBytes skipped(std::min<std::uint64_t>(offset - position_, kSkippedAtOnce));
      if (!take(skipped)) return position_;
    }
    take(out);
    return position_;
  }

 private:
  static constexpr std::uint64_t kSkippedAtOnce = 64 * 1024;

  // Whether all of them came.
  bool take(std::span<std::byte> out) {
    errno = 0;
    try {
      in_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    } catch (const std::ios_base::failure&) {  // NOLINT(bugprone-empty-catch): its state says it
    }
    const auto count = static_cast<std::uint64_t>(in_.gcount());
    position_ += count;
    if (in_.bad()) throw read_error(name_, system_reason("the stream failed"));
    return count == out.size();
  }

  std::istream& in_;
  std::string name_;
  std::uint64_t position_ = 0;
};

}  // namespace

Source::Source(const fs::path& file) : from_(&file) {}

Source::Source(std::istream& in, std::string name) : from_(&in), name_(std::move(name)) {}

const fs::path* Source::file() const {
  if (const auto* const path = std::get_if<const fs::path*>(&from_)) return *path;
  return std::get_if<fs::path>(&from_);
}

std::string Source::name() const {
  const fs::path* const path = file();
  return path != nullptr ? path->string() : name_;
}

std::unique_ptr<OpenSource> Source::open() const {
  if (const fs::path* const path = file()) return std::make_unique<FileBytes>(*path);
  if (const auto* const bytes = std::get_if<std::span<const std::byte>>(&from_)) {
    return std::make_unique<MemoryBytes>(*bytes);
  }
  return std::make_unique<StreamBytes>(*std::get<std::istream*>(from_), name_);
}

}  // namespace fhe

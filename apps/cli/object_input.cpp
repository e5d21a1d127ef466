// SPDX-License-Identifier: Apache-2.0
#include "apps/cli/object_input.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <system_error>

#include <fmt/format.h>

#include "apps/support/file_checks.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/family.hpp"

namespace fhe::cli {

bool is_piped(const std::string& path) {
  if (path == "-") return true;
  std::error_code failure;
  const std::filesystem::file_status status = std::filesystem::status(path, failure);
  return is_fifo(status) || is_character_file(status);
}

void clear_leftovers(const std::string& path) {
  if (!is_piped(path)) apps::clear_leftovers_beside(path);
}

InputBuffer::int_type InputBuffer::underflow() {
  std::size_t count = 0;
  while (count < next_.size()) {
    const std::size_t read = input_.read(std::span(next_).subspan(count));
    if (read == 0) break;
    count += read;
  }
  if (count == 0) return traits_type::eof();
  setg(next_.data(), next_.data(), next_.data() + count);
  return traits_type::to_int_type(next_.front());
}

std::streamsize InputBuffer::xsgetn(char* out, std::streamsize count) {
  std::span<char> left(out, static_cast<std::size_t>(count));
  const std::size_t waited = std::min(left.size(), waiting().size());
  std::copy_n(gptr(), waited, left.begin());
  gbump(static_cast<int>(waited));
  left = left.subspan(waited);
  while (!left.empty()) {
    const std::size_t read = input_.read(left);
    if (read == 0) break;
    left = left.subspan(read);
  }
  return count - static_cast<std::streamsize>(left.size());
}

PipedObject::PipedObject(const std::string& path, const std::stop_token& stop)
    : name_(input_name(path)), buffer_(path, stop), stream_(&buffer_) {
  stream_.exceptions(std::ios::badbit);  // errors of reading pass through as they are
  if (stream_.peek() != std::istream::traits_type::eof()) return;
  throw Error(ErrorCode::malformed_file,
              fmt::format("{} is empty: nothing was written to it, or it was read before for "
                          "another option of this command",
                          name_));
}

void PipedObject::require_end() {
  if (stream_.peek() == std::istream::traits_type::eof()) return;
  throw Error(ErrorCode::malformed_file,
              fmt::format("{} goes on behind the object that was read: send one at a time", name_));
}

bool starts_numbers(std::span<const std::byte> start) {
  const std::optional<std::string> scheme = announced_scheme(start);
  return scheme && is_of_family(*scheme, GroupPurpose::slots);
}

bool starts_numbers(const Source& file) {
  std::array<std::byte, kSchemeAnnouncingBytes> start{};
  const std::uint64_t count = file.open()->read(0, start);
  return starts_numbers(std::span<const std::byte>(start).first(count));
}

KeptObject::KeptObject(const std::string& path, std::uint64_t most_bytes, const Session& session) {
  if (!is_piped(path)) {
    source_.emplace(path);
    return;
  }
  constexpr std::size_t kAtOnce = 64 * 1024;
  const Input input(path, session.monitor().stop);
  SecretBytes block(kAtOnce);
  while (const std::size_t count =
             input.read({reinterpret_cast<char*>(block.data()), block.size()})) {
    if (bytes_.size() + count > most_bytes) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("{} has more bytes than the limit of {}: raise it with "
                              "--max-file-bytes if they are what you expect",
                              input_name(path), most_bytes));
    }
    bytes_.insert(bytes_.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  source_.emplace(bytes_, input_name(path));
}

}  // namespace fhe::cli

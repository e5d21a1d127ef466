// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <system_error>

#include <unistd.h>

#include "accel/gpu/device/compiler.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::gpu {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestBytes = sizeof(Digest);

Digest digest_of(std::span<const char> code) {
  Hasher hasher;
  hasher.update(std::as_bytes(code));
  return hasher.finish();
}

bool write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::optional<std::vector<char>> kept_code(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> code{std::istreambuf_iterator<char>(in), {}};
  if (code.size() <= kDigestBytes) return std::nullopt;
  Digest digest{};
  std::ranges::copy(std::as_bytes(std::span(code).first(kDigestBytes)), digest.begin());
  code.erase(code.begin(), code.begin() + kDigestBytes);
  return digest == digest_of(code) ? std::optional(std::move(code)) : std::nullopt;
}

// mkstemp() gives the temporary file a name that no other thread or process has, and mode 0600.
void keep_code(const fs::path& file, const std::vector<char>& code) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  std::string temporary = file.string() + ".XXXXXX";
  const int out = ::mkstemp(temporary.data());
  if (out < 0) return;
  const bool written = write_all(out, digest_of(code)) &&
                       write_all(out, std::as_bytes(std::span(code))) && ::fsync(out) == 0;
  if (::close(out) == 0 && written) fs::rename(temporary, file, error);
  if (!written || error) fs::remove(temporary, error);
}

}  // namespace fhe::gpu

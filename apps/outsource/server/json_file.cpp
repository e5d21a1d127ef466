// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/json_file.hpp"

#include <fstream>
#include <iterator>
#include <span>
#include <string>

#include "libfhe/storage/atomic_file.hpp"

namespace fhe::outsource {

Json load_json(const std::filesystem::path& path, std::string_view source) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse_json(text, source);
}

void save_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = to_text(json);
  AtomicFile out(path, FileAccess::owner_only);
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace fhe::outsource

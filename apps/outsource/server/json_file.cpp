// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/json_file.hpp"

#include <span>
#include <string>

#include "apps/outsource/input_file.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe::outsource {

std::optional<Json> load_json_if_any(const std::filesystem::path& path, std::string_view source) {
  const std::optional<std::string> text = contents_if_any(path);
  return text ? std::optional(parse_json(*text, source)) : std::nullopt;
}

void save_json(const std::filesystem::path& path, const Json& json) {
  const std::string text = to_text(json);
  AtomicFile out(path, FileAccess::owner_only);
  out.write(std::as_bytes(std::span(text)));
  out.commit();
}

}  // namespace fhe::outsource

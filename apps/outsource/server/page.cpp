// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/page.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "libfhe/storage/digest.hpp"

namespace fhe::outsource {

namespace {

// What stands between <tag> and </tag>.
std::string_view element(std::string_view tag) {
  const std::string_view page = page_html();
  const std::size_t start = page.find(fmt::format("<{}>", tag)) + tag.size() + 2;
  return page.substr(start, page.find(fmt::format("</{}>", tag)) - start);
}

// "'sha256-<base64>'"
std::string source_of(std::string_view text) {
  const Digest digest = sha256(text);
  std::array<unsigned char, 4 * (sizeof(Digest) + 2) / 3 + 1> base64{};
  EVP_EncodeBlock(base64.data(), reinterpret_cast<const unsigned char*>(digest.data()),
                  static_cast<int>(digest.size()));
  return fmt::format("'sha256-{}'", reinterpret_cast<const char*>(base64.data()));
}

}  // namespace

const std::string& page_policy() {
  static const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data:; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'",
      source_of(element("script")), source_of(element("style")));
  return policy;
}

}  // namespace fhe::outsource

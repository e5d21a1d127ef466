// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/tokens.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>

#include "apps/outsource/input_file.hpp"
#include "apps/outsource/messages.hpp"
#include "apps/outsource/private_file.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe::outsource {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytes = 32;
constexpr std::size_t kLongestName = 32;
constexpr std::string_view kScheme = "Bearer ";

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, fits);
}

bool is_token(std::string_view text) {
  return text.size() == 2 * kTokenBytes && is_hex(text);
}

Credential parse_line(std::string_view line, const ClientLimits& usual, const std::string& where) {
  const std::string name(take_word(line));
  const std::string token(take_word(line));
  if (is_name(name) && is_token(token)) return {name, token, limits_from(line, usual, where)};
  throw Error(ErrorCode::malformed_file,
              where + ": expected a line `name token`, as `fhe-outsource token` makes it");
}

}  // namespace

Credential new_credential(const std::string& name) {
  if (!is_name(name)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("'{}' is no name of a client: 1 to {} of a-z, 0-9 and '-'", name,
                            kLongestName));
  }
  std::array<std::byte, kTokenBytes> random;
  SystemRandom().fill(random);
  return {.name = name, .token = to_hex(random)};
}

void save_credential(const fs::path& path, const Credential& credential) {
  if (fs::exists(path)) {
    throw Error(ErrorCode::io,
                fmt::format("'{}' is there already: choose another --out, or remove it first",
                            path.string()));
  }
  const std::string line = fmt::format("{} {}\n", credential.name, credential.token);
  AtomicFile file(path, FileAccess::owner_only);
  file.write(std::as_bytes(std::span(line)));
  file.commit();
}

std::vector<Credential> load_credentials(const fs::path& path, const ClientLimits& usual) {
  const std::string text = contents_of(path);
  require_private(path, "tokens");
  std::vector<Credential> credentials;
  std::size_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    credentials.push_back(parse_line(line, usual, fmt::format("{}:{}", path.string(), number)));
  }
  if (!credentials.empty()) return credentials;
  throw Error(ErrorCode::malformed_file, fmt::format("'{}' holds no token", path.string()));
}

std::string bearer(const std::string& token) {
  return std::string(kScheme) + token;
}

std::string_view token_of(std::string_view header) {
  return header.starts_with(kScheme) ? header.substr(kScheme.size()) : std::string_view();
}

Clients::Clients(const std::vector<Credential>& credentials) {
  replace(credentials);
}

void Clients::replace(const std::vector<Credential>& credentials) {
  std::set<std::string_view> seen;
  std::vector<Client> clients;
  for (const Credential& credential : credentials) {
    if (!seen.insert(credential.name).second || !seen.insert(credential.token).second) {
      throw Error(
          ErrorCode::invalid_argument,
          fmt::format("client '{}' has a name or token that another has too", credential.name));
    }
    clients.push_back({credential.name, sha256(credential.token), credential.limits});
  }
  const std::unique_lock lock(guard_);
  clients_ = std::move(clients);
}

// Digests are compared, so that not even the length of a token shows; and all of them, always.
std::optional<std::string> Clients::find(std::string_view token) const {
  const Digest given = sha256(token);
  const std::shared_lock lock(guard_);
  const Client* found = nullptr;
  for (const Client& client : clients_) {
    if (CRYPTO_memcmp(given.data(), client.digest.data(), given.size()) == 0) found = &client;
  }
  if (found == nullptr) return std::nullopt;
  return found->name;
}

bool Clients::has(const std::string& name) const {
  const std::shared_lock lock(guard_);
  return std::ranges::find(clients_, name, &Client::name) != clients_.end();
}

ClientLimits Clients::limits(const std::string& name) const {
  const std::shared_lock lock(guard_);
  const auto client = std::ranges::find(clients_, name, &Client::name);
  return client == clients_.end() ? ClientLimits() : client->limits;
}

std::vector<std::string> Clients::names() const {
  const std::shared_lock lock(guard_);
  std::vector<std::string> names;
  names.reserve(clients_.size());
  for (const Client& client : clients_) names.push_back(client.name);
  return names;
}

}  // namespace fhe::outsource

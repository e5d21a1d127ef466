// SPDX-License-Identifier: Apache-2.0
// Who may use a server: names and tokens, in files of lines `name token`.
//
// A token is 32 random bytes in hexadecimal. The client's file holds its own line, the server's
// the lines of all clients: `cat alice.token bob.token > clients.tokens`. There, limits of a client
// may stand behind its token: `bob <token> jobs=2 quota=512`.
#pragma once

#include <filesystem>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apps/outsource/client_limits.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe::outsource {

struct Credential {
  std::string name;   // 1 to 32 of a-z, 0-9 and '-': also the name of the client's folder
  std::string token;  // 64 hexadecimal digits
  ClientLimits limits = {};
};

// Throws Error(invalid_argument) for what is no name.
[[nodiscard]] Credential new_credential(const std::string& name);

// Readable by the owner only. Throws Error(io), also when the file is there already.
void save_credential(const std::filesystem::path& path, const Credential& credential);

// At least one, each with these limits but for those that its line says; empty lines and those that
// start with '#' do not count. Throws Error(io), Error(malformed_file), and Error(invalid_argument)
// when others than the owner may read the file.
[[nodiscard]] std::vector<Credential> load_credentials(const std::filesystem::path& path,
                                                       const ClientLimits& usual = {});

// The value of the header Authorization, "Bearer <token>", and the token in one; "" for another.
[[nodiscard]] std::string bearer(const std::string& token);
[[nodiscard]] std::string_view token_of(std::string_view header);

// The clients of a server. Any number of threads.
class Clients {
 public:
  // Throws Error(invalid_argument) when two have the same name or token.
  explicit Clients(const std::vector<Credential>& credentials);

  // Puts others in their place, or throws as above and changes nothing.
  void replace(const std::vector<Credential>& credentials);

  // The name of the client with this token. Takes the same time for every token.
  [[nodiscard]] std::optional<std::string> find(std::string_view token) const;

  [[nodiscard]] bool has(const std::string& name) const;
  // What this client may have; as for any other when there is none of this name.
  [[nodiscard]] ClientLimits limits(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Client {
    std::string name;
    Digest digest;  // of the token
    ClientLimits limits;
  };

  mutable std::shared_mutex guard_;
  std::vector<Client> clients_;
};

}  // namespace fhe::outsource

// SPDX-License-Identifier: Apache-2.0
// The server of the private search: what it refuses, and what it costs.
#include "apps/private_search/client.hpp"
#include "apps/private_search/server.hpp"
#include "libfhe/error.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"

namespace fhe::test {

namespace {

using private_search::Client;
using private_search::KeywordList;
using private_search::Server;

apps::Setting mini() {
  return {ParameterSet::named("cnt-mini"), open_backend()};
}

}  // namespace

TEST_CASE("apps: a search costs an AND for each bit but one, and answers both ways alike",
          "[apps]") {
  const Client client(mini());
  const Server server(client.public_key(), open_backend());
  const KeywordList list{"ab", "b", "ba"};
  const std::size_t bits = private_search::keyword_bits("ba").size();
  CHECK(client.decrypt(server.search(client.encrypt("ba"), list)) == 2);
  CHECK(server.counts().products == list.size() * (bits - 1));
  CHECK(client.decrypt(server.search("ba", client.encrypt(list))) == 2);
  CHECK(server.counts().products == 2 * list.size() * (bits - 1));
  CHECK(client.decrypt(server.search("c", client.encrypt(list))) == std::nullopt);
}

TEST_CASE("apps: a search server refuses what does not belong to it", "[apps]") {
  const Client client(mini());
  const Client stranger(mini());
  const Server server(client.public_key(), open_backend());
  const KeywordList list{"a", "b"};
  CHECK_THROWS_MATCHES(server.search(stranger.encrypt("a"), list), Error,
                       HasCode(ErrorCode::wrong_key));
  std::vector<Ciphertext> cut = apps::received(client.encrypt("a"), client.public_key());
  cut.pop_back();
  CHECK_THROWS_MATCHES(server.search(cut, list), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(server.search(client.encrypt("a"), KeywordList{}), Error,
                       HasCode(ErrorCode::invalid_argument));
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "apps/private_search/server.hpp"
#include "libfhe/error.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::private_search {

NumberServer::NumberServer(const ParameterSet& group, const BackendPtr& backend, KeywordParts parts)
    : group_(group), parts_(parts), arithmetic_(group, backend) {}

std::vector<she::Slots> NumberServer::received(const she::CompressedSlots& query) const {
  if (query.size() == parts_.count()) return query.expand(group_);
  throw Error(ErrorCode::invalid_argument,
              fmt::format("a query of {} ciphertexts for keywords in {} parts", query.size(),
                          parts_.count()));
}

she::Slots NumberServer::difference(const she::Slots& x, std::uint64_t number) const {
  return arithmetic_.add_constant(x, -static_cast<std::int64_t>(number));
}

she::Slots NumberServer::masked(const she::Slots& x) const {
  const std::uint64_t modulus = arithmetic_.parameters().plaintext;
  const Integer room = arithmetic_.parameters().noise_limit() / x.noise();
  const Integer most = std::min(room, Integer(static_cast<unsigned long>(modulus / 2)));
  SystemRandom random;
  for (;;) {
    const std::uint64_t mask = uniform_below(random, most).get_ui() + 1;
    if (std::gcd(mask, modulus) != 1) continue;
    return arithmetic_.multiply_constant(x, static_cast<std::int64_t>(mask));
  }
}

NumberAnswer NumberServer::differences(const she::CompressedSlots& query,
                                       const KeywordList& keywords) const {
  const std::vector<she::Slots> parts = received(query);
  NumberAnswer answer;
  for (const std::string& keyword : keywords) {
    const std::vector<std::uint64_t> numbers = parts_.of(keyword);
    std::vector<she::Slots>& comparison = answer.emplace_back();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      comparison.push_back(masked(difference(parts[i], numbers[i])));
    }
  }
  return answer;
}

NumberAnswer NumberServer::products(const she::CompressedSlots& query,
                                    const KeywordList& keywords) const {
  const she::Slots x = received(query).front();
  const std::size_t together = arithmetic_.parameters().most_factors();
  NumberAnswer answer;
  for (std::size_t first = 0; first < keywords.size(); first += together) {
    const std::size_t end = std::min(first + together, keywords.size());
    she::Slots product = difference(x, parts_.of(keywords[first]).front());
    for (std::size_t k = first + 1; k < end; ++k) {
      product = arithmetic_.multiply(product, difference(x, parts_.of(keywords[k]).front()));
    }
    answer.push_back({masked(product)});
  }
  return answer;
}

}  // namespace fhe::private_search

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/test_seed.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/error.hpp"
#include "libfhe/held.hpp"
#include "libfhe/storage/digest.hpp"

namespace fhe {

StreamSeed test_stream_seed(const TestSeed& seed) {
  const Digest digest = sha256("fhe test public seed" + seed.text);
  StreamSeed result;
  std::copy_n(digest.begin(), result.size(), result.begin());
  return result;
}

std::shared_ptr<SecretRandom> random_for(const KeyId& key, std::shared_ptr<SecretRandom> random) {
  random = required(std::move(random), "the source of randomness");
  if (!random->is_test() || key.test_key) return random;
  throw Error(
      ErrorCode::invalid_argument,
      "test randomness would make ciphertexts and switching keys of a real key predictable; use a "
      "key made from a TestSeed");
}

}  // namespace fhe

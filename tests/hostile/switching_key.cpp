// SPDX-License-Identifier: Apache-2.0
// Switching keys: refused, or read and written with the same contents, and they switch. Each is
// taken for one that leads to the suite's own rung: the id of its key is put into it first.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/hostile/target.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

void check_switch(const dghv::ModulusSwitch& key) {
  static const Ciphertext c =
      Encryptor(hostile_keys().front().public_key, open_backend()).encrypt(true);
  const PublicKey& to = hostile_rung().public_key;
  const Ciphertext switched = key.apply(c, open_backend());
  demand(switched.key() == to.id(), "a switched ciphertext belongs to another key");
  demand(switched.value() >= 0 && switched.value() < to.modulus(),
         "a switched ciphertext is out of its range");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ThreadLimit one_thread(1);
  const PublicKey& from = hostile_keys().front().public_key;
  const PublicKey& to = hostile_rung().public_key;
  const std::vector<std::byte> bytes =
      with_first_bytes({data, size}, "switch", std::as_bytes(std::span(to.id().digest)));
  std::optional<dghv::ModulusSwitch> key;
  if (accepts({ErrorCode::malformed_file, ErrorCode::wrong_key, ErrorCode::invalid_argument},
              [&] { key = dghv::load_modulus_switch(bytes, from, to); })) {
    demand(sections_of(to_bytes(*key, from)) == sections_of(bytes),
           "a switching key is written with other contents");
    if (is_drawn(data, size)) check_switch(*key);
  }
  return 0;
}

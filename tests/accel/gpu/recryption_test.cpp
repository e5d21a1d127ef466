// SPDX-License-Identifier: Apache-2.0
// What a recryption moves between the host and the device.
#include <cstddef>
#include <memory>
#include <string>

#include "accel/gpu/backend/gpu_backend.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "tests/accel/gpu/counting_device.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::gpu {

namespace {

struct Traffic {
  double in;  // in ciphertexts
  double out;
};

// Of a recryption that is not the first one with its key.
Traffic traffic_of(const std::string& group) {
  const KeyPair& keys = test::test_keys(group);
  const auto device = std::make_shared<CountingDevice>();
  const Evaluator evaluator(keys.public_key, open_on("watched", device));
  const Evaluator reference(keys.public_key, open_backend("auto"));
  const Ciphertext c = test::test_encryptor(keys).encrypt(true);
  static_cast<void>(evaluator.recrypt(c));
  const std::size_t in = device->bytes_in();
  const std::size_t out = device->bytes_out();
  CHECK(evaluator.recrypt(c).value() == reference.recrypt(c).value());
  const auto bytes = static_cast<double>(limbs_of(keys.public_key.modulus()).size_bytes());
  return {static_cast<double>(device->bytes_in() - in) / bytes,
          static_cast<double>(device->bytes_out() - out) / bytes};
}

}  // namespace

TEST_CASE("a recryption of CNT moves a ciphertext in and one out, and lists") {
  const Traffic small = traffic_of("cnt-small");
  CAPTURE(small.in, small.out);
  CHECK(small.in < 4.5);  // all but one are lists of work, which do not grow with ciphertexts
  CHECK(small.out < 1.3);
}

}  // namespace fhe::gpu

// SPDX-License-Identifier: Apache-2.0
// What a recryption moves between the host and the device.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

// Of a recryption that is not the first one with its key, on a device with so much memory.
Traffic traffic_of(const std::string& group, std::optional<std::size_t> memory_bytes = {}) {
  const KeyPair& keys = test::test_keys(group);
  const auto device = std::make_shared<CountingDevice>();
  if (memory_bytes) device->claim_memory(*memory_bytes);
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
  const Traffic toy = traffic_of("cnt-toy");
  CAPTURE(toy.in, toy.out);
  CHECK(toy.in < 26);  // all but one are lists of work, which do not grow with ciphertexts
  CHECK(toy.out < 1.1);
}

// At cnt-toy each of the key's two streams has 2.8 MB, in blocks of 184 kB: a piece is one of them.
TEST_CASE("a recryption moves no more where the key's streams do not fit on the device") {
  const Traffic toy = traffic_of("cnt-toy", std::size_t{2} << 20);
  CAPTURE(toy.in, toy.out);
  CHECK(toy.in < 40);  // a ciphertext, and lists of work for each piece of the stream
  CHECK(toy.out < 1.1);
}

TEST_CASE("the lists of a recryption of CNT do not grow with its ciphertexts", "[long]") {
  const Traffic small = traffic_of("cnt-small");
  CAPTURE(small.in, small.out);
  CHECK(small.in < 5.5);
  CHECK(small.out < 1.3);
  const Traffic medium = traffic_of("cnt-medium");
  WARN("cnt-medium: " << medium.in << " ciphertexts to the device, " << medium.out << " back");
  CHECK(medium.in < 1.9);
  CHECK(medium.out < 1.1);
}

TEST_CASE("a recryption of CNT at Large moves a ciphertext in and one out", "[long]") {
  const Traffic large = traffic_of("cnt-large");
  WARN("cnt-large: " << large.in << " ciphertexts to the device, " << large.out << " back");
  CHECK(large.in < 0.4);
  CHECK(large.out < 1.1);
}

// The divisions of digits are done on the host: the values of its formula come and go.
TEST_CASE("a recryption by digits moves less than twenty ciphertexts out") {
  const Traffic moved = traffic_of("cnt-toy-digits");
  CAPTURE(moved.in, moved.out);
  CHECK(moved.in < 20);  // lists of work, and 9
  CHECK(moved.out < 20);
}

TEST_CASE("encryptions on a device without room for the key are those of software") {
  const KeyPair& keys = test::test_keys("cnt-toy");
  const auto encrypted_by = [&](const BackendPtr& backend) {
    const Encryptor encryptor(keys.public_key, backend,
                              std::make_shared<TestRandom>("the same in every run"));
    std::vector<Integer> values;
    for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>{true, false, true})) {
      values.push_back(c.value());
    }
    return values;
  };
  const auto device = std::make_shared<CountingDevice>();
  device->claim_memory(std::size_t{1} << 20);
  CHECK(encrypted_by(open_on("watched", device)) == encrypted_by(open_backend("auto")));
}

TEST_CASE("many recryptions on the device are those of software") {
  for (const std::string group : {"cnt-mini", "cnt-mini-special", "cmnt-mini-digits"}) {
    CAPTURE(group);
    const KeyPair& keys = test::test_keys(group);
    const std::vector<Ciphertext> cs =
        test::test_encryptor(keys).encrypt({true, false, true, true, false});
    const auto on_device = Evaluator(keys.public_key, open("host")).recrypt(cs);
    const auto expected = Evaluator(keys.public_key, open_backend("auto")).recrypt(cs);
    REQUIRE(on_device.size() == cs.size());
    for (std::size_t i = 0; i < cs.size(); ++i) {
      CHECK(on_device[i].value() == expected[i].value());
    }
  }
}

// What is expanded from the products of the ciphertext with the key, one for each block, is so on
// the host.
TEST_CASE("a recryption of GH moves a ciphertext in and one out for each block", "[long]") {
  const Traffic moved = traffic_of("gh-512");
  CAPTURE(moved.in, moved.out);
  CHECK(moved.in < 125);  // all but one are lists of work, which do not grow with ciphertexts
  CHECK(moved.out < 16.01);
}

// The same ciphertexts by the kernels of the device, at sizes that the host computes in minutes.
TEST_CASE("every scheme computes by the device's kernels what software computes", "[long]") {
  for (const std::string group :
       {"cnt-toy", "cnt-toy-digits", "cnt-medium", "cmnt-small", "gh-512", "gh-2048"}) {
    CAPTURE(group);
    const KeyPair& keys = test::test_keys(group);
    const BackendPtr device = open("host");
    const auto encrypted_by = [&](const BackendPtr& backend) {
      const Encryptor encryptor(keys.public_key, backend,
                                std::make_shared<TestRandom>("the same in every run"));
      std::vector<Integer> values;
      for (const Ciphertext& c : encryptor.encrypt(std::vector<bool>{true, false, true})) {
        values.push_back(c.value());
      }
      return values;
    };
    CHECK(encrypted_by(device) == encrypted_by(open_backend("auto")));
    const Ciphertext c = test::test_encryptor(keys).encrypt(true);
    const Evaluator evaluator(keys.public_key, device);
    const Evaluator reference(keys.public_key, open_backend("auto"));
    CHECK(evaluator.recrypt(c).value() == reference.recrypt(c).value());
  }
}

}  // namespace fhe::gpu

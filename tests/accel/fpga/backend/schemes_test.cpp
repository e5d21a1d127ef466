// SPDX-License-Identifier: Apache-2.0
// The backend on the simulated device, from encryptions to recryptions: bit for bit what software
// computes, in the clocks that the model foresees.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "apps/conformance/recryptions.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/random/secret_random.hpp"
#include "tests/catch.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/operands.hpp"

namespace fhe::test {

namespace {

// `variant` is "" or such as "=super_size".
BackendPtr simulated_device(const std::string& variant = "") {
  return open_backend("fpga:sim" + variant);
}

// Within 1 %.
bool is_close(std::uint64_t simulated, std::uint64_t foreseen) {
  return 100 * simulated <= 101 * foreseen && 100 * foreseen <= 101 * simulated;
}

// Encryptions from the same randomness by one backend.
struct Encryptions {
  std::vector<Ciphertext> ciphertexts;
  std::uint64_t device_clocks;
};

Encryptions encrypt(const KeyPair& keys, const BackendPtr& backend, const std::vector<bool>& bits,
                    const EncryptOptions& options) {
  const Encryptor encryptor(keys.public_key, backend,
                            std::make_shared<TestRandom>("on the device"));
  const std::uint64_t before = backend->counters().read().device_clocks;
  std::vector<Ciphertext> ciphertexts = encryptor.encrypt(bits, options);
  return {std::move(ciphertexts), backend->counters().read().device_clocks - before};
}

void check_encryptions(const std::string& group, const EncryptOptions& options,
                       const std::vector<bool>& bits, const std::string& variant = "") {
  const BackendPtr device = simulated_device(variant);
  const KeyPair& keys = test_keys(group);
  const Encryptions simulated = encrypt(keys, device, bits, options);
  const Encryptions expected = encrypt(keys, open_backend(), bits, options);
  REQUIRE(simulated.ciphertexts.size() == bits.size());
  for (std::size_t i = 0; i < bits.size(); ++i)
    CHECK(simulated.ciphertexts[i].value() == expected.ciphertexts[i].value());
  CHECK(Decryptor(keys.secret_key).decrypt(simulated.ciphertexts) == bits);

  const std::uint64_t foreseen =
      encrypt(keys, open_backend("fpga:model" + variant), bits, options).device_clocks;
  INFO(simulated.device_clocks << " clocks, " << foreseen << " foreseen");
  CHECK(is_close(simulated.device_clocks, foreseen));
}

void check_product(const std::string& group) {
  const BackendPtr device = simulated_device();
  const KeyPair& keys = test_keys(group);
  const Encryptor encryptor = test_encryptor(keys);
  const Ciphertext a = encryptor.encrypt(true);
  const Ciphertext b = encryptor.encrypt(true);
  const Ciphertext product =
      Evaluator(keys.public_key, device, RefreshPolicy::never()).and_gate(a, b);
  const Ciphertext expected =
      Evaluator(keys.public_key, open_backend(), RefreshPolicy::never()).and_gate(a, b);
  CHECK(product.value() == expected.value());
  CHECK(Decryptor(keys.secret_key).decrypt(product));
}

// A gate on refreshed operands, a recryption of its result and a gate on that, on the device and by
// software: as many clocks as foreseen.
std::uint64_t check_refreshed_gates(const std::string& group, const std::string& variant = "") {
  const KeyPair& keys = test_keys(group);
  const Encryptor encryptor = test_encryptor(keys);
  const Ciphertext a = encryptor.encrypt(true);
  const Ciphertext b = encryptor.encrypt(true);
  struct Run {
    Ciphertext last;
    std::uint64_t clocks;
  };
  const auto run = [&](const BackendPtr& backend) {
    const Evaluator evaluator(keys.public_key, backend, RefreshPolicy::never());
    const std::uint64_t before = backend->counts().device_clocks;
    const Ciphertext first = evaluator.recrypt(a);
    const Ciphertext product = evaluator.and_gate(first, evaluator.recrypt(b));
    return Run{evaluator.and_gate(first, evaluator.recrypt(product)),
               backend->counts().device_clocks - before};
  };
  const Run simulated = run(simulated_device(variant));
  const Run foreseen = run(open_backend("fpga:model" + variant));
  CHECK(simulated.last.value() == run(open_backend()).last.value());
  CHECK(simulated.last.value() == foreseen.last.value());
  CHECK(Decryptor(keys.secret_key).decrypt(simulated.last));
  INFO(simulated.clocks << " clocks, " << foreseen.clocks << " foreseen");
  CHECK(is_close(simulated.clocks, foreseen.clocks));
  return simulated.clocks;
}

// One recryption, likewise.
void check_recryption(const std::string& group, const std::string& variant = "") {
  const KeyPair& keys = test_keys(group);
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  const auto recrypted_by = [&](const BackendPtr& backend) {
    return Evaluator(keys.public_key, backend).recrypt(c);
  };
  const BackendPtr device = simulated_device(variant);
  const BackendPtr model = open_backend("fpga:model" + variant);
  const Ciphertext simulated = recrypted_by(device);
  CHECK(simulated.value() == recrypted_by(open_backend()).value());
  CHECK(simulated.value() == recrypted_by(model).value());
  CHECK(Decryptor(keys.secret_key).decrypt(simulated));
  INFO(group << ": " << device->counts().device_clocks << " clocks");
  CHECK(is_close(device->counts().device_clocks, model->counts().device_clocks));
}

const std::string kSuperSize = "=super_size";
const std::string kThroughput = "=throughput";
const EncryptOptions kDense{};
const EncryptOptions kSparse{.sparse = true};

}  // namespace

TEST_CASE("dense encryptions at cnt-toy on the simulated device", "[fpga]") {
  check_encryptions("cnt-toy", kDense, {true});
}

TEST_CASE("dense encryptions at cnt-toy on the throughput device", "[fpga]") {
  check_encryptions("cnt-toy", kDense, {true}, kThroughput);
}

TEST_CASE("sparse encryptions at cnt-toy on the simulated device", "[fpga]") {
  check_encryptions("cnt-toy", kSparse, {false, true});
}

TEST_CASE("dense encryptions at cnt-small on the simulated device", "[fpga][long]") {
  check_encryptions("cnt-small", kDense, {true});
}

TEST_CASE("dense encryptions at cnt-small on the throughput device", "[fpga][long]") {
  check_encryptions("cnt-small", kDense, {true}, kThroughput);
}

TEST_CASE("sparse encryptions at cnt-small on the simulated device", "[fpga][long]") {
  check_encryptions("cnt-small", kSparse, {true});
}

TEST_CASE("encryptions at cnt-mini and cmnt-mini on the super-size device", "[fpga]") {
  check_encryptions("cnt-mini", kDense, {true, false}, kSuperSize);
  check_encryptions("cnt-mini", kSparse, {true}, kSuperSize);
  check_encryptions("cmnt-mini", kDense, {true, false}, kSuperSize);
}

TEST_CASE("dense encryptions at cnt-toy on the super-size device", "[fpga][long]") {
  check_encryptions("cnt-toy", kDense, {true}, kSuperSize);
}

TEST_CASE("dense encryptions at cmnt-toy on the super-size device", "[fpga][long]") {
  check_encryptions("cmnt-toy", kDense, {true}, kSuperSize);
}

TEST_CASE("a product of ciphertexts at gh-512 on the simulated device", "[fpga]") {
  check_product("gh-512");
}

TEST_CASE("a gate, a recryption and a gate at cnt-mini on the simulated device", "[fpga]") {
  check_refreshed_gates("cnt-mini");
}

TEST_CASE("a gate, a recryption and a gate at cnt-toy on the simulated device", "[fpga][long]") {
  check_refreshed_gates("cnt-toy");
}

TEST_CASE("a gate, a recryption and a gate at cnt-mini on the throughput device", "[fpga]") {
  check_refreshed_gates("cnt-mini", kThroughput);
}

// Three recryptions of less than a million clocks each, and two products.
TEST_CASE("a gate, a recryption and a gate at cnt-toy on the throughput device", "[fpga][long]") {
  CHECK(check_refreshed_gates("cnt-toy", kThroughput) < 3'000'000);
}

TEST_CASE("a gate, a recryption and a gate of CMNT on the simulated device", "[fpga][long]") {
  for (const std::string group : {"cmnt-mini", "cmnt-mini-paper"}) check_refreshed_gates(group);
}

TEST_CASE("a recryption by digits on the simulated devices", "[fpga]") {
  check_recryption("cnt-mini-digits");
  check_recryption("cmnt-mini-digits", kThroughput);
}

TEST_CASE("a gate, a recryption and a gate by digits on the throughput device", "[fpga][long]") {
  for (const std::string group : {"cnt-toy-digits", "cmnt-toy-digits"})
    CHECK(check_refreshed_gates(group, kThroughput) < 1'000'000);
}

TEST_CASE("a recryption of GH on the simulated devices", "[fpga][long]") {
  check_recryption("gh-mini");
  check_recryption("gh-mini", kThroughput);
}

// Windows of products and of residues, elements that are generated and kept, constants.
TEST_CASE("recryptions of all kinds on the simulated devices", "[fpga]") {
  Operands operands(25);
  const Integer modulus = operands.exactly(1500) | 1;
  for (const std::string& variant : {std::string(), kThroughput}) {
    const BackendPtr device = simulated_device(variant);
    const BackendPtr model = open_backend("fpga:model" + variant);
    for (int count = 0; count < 8; ++count) {
      const auto recryption = conformance::random_recryption(operands, modulus, 1, 5);
      const auto clocks_on = [&](const BackendPtr& backend) {
        const std::uint64_t before = backend->counts().device_clocks;
        const std::vector<Integer> results =
            recryption.with_program([&](const RingProgram& program) {
              return backend->ring(modulus)->run(program, {&recryption.c, 1}, Monitor{});
            });
        CHECK(results.front() == recryption.result(modulus));
        return backend->counts().device_clocks - before;
      };
      const std::uint64_t simulated = clocks_on(device);
      const std::uint64_t foreseen = clocks_on(model);
      INFO(variant << ": " << simulated << " clocks, " << foreseen << " foreseen");
      CHECK(is_close(simulated, foreseen));
    }
  }
}

TEST_CASE("a product of ciphertexts at gh-2048 on the simulated device", "[fpga][long]") {
  check_product("gh-2048");
}

}  // namespace fhe::test

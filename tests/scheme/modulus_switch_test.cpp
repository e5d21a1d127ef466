// SPDX-License-Identifier: Apache-2.0
// Modulus switching: plaintexts survive, noise shrinks as the bound says, ladders work.
#include "libfhe/scheme/dghv/modulus_switch.hpp"

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"

namespace {

using fhe::Ciphertext;

struct Fixture {
  fhe::BackendPtr backend = fhe::open_backend();
  fhe::KeyPair keys;
  fhe::Encryptor encryptor{keys.public_key, backend};

  explicit Fixture(const char* group)
      : keys(fhe::KeyGenerator(fhe::ParameterSet::named(group), backend).generate()) {}
};

void check_switch(const fhe::dghv::Rung& rung, const fhe::BackendPtr& backend, const Ciphertext& c,
                  bool bit) {
  const Ciphertext switched = rung.switch_key.apply(c, backend);
  CHECK(switched.key() == rung.secret_key.id());
  CHECK(switched.value() < rung.public_key.modulus());
  CHECK(fhe::Decryptor(rung.secret_key).decrypt(switched) == bit);
  CHECK(fhe::measure_noise(rung.secret_key, switched) <= switched.noise());
}

}  // namespace

TEST_CASE("modulus switching keeps the bit of fresh and of refreshed ciphertexts", "[switch]") {
  const Fixture f("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 400, .Theta = 30}, f.backend);
  const fhe::Evaluator evaluator(f.keys.public_key, f.backend);
  for (int i = 0; i < 20; ++i) {
    const bool bit = i % 2 != 0;
    const Ciphertext fresh = f.encryptor.encrypt(bit);
    check_switch(rung, f.backend, fresh, bit);
    check_switch(rung, f.backend, evaluator.recrypt(fresh), bit);
  }
}

TEST_CASE("modulus switching scales the noise by p'/p down to its floor", "[switch]") {
  const Fixture f("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 400, .Theta = 30}, f.backend);
  const Ciphertext fresh = f.encryptor.encrypt(true);
  const double before = fhe::measure_noise(f.keys.secret_key, fresh).bits();
  const double after =
      fhe::measure_noise(rung.secret_key, rung.switch_key.apply(fresh, f.backend)).bits();
  CHECK(after == Approx(before - 176).margin(2));

  const Ciphertext constant = fhe::Evaluator(f.keys.public_key, f.backend).constant(true);
  const Ciphertext switched = rung.switch_key.apply(constant, f.backend);
  // floor: rho + 1 bits times the square root of the number of elements
  CHECK(fhe::measure_noise(rung.secret_key, switched).bits() < 12 + 1 + 7 + 3);
}

TEST_CASE("a ladder of rungs multiplies without recryption", "[switch]") {
  const Fixture f("cnt-mini");
  const fhe::Evaluator evaluator(f.keys.public_key, f.backend);
  Ciphertext a = evaluator.recrypt(f.encryptor.encrypt(true));
  Ciphertext b = evaluator.recrypt(f.encryptor.encrypt(true));
  const auto first = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 400, .Theta = 30}, f.backend);
  const auto second = fhe::dghv::make_rung(first.secret_key, {.eta = 300, .Theta = 30}, f.backend);

  using fhe::RefreshPolicy;
  const fhe::Evaluator on_first(first.public_key, f.backend, RefreshPolicy::never());
  const fhe::Evaluator on_second(second.public_key, f.backend, RefreshPolicy::never());
  a = first.switch_key.apply(a, f.backend);
  b = first.switch_key.apply(b, f.backend);
  Ciphertext product = on_first.and_gate(a, b);
  product = second.switch_key.apply(product, f.backend);
  CHECK(fhe::Decryptor(second.secret_key).decrypt(product));
  CHECK_FALSE(fhe::Decryptor(second.secret_key).decrypt(on_second.not_gate(product)));
  CHECK(product.noise() < on_second.noise_rule().decrypt_limit);
}

TEST_CASE("modulus switching works at cnt-toy", "[switch]") {
  const Fixture f("cnt-toy");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 20}, f.backend);
  check_switch(rung, f.backend, f.encryptor.encrypt(true), true);
  check_switch(rung, f.backend, f.encryptor.encrypt(false), false);
}

TEST_CASE("modulus switching refuses what it cannot do", "[switch]") {
  const Fixture f("cnt-mini");
  const Fixture other("cnt-mini");
  using fhe::dghv::make_rung;
  CHECK_THROWS_AS(make_rung(f.keys.secret_key, {.eta = 576, .Theta = 30}, f.backend), fhe::Error);
  CHECK_THROWS_AS(make_rung(f.keys.secret_key, {.eta = 19, .Theta = 30}, f.backend), fhe::Error);
  CHECK_THROWS_AS(make_rung(f.keys.secret_key, {.eta = 300, .Theta = 1}, f.backend), fhe::Error);
  const auto rung = make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  CHECK_THROWS_AS(rung.switch_key.apply(other.encryptor.encrypt(true), f.backend), fhe::Error);
  CHECK_THROWS_AS(fhe::Encryptor(rung.public_key, f.backend).encrypt(true), fhe::Error);
}

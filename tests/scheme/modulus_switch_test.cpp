// SPDX-License-Identifier: Apache-2.0
// Modulus switching: plaintexts survive, noise shrinks as the bound says, ladders work.
#include "libfhe/scheme/dghv/modulus_switch.hpp"

#include <sstream>
#include <string>
#include <vector>

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

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

TEST_CASE("a rung is saved, and switches when it is loaded", "[switch]") {
  for (const char* group : {"cnt-mini", "cmnt-mini", "cnt-mini-special"}) {
    CAPTURE(group);
    const Fixture f(group);
    const auto first =
        fhe::dghv::make_rung(f.keys.secret_key, {.eta = 400, .Theta = 30}, f.backend);
    const auto second =
        fhe::dghv::make_rung(first.secret_key, {.eta = 300, .Theta = 20}, f.backend);
    const fhe::test::TemporaryDirectory directory;
    save(directory / "first.fhe", first.public_key);
    save(directory / "down.fhe", first.switch_key, f.keys.public_key);
    const fhe::PublicKey on_first = fhe::load_public_key(directory / "first.fhe");
    const auto down =
        fhe::dghv::load_modulus_switch(directory / "down.fhe", f.keys.public_key, on_first);

    std::stringstream stream;
    save(stream, second.public_key);
    save(stream, second.switch_key, on_first);
    save(stream, second.secret_key);
    const fhe::PublicKey on_second = fhe::load_public_key({stream});
    const auto further = fhe::dghv::load_modulus_switch({stream}, on_first, on_second);
    const fhe::SecretKey secret = fhe::load_secret_key({stream});
    CHECK(on_second.id() == second.public_key.id());
    CHECK(secret.id() == on_second.id());

    for (const bool bit : {false, true}) {
      const Ciphertext c = f.encryptor.encrypt(bit);
      const Ciphertext once = down.apply(c, f.backend);
      CHECK(once.value() == first.switch_key.apply(c, f.backend).value());
      CHECK(once.noise() == first.switch_key.apply(c, f.backend).noise());
      const Ciphertext twice = further.apply(once, f.backend);
      CHECK(twice.noise() == second.switch_key.apply(once, f.backend).noise());
      CHECK(fhe::Decryptor(secret).decrypt(twice) == bit);
    }
    CHECK(to_bytes(further, on_first) == to_bytes(second.switch_key, on_first));
    CHECK(fhe::all_passed(fhe::check_key(secret)));
  }
}

TEST_CASE("the secret key of a rung is kept under a passphrase", "[switch]") {
  const Fixture f("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  const auto phrase = [] { return fhe::Passphrase("correct horse"); };
  const fhe::Passphrase passphrase = phrase();
  const auto locked = to_bytes(rung.secret_key, fhe::PassphraseLock{passphrase, {.log_n = 10}});
  const fhe::SecretKey opened = fhe::load_secret_key(locked, phrase);
  const Ciphertext c = rung.switch_key.apply(f.encryptor.encrypt(true), f.backend);
  CHECK(fhe::Decryptor(opened).decrypt(c));
}

TEST_CASE("switching keys and rungs that do not fit are refused", "[switch]") {
  using fhe::dghv::load_modulus_switch;
  using fhe::test::HasCode;
  const Fixture f("cnt-mini");
  const Fixture other("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  const auto sibling = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  const std::vector<std::byte> good = to_bytes(rung.switch_key, f.keys.public_key);
  const auto refused = [&](const fhe::PublicKey& from, const fhe::PublicKey& to,
                           fhe::ErrorCode code) {
    CHECK_THROWS_MATCHES(load_modulus_switch(good, from, to), fhe::Error, HasCode(code));
  };
  refused(other.keys.public_key, rung.public_key, fhe::ErrorCode::wrong_key);
  refused(f.keys.public_key, sibling.public_key, fhe::ErrorCode::wrong_key);
  refused(f.keys.public_key, f.keys.public_key, fhe::ErrorCode::invalid_argument);
  CHECK_THROWS_MATCHES(to_bytes(rung.switch_key, rung.public_key), fhe::Error,
                       HasCode(fhe::ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(
      load_modulus_switch(good, f.keys.public_key, rung.public_key, {.max_file_bytes = 100}),
      fhe::Error, HasCode(fhe::ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(
      load_modulus_switch(to_bytes(rung.public_key), f.keys.public_key, rung.public_key),
      fhe::Error, HasCode(fhe::ErrorCode::wrong_key, "switching key"));
  CHECK_THROWS_MATCHES(fhe::load_public_key(good), fhe::Error,
                       HasCode(fhe::ErrorCode::wrong_key, "switching key"));

  // Every byte counts, and so does every end.
  for (std::size_t i = 0; i < good.size(); i += good.size() / 200 + 1) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{4};
    CHECK_THROWS_AS(load_modulus_switch(bad, f.keys.public_key, rung.public_key), fhe::Error);
    CHECK_THROWS_AS(
        load_modulus_switch(std::span(good).first(i), f.keys.public_key, rung.public_key),
        fhe::Error);
  }
}

TEST_CASE("keys of rungs with impossible values are refused", "[switch]") {
  using fhe::test::HasCode;
  const Fixture f("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  // The same sections with another eta, of the public and of the secret key.
  const auto with_eta = [](fhe::ContainerReader in, std::uint32_t eta) {
    std::vector<std::pair<std::string, std::vector<std::byte>>> sections;
    for (const fhe::SectionEntry& entry : in.sections()) {
      std::vector<std::byte> contents(entry.bytes);
      in.open_section(entry.name, entry.bytes, entry.bytes);
      in.read(contents);
      in.close_section();
      sections.emplace_back(entry.name, std::move(contents));
    }
    fhe::ObjectHeader header = in.header();
    const auto write = [&](fhe::SectionWriter& out) {
      for (const auto& [name, contents] : sections) {
        if (name == "params" && dynamic_cast<fhe::KeyIdHasher*>(&out) != nullptr) continue;
        out.begin_section(name);
        if (name == "rung") {
          out.write_u32(eta);
        } else {
          out.write(contents);
        }
      }
    };
    if (header.kind == fhe::ObjectKind::public_key) {
      fhe::KeyIdHasher hasher;
      write(hasher);
      header.key_id = hasher.finish(header.parameters_digest);
    }
    std::vector<std::byte> bytes;
    fhe::write_container(
        header, write, [](std::uint64_t) {},
        [&](std::span<const std::byte> next) {
          bytes.insert(bytes.end(), next.begin(), next.end());
        },
        {}, "a forgery");
    return bytes;
  };
  const std::vector<std::byte> key = to_bytes(rung.public_key);
  CHECK(fhe::load_public_key(with_eta(fhe::ContainerReader(key), 300)).id() ==
        rung.public_key.id());
  for (const std::uint32_t eta : {0U, 19U, 576U, 0xffffffffU}) {
    CHECK_THROWS_MATCHES(fhe::load_public_key(with_eta(fhe::ContainerReader(key), eta)), fhe::Error,
                         HasCode(fhe::ErrorCode::malformed_file, "of a rung"));
  }
  const fhe::SecretBytes secret = to_bytes(rung.secret_key);
  CHECK(fhe::load_secret_key(with_eta(fhe::ContainerReader(secret), 300)).id() ==
        rung.secret_key.id());
  CHECK_THROWS_MATCHES(fhe::load_secret_key(with_eta(fhe::ContainerReader(secret), 299)),
                       fhe::Error, HasCode(fhe::ErrorCode::malformed_file));
}

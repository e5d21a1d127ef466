// SPDX-License-Identifier: Apache-2.0
// Modulus switching: plaintexts survive, noise shrinks as the bound says, ladders work.
#include "libfhe/scheme/dghv/modulus_switch.hpp"

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/check.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/dghv/rung_material.hpp"
#include "libfhe/scheme/dghv/switch_contents.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/secret_draws.hpp"
#include "tests/support/test_files.hpp"

namespace {

using fhe::Ciphertext;
using fhe::Integer;
using fhe::PublicStream;
using fhe::test::check_fills;
using Contents = fhe::dghv::ModulusSwitch::Contents;

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

const fhe::dghv::RungSecret& rung_part(const fhe::SecretKey& key) {
  return dynamic_cast<const fhe::dghv::RungSecret&>(key.material());
}

// What a switching key hides.
struct Opened {
  std::vector<bool> s;
  std::vector<Integer> noise;  // of its elements
};

// Element i W + b is round(s_i 2^b p' / 2^W) + r modulo p', which for b = W - 1 is near p' / 2
// where s_i = 1.
Opened opened_key(const fhe::dghv::Rung& rung) {
  const Contents& contents = rung.switch_key.contents();
  const Integer& p = rung_part(rung.secret_key).p();
  const std::size_t width = contents.entry_bits();
  const PublicStream chi = contents.bit_stream();
  const auto element = [&](std::size_t i) {
    return fhe::test::centered(chi.element(i) - contents.corrections[i], p);
  };
  Opened found;
  for (std::size_t i = 0; i < contents.Theta; ++i) {
    found.s.push_back(fhe::bit_length(element(i * width + width - 1)) > contents.rho);
    for (std::size_t b = 0; b < width; ++b) {
      const Integer hidden =
          found.s[i] ? Integer(((p << (b + 1)) + fhe::power_of_two(width)) >> (width + 1))
                     : Integer(0);
      found.noise.push_back(fhe::test::centered(element(i * width + b) - hidden, p));
    }
  }
  return found;
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

// p' / p comes near 2^(eta' - eta + 1) for a p near 2^(eta - 1) and a p' near 2^eta'.
TEST_CASE("noise far above the floor claims no less than it has after a switch", "[switch]") {
  const fhe::KeyPair& keys = fhe::test::test_keys("cnt-mini");
  const fhe::BackendPtr backend = fhe::open_backend();
  const Integer& p = fhe::test::dghv_part(keys.secret_key).p();
  const std::size_t eta = fhe::bit_length(p);
  constexpr std::size_t kEta = 400;
  Integer noise = fhe::power_of_two(500) - 1;
  bool is_worst = false;
  for (int seed = 0; seed < 64 && !is_worst; ++seed) {
    const auto rung = fhe::dghv::make_rung(keys.secret_key, {.eta = kEta, .Theta = 10},
                                           {"worst " + std::to_string(seed)}, backend);
    const Ciphertext c = fhe::test::with_noise(keys, noise, 12345);
    check_switch(rung, backend, c, true);
    const Ciphertext switched = rung.switch_key.apply(c, backend);
    CHECK(switched.noise().bits() <= 500 - static_cast<double>(eta - kEta) + 1.01);
    is_worst = rung_part(rung.secret_key).p() << (eta - kEta) > p * 5 / 4;
    noise = -noise;
  }
  CHECK(is_worst);
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

TEST_CASE("a switching key hides what it must, under noise that fills its range", "[switch]") {
  for (const char* group : {"cnt-mini", "cnt-mini-special"}) {
    CAPTURE(group);
    const Fixture f(group);
    const auto rung =
        fhe::dghv::make_rung(f.keys.secret_key, {.eta = 100, .Theta = 200}, f.backend);
    const Contents& contents = rung.switch_key.contents();
    const auto [s, noise] = opened_key(rung);

    // s_0 = 1, and 199 uniform bits: 30 away from their mean is 4 deviations.
    CHECK(s.front());
    const auto ones = std::ranges::count(s, true);
    CHECK(ones > 60);
    CHECK(ones < 140);
    check_fills(noise, contents.rho);

    // sum s_i Y_i = round(2^(eta' + kappa') / p) modulo 2^(W + kappa'); it hides p as long as
    // nobody knows s, so no single Y_i may be near it.
    const Integer& p = fhe::test::dghv_part(f.keys.secret_key).p();
    const Integer quotient =
        (fhe::power_of_two(contents.new_eta + contents.fraction_bits() + 1) + p) / (2 * p);
    const PublicStream Y = contents.Y_stream();
    Integer sum = contents.Y0;
    for (std::size_t i = 1; i < s.size(); ++i) {
      if (s[i]) sum += Y.element(i - 1);
    }
    CHECK(fhe::low_bits(sum, contents.Y_bits()) == quotient);
    CHECK(fhe::bit_length(contents.Y0 - quotient) > contents.Y_bits() - 64);
  }
}

TEST_CASE("rungs of real keys differ, and test seeds are for test keys", "[switch]") {
  const fhe::dghv::SwitchOptions options{.eta = 100, .Theta = 3};
  const Fixture f("cnt-mini");
  const auto first = fhe::dghv::make_rung(f.keys.secret_key, options, f.backend);
  const auto second = fhe::dghv::make_rung(f.keys.secret_key, options, f.backend);
  CHECK(first.secret_key.id() != second.secret_key.id());
  CHECK(first.switch_key.contents().seed != second.switch_key.contents().seed);
  CHECK_THROWS_MATCHES(make_rung(f.keys.secret_key, options, {"seed"}, f.backend), fhe::Error,
                       fhe::test::HasCode(fhe::ErrorCode::invalid_argument, "of a real key"));

  const fhe::SecretKey& key = fhe::test::test_keys("cnt-mini").secret_key;
  const auto bytes = [&](const char* seed) {
    const auto rung = make_rung(key, options, {seed}, f.backend);
    CHECK(rung.secret_key.id().test_key);
    return to_bytes(rung.switch_key, fhe::test::test_keys("cnt-mini").public_key);
  };
  CHECK(bytes("seed") == bytes("seed"));
  CHECK(bytes("seed") != bytes("another"));
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

TEST_CASE("a key of several slots is not switched", "[switch]") {
  const Fixture f("bdghv-mini");
  CHECK_THROWS_MATCHES(fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend),
                       fhe::Error,
                       fhe::test::HasCode(fhe::ErrorCode::invalid_argument, "with one slot"));
}

TEST_CASE("switching keys of one key have public elements of their own", "[switch]") {
  const Fixture f("cnt-mini");
  const auto seed = [&] {
    const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
    return rung.switch_key.contents().seed;
  };
  CHECK(seed() != seed());
}

TEST_CASE("a switching key with equal corrections is refused", "[switch]") {
  const Fixture f("cnt-mini");
  const auto rung = fhe::dghv::make_rung(f.keys.secret_key, {.eta = 300, .Theta = 5}, f.backend);
  auto contents = std::make_shared<fhe::dghv::ModulusSwitch::Contents>(rung.switch_key.contents());
  contents->corrections.back() = contents->corrections.front();
  const std::vector<std::byte> bytes =
      to_bytes(fhe::dghv::ModulusSwitch(contents), f.keys.public_key);
  CHECK_THROWS_MATCHES(fhe::dghv::load_modulus_switch(bytes, f.keys.public_key, rung.public_key),
                       fhe::Error, fhe::test::HasCode(fhe::ErrorCode::malformed_file, "equal"));
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

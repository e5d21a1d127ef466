// SPDX-License-Identifier: Apache-2.0
// Functions on encrypted values: right, planned as a whole, and clear about what they are not
// given.
#include "libfhe/circuit/compute.hpp"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/circuit/refresh_plan.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

struct Party {
  explicit Party(const std::string& group)
      : keys(test_keys(group)),
        encryptor(test_encryptor(keys, "compute")),
        evaluator(keys.public_key),
        decryptor(keys.secret_key) {}

  const KeyPair& keys;
  Encryptor encryptor;
  Evaluator evaluator;
  Decryptor decryptor;
};

RefreshPlan plan_of(const Netlist& circuit, const Party& party) {
  const NoiseModel model = NoiseModel::of(party.evaluator.key());
  return plan_refreshes(circuit, model, std::vector(circuit.input_bits(), model.fresh));
}

using Items = std::array<Uint<12>, 8>;

// Which items of x are among those of y.
std::array<Bool, 8> common(const Items& x, const Items& y) {
  std::array<Bool, 8> found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (const Uint<12>& item : y) found[i] |= x[i] == item;
  }
  return found;
}

std::pair<Uint<16>, Uint<16>> distance_and_smaller(Uint<16> x, Uint<16> y) {
  return {select(x < y, y - x, x - y), min(x, y)};
}

}  // namespace

TEST_CASE("a function of encrypted numbers gives what it gives in the clear",
          "[circuit][compute]") {
  const Party party("cnt-mini");
  const auto function = [](Uint<6> x, Int<5> y, std::array<Bool, 2> flags) {
    return std::tuple(x * 3 + Uint<6>(y), select(flags[0], y, -y), x > 9, flags);
  };
  using Flags = std::array<Bool, 2>;
  const auto expected =
      compute_in_the_clear<Uint<6>, Int<5>, Flags>(function, 11, -7, {false, true});
  CHECK(expected == std::tuple(26U, 7, true, std::array{false, true}));
  const auto [sum, chosen, larger, flags] =
      compute(party.evaluator, function, encrypt<Uint<6>>(party.encryptor, 11),
              encrypt<Int<5>>(party.encryptor, -7), encrypt<Flags>(party.encryptor, {false, true}));
  CHECK(std::tuple(decrypt(party.decryptor, sum), decrypt(party.decryptor, chosen),
                   decrypt(party.decryptor, larger), decrypt(party.decryptor, flags)) == expected);
}

TEST_CASE("texts and other values of any length are taken and given", "[circuit][compute]") {
  const Party party("cnt-mini");
  const auto upper = [](Bytes text) {
    for (Uint<8>& c : text) c ^= select((c >= 'a') & (c <= 'z'), Uint<8>(0x20), Uint<8>(0));
    return text;
  };
  const Encrypted<Bytes> text = encrypt_text(party.encryptor, "a1z{");
  CHECK(decrypt_text(party.decryptor, text) == "a1z{");
  CHECK(decrypt_text(party.decryptor, compute(party.evaluator, upper, text)) == "A1Z{");
  const Encrypted<Bytes> none = encrypt_text(party.encryptor, "");
  CHECK(decrypt_text(party.decryptor, none).empty());
  const auto length = [](const Bytes& left, const Bytes& right) {
    return std::pair(Uint<4>(left.size()), right);
  };
  const auto [count, rest] = compute(party.evaluator, length, text, none);
  CHECK(decrypt(party.decryptor, count) == 4);
  CHECK(rest.ciphertexts().empty());
}

// 760 ANDs of two noisy operands each, and 77: gate by gate 1520 and 154 recryptions.
TEST_CASE("what is written with operators is recrypted as little as its circuit allows",
          "[circuit][compute]") {
  const Party party("cnt-toy");
  for (const Netlist& circuit :
       {traced<Items, Items>(common), traced<Uint<16>, Uint<16>>(distance_and_smaller)}) {
    const RefreshPlan plan = plan_of(circuit, party);
    CHECK(plan.recryptions == plan.lower_bound);
    CHECK(2 * plan.gate_by_gate > 3 * plan.recryptions);
  }
  CHECK(plan_of(traced<Uint<16>, Uint<16>>(distance_and_smaller), party).recryptions <= 106);
}

TEST_CASE("a run of a function recrypts what was planned, and finds common items",
          "[circuit][compute]") {
  const Party party("cnt-mini");
  const PlainOf<Items> mine{1, 500, 77, 4095, 8, 1000, 0, 3};
  const PlainOf<Items> theirs{4095, 2, 3, 9, 1001, 78, 500, 4};
  const auto found = compute(party.evaluator, common, encrypt<Items>(party.encryptor, mine),
                             encrypt<Items>(party.encryptor, theirs));
  CHECK(decrypt(party.decryptor, found) ==
        std::array{false, true, false, true, false, false, false, true});
  CHECK(party.evaluator.counts().recryptions ==
        plan_of(traced<Items, Items>(common), party).recryptions);
}

TEST_CASE("a computation stops, and goes on from its checkpoint", "[circuit][compute]") {
  const Party party("cnt-mini");
  const TemporaryDirectory directory;
  const auto square = [](Uint<4> x) { return x * x; };
  const auto x = encrypt<Uint<4>>(party.encryptor, 7);
  std::stop_source source;
  ComputeOptions options;
  options.run.checkpoint = directory.path() / "square.fhe";
  options.monitor.stop = source.get_token();
  options.monitor.progress = [&](std::string_view, double fraction) {
    if (fraction > 0.5) source.request_stop();
  };
  CHECK_THROWS_MATCHES(compute(party.evaluator, options, square, x), Error,
                       HasCode(ErrorCode::stopped));
  options.monitor = {};
  options.run.resume = true;
  CHECK(decrypt(party.decryptor, compute(party.evaluator, options, square, x)) == 1);
}

TEST_CASE("values that do not belong to a type are refused", "[circuit][compute]") {
  const Party party("cnt-mini");
  const auto refused = [](const std::string& part) {
    return HasCode(ErrorCode::invalid_argument, part);
  };
  CHECK_THROWS_MATCHES(encrypt<Uint<4>>(party.encryptor, 16), Error, refused("Uint<4>"));
  CHECK_THROWS_MATCHES(encrypt<Int<4>>(party.encryptor, 8), Error, refused("Int<4>"));
  CHECK_THROWS_MATCHES(encrypt<Int<4>>(party.encryptor, -9), Error, refused("Int<4>"));
  CHECK_THROWS_MATCHES(encrypt<Bytes>(party.encryptor, {1, 256}), Error, refused("Uint<8>"));
  const std::vector<Ciphertext> three = party.encryptor.encrypt(bits_of(5, 3));
  CHECK_THROWS_MATCHES(Encrypted<Uint<4>>(three), Error, refused("4 bits is as many"));
  CHECK_THROWS_MATCHES(Encrypted<Bytes>(three), Error, refused("whole number of elements of 8"));
  CHECK(decrypt(party.decryptor, Encrypted<Uint<3>>(three)) == 5);
  const auto nothing = [](const Bytes& text) { return text; };
  CHECK_THROWS_MATCHES(compute(party.evaluator, nothing, encrypt_text(party.encryptor, "")), Error,
                       refused("output"));
  const KeyPair& other = test_keys("cnt-toy");
  const auto foreign = encrypt<Uint<3>>(test_encryptor(other, "compute"), 5);
  CHECK_THROWS_MATCHES(compute(
                           party.evaluator, [](Uint<3> x) { return x + 1; }, foreign),
                       Error, HasCode(ErrorCode::wrong_key));
}

}  // namespace fhe::test

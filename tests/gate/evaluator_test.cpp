// SPDX-License-Identifier: Apache-2.0
// Gates: truth tables, refresh policies, noise bounds, long chains, threads and memory.
#include "libfhe/gate/evaluator.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "libfhe/scheme/noise_meter.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

namespace {

// Both bits under a key, new and refreshed.
struct Bits {
  explicit Bits(const KeyPair& keys) : fresh(test_encryptor(keys).encrypt({false, true})) {
    const auto key_context = keys.public_key.context(open_backend());
    for (const Ciphertext& c : fresh) refreshed.push_back(key_context->recrypt(c, {}));
  }

  std::vector<Ciphertext> fresh;
  std::vector<Ciphertext> refreshed;
};

// The smallest group of each scheme.
constexpr std::array kMiniGroups{"cnt-mini", "gh-mini"};

RefreshPolicy refresh_elsewhere(const KeyPair& keys) {
  return RefreshPolicy::callback([key_context = keys.public_key.context(open_backend())](
                                     const Ciphertext& c) { return key_context->recrypt(c, {}); });
}

// A measured noise is rounded up by at most this much.
constexpr std::uint32_t kMeasurementUnits = 2;

// The bit is right and the noise is within its bound.
void check_result(const KeyPair& keys, const Ciphertext& c, bool expected) {
  CHECK(Decryptor(keys.secret_key).decrypt(c) == expected);
  CHECK(measure_noise(keys.secret_key, c).units() <= c.noise().units() + kMeasurementUnits);
  CHECK(c.value() < keys.public_key.modulus());
}

std::vector<bool> inputs_of(const NamedGate& gate, unsigned row) {
  std::vector<bool> inputs(gate.inputs);
  for (unsigned i = 0; i < gate.inputs; ++i) inputs[i] = (row >> i & 1U) != 0;
  return inputs;
}

void check_truth_tables(const KeyPair& keys, const Evaluator& evaluator,
                        const std::vector<Ciphertext>& values) {
  for (const NamedGate& gate : named_gates()) {
    for (unsigned row = 0; row < 1U << gate.inputs; ++row) {
      CAPTURE(gate.name, row);
      const std::vector<bool> plain = inputs_of(gate, row);
      std::vector<Ciphertext> operands;
      for (const bool bit : plain) operands.push_back(values[bit ? 1 : 0]);
      check_result(keys, gate.apply(evaluator, operands), gate.plain(plain));
    }
  }
}

// Every gate with one object for all operands, and its value for that object's bit.
struct SelfGate {
  std::string name;
  std::function<Ciphertext(const Evaluator&, const Ciphertext&)> apply;
  std::function<bool(bool)> plain;
};

const std::vector<SelfGate>& self_gates() {
  using E = Evaluator;
  using C = Ciphertext;
  static const std::vector<SelfGate> gates{
      {"xor", [](const E& e, const C& x) { return e.xor_gate(x, x); }, [](bool) { return false; }},
      {"xnor", [](const E& e, const C& x) { return e.xnor_gate(x, x); }, [](bool) { return true; }},
      {"and", [](const E& e, const C& x) { return e.and_gate(x, x); }, [](bool b) { return b; }},
      {"nand", [](const E& e, const C& x) { return e.nand_gate(x, x); }, [](bool b) { return !b; }},
      {"or", [](const E& e, const C& x) { return e.or_gate(x, x); }, [](bool b) { return b; }},
      {"nor", [](const E& e, const C& x) { return e.nor_gate(x, x); }, [](bool b) { return !b; }},
      {"mux", [](const E& e, const C& x) { return e.mux_gate(x, x, x); }, [](bool b) { return b; }},
      {"maj", [](const E& e, const C& x) { return e.maj_gate(x, x, x); },
       [](bool b) { return b; }}};
  return gates;
}

void check_self_gates(const KeyPair& keys, const Evaluator& evaluator,
                      const std::vector<Ciphertext>& values) {
  for (const SelfGate& gate : self_gates()) {
    for (const bool bit : {false, true}) {
      CAPTURE(gate.name, bit);
      check_result(keys, gate.apply(evaluator, values[bit ? 1 : 0]), gate.plain(bit));
    }
  }
}

// Random gates on a handful of bits, in the clear and encrypted.
class Walk {
 public:
  Walk(const KeyPair& keys, const Evaluator& evaluator, std::uint64_t seed)
      : evaluator_(evaluator), random_(seed), plain_{true, false, true, true, false, false} {
    ciphertexts_ = test_encryptor(keys, std::to_string(seed)).encrypt(plain_);
  }

  void step() {
    const NamedGate& gate = named_gates()[random_.between(0, named_gates().size() - 1)];
    std::vector<bool> plain;
    std::vector<Ciphertext> operands;
    for (unsigned i = 0; i < gate.inputs; ++i) {
      const std::size_t at = random_.between(0, plain_.size() - 1);
      plain.push_back(plain_[at]);
      operands.push_back(ciphertexts_[at]);
    }
    last_ = random_.between(0, plain_.size() - 1);
    plain_[last_] = gate.plain(plain);
    ciphertexts_[last_] = gate.apply(evaluator_, operands);
  }

  // What the last step made.
  [[nodiscard]] const Ciphertext& result() const { return ciphertexts_[last_]; }
  [[nodiscard]] bool expected() const { return plain_[last_]; }

 private:
  const Evaluator& evaluator_;
  Operands random_;
  std::vector<bool> plain_;
  std::vector<Ciphertext> ciphertexts_;
  std::size_t last_ = 0;
};

// AND and XOR in turn on a running bit, with automatic recryption; every bit is checked.
void check_chain(const KeyPair& keys, int gates) {
  const Evaluator evaluator(keys.public_key);
  const Encryptor encryptor(keys.public_key);
  const std::vector<bool> bits{true, false, true, true};
  std::vector<Ciphertext> operands;
  for (const Ciphertext& c : encryptor.encrypt(bits)) operands.push_back(evaluator.recrypt(c));
  bool expected = true;
  Ciphertext running = encryptor.encrypt(true);
  for (int i = 0; i < gates; ++i) {
    CAPTURE(i);
    const std::size_t at = static_cast<std::size_t>(i / 2) % bits.size();
    const bool is_and = i % 2 == 0;
    running = is_and ? evaluator.and_gate(running, operands[at])
                     : evaluator.xor_gate(running, operands[at]);
    expected = is_and ? (expected && bits[at]) : (expected != bits[at]);
    check_result(keys, running, expected);
  }
  CHECK(evaluator.counts().gates == static_cast<std::uint64_t>(gates));
  CHECK(evaluator.counts().recryptions >= operands.size() + static_cast<std::uint64_t>(gates) / 4);
}

// A gate on new ciphertexts, a recryption, a gate on the result.
void check_gate_recryption_gate(const std::string& group) {
  const KeyPair& keys = test_keys(group);
  const Evaluator evaluator(keys.public_key);
  const std::vector<Ciphertext> c = test_encryptor(keys).encrypt({true, true, false});
  const Ciphertext both = evaluator.and_gate(c[0], c[1]);
  check_result(keys, both, true);
  const Ciphertext refreshed = evaluator.recrypt(both);
  check_result(keys, refreshed, true);
  check_result(keys, evaluator.xor_gate(refreshed, c[2]), true);
  check_result(keys, evaluator.nand_gate(refreshed, both), false);
}

// Resident memory of this process in KiB; 0 where the system does not tell.
std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

// Bytes that are allocated and not freed; 0 where the allocator does not tell.
std::size_t allocated_bytes() {
#if defined(__GLIBC__)
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

void check_memory_is_steady(const std::string& group, int recryptions) {
  if (kSanitized) return;
  const KeyPair& keys = test_keys(group);
  const Evaluator evaluator(keys.public_key);
  Ciphertext c = test_encryptor(keys).encrypt(true);
  for (int i = 0; i < 20; ++i) c = evaluator.recrypt(c);
  const std::size_t resident = resident_kib();
  const std::size_t allocated = allocated_bytes();
  for (int i = 0; i < recryptions; ++i) c = evaluator.recrypt(c);
  CHECK(resident_kib() <= resident + 4 * 1024);
  CHECK(allocated_bytes() <= allocated + 512 * 1024);
  check_result(keys, c, true);
}

HasCode too_noisy(const std::string& part = {}) {
  return HasCode(ErrorCode::noise_exceeded, part);
}

}  // namespace

TEST_CASE("every gate has the right truth table under every policy", "[gate]") {
  for (const std::string group : kMiniGroups) {
    CAPTURE(group);
    const KeyPair& keys = test_keys(group);
    const Bits bits(keys);
    const Evaluator automatic(keys.public_key);
    check_truth_tables(keys, automatic, bits.fresh);
    check_truth_tables(keys, automatic, bits.refreshed);
    check_truth_tables(keys, automatic, {automatic.constant(false), automatic.constant(true)});
    const Evaluator never(keys.public_key, open_backend(), RefreshPolicy::never());
    check_truth_tables(keys, never, bits.refreshed);
    const Evaluator callback(keys.public_key, open_backend(), refresh_elsewhere(keys));
    check_truth_tables(keys, callback, bits.fresh);
    check_truth_tables(keys, callback, bits.refreshed);
  }
}

TEST_CASE("every gate takes one object for all its operands, under every policy", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator automatic(keys.public_key);
  check_self_gates(keys, automatic, bits.fresh);
  check_self_gates(keys, automatic, bits.refreshed);
  const Evaluator never(keys.public_key, open_backend(), RefreshPolicy::never());
  check_self_gates(keys, never, bits.refreshed);
  const Evaluator callback(keys.public_key, open_backend(), refresh_elsewhere(keys));
  check_self_gates(keys, callback, bits.fresh);
}

TEST_CASE("an operand that occurs twice is refreshed once", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  static_cast<void>(evaluator.and_gate(bits.fresh[1], bits.fresh[1]));
  CHECK(evaluator.counts().recryptions == 1);
  static_cast<void>(evaluator.or_gate(bits.fresh[1], bits.fresh[1]));
  CHECK(evaluator.counts().recryptions == 2);
}

TEST_CASE("a gate that refreshes two operands reports from one thread at a time", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  std::atomic<int> reporting = 0;
  std::atomic<bool> met = false;
  std::map<std::string, std::vector<double>, std::less<>> reports;
  Monitor monitor;
  monitor.progress = [&](std::string_view phase, double fraction) {
    if (++reporting != 1) met = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    reports[std::string(phase)].push_back(fraction);
    --reporting;
  };
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::automatic(), {},
                            monitor);
  check_result(keys, evaluator.and_gate(bits.fresh[0], bits.fresh[1]), false);
  CHECK(evaluator.counts().recryptions == 2);
  CHECK_FALSE(met);
  for (const char* const phase : {"expand", "selected sums", "adder"}) {
    CAPTURE(phase);
    REQUIRE_FALSE(reports[phase].empty());
    CHECK(reports[phase].front() == 0);
    CHECK(reports[phase].back() == 1);
  }
}

TEST_CASE("many recryptions are those of one after the other", "[gate]") {
  for (const std::string group : {"cnt-mini", "cnt-mini-digits", "cmnt-mini", "cmnt-mini-digits",
                                  "cmnt-mini-paper", "gh-mini"}) {
    const KeyPair& keys = test_keys(group);
    const Evaluator evaluator(keys.public_key);
    const std::vector<bool> plain{true, false, true, true, false, false,
                                  true, false, true, true, false};
    const std::vector<Ciphertext> noisy = test_encryptor(keys).encrypt(plain);
    for (const std::size_t count :
         {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{8}, plain.size()}) {
      CAPTURE(group, count);
      const std::vector<Ciphertext> some(noisy.begin(),
                                         noisy.begin() + static_cast<std::ptrdiff_t>(count));
      const std::uint64_t before = evaluator.counts().recryptions;
      const std::vector<Ciphertext> refreshed = evaluator.recrypt(some);
      CHECK(evaluator.counts().recryptions == before + count);
      REQUIRE(refreshed.size() == count);
      for (std::size_t i = 0; i < count; ++i) {
        check_result(keys, refreshed[i], plain[i]);
        if (count > 1 && i % 5 == 0)
          CHECK(refreshed[i].value() == evaluator.recrypt(some[i]).value());
      }
    }
    const Ciphertext foreign = test_encryptor(test_keys("cnt-toy")).encrypt(true);
    CHECK_THROWS_MATCHES(evaluator.recrypt({noisy[0], foreign}), Error,
                         HasCode(ErrorCode::wrong_key));
  }
}

TEST_CASE("sums are refreshed before their product, not their terms", "[gate]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Bits bits(keys);
  for (const bool fresh : {true, false}) {
    const auto& from = fresh ? bits.fresh : bits.refreshed;
    const Evaluator evaluator(keys.public_key);
    // The product of two sums of refreshed ciphertexts is within the limit as it is.
    check_result(keys, evaluator.maj_gate(from[1], from[0], from[1]), true);
    CHECK(evaluator.counts().recryptions == (fresh ? 2 : 0));
    check_result(keys, evaluator.mux_gate(from[0], from[1], from[0]), false);
    CHECK(evaluator.counts().recryptions == (fresh ? 4 : 0));
    CHECK(evaluator.counts().gates == 2);
    CHECK(evaluator.counts().products == 2);
  }
}

TEST_CASE("gates are found by name in any case", "[gate]") {
  CHECK(named_gates().size() == 9);
  for (const NamedGate& gate : named_gates()) CHECK(gate_named(gate.name).name == gate.name);
  CHECK(gate_named("MuX").name == "mux");
  CHECK_THROWS_MATCHES(gate_named("andd"), Error, HasCode(ErrorCode::unknown_name, "xnor"));
  CHECK_THROWS_MATCHES(gate_named(""), Error, HasCode(ErrorCode::unknown_name));
}

TEST_CASE("gates with public bits cost no product and no recryption", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  for (const bool bit : {false, true}) {
    const Ciphertext& c = bits.refreshed[bit ? 1 : 0];
    for (const bool constant : {false, true}) {
      check_result(keys, evaluator.xor_constant(c, constant), bit != constant);
      check_result(keys, evaluator.and_constant(c, constant), bit && constant);
    }
    check_result(keys, evaluator.constant(bit), bit);
    CHECK(evaluator.constant(bit).noise() == NoiseBound());
    CHECK(evaluator.and_constant(c, true).noise() == c.noise());
  }
  CHECK(evaluator.counts().products == 0);
  CHECK(evaluator.counts().recryptions == 0);
}

TEST_CASE("a constant as an operand does not force a recryption", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  const Ciphertext result = evaluator.and_gate(bits.fresh[1], evaluator.constant(true));
  check_result(keys, result, true);
  CHECK(result.value() == bits.fresh[1].value());
  CHECK(evaluator.counts().recryptions == 0);
}

TEST_CASE("gates, products and recryptions are counted", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  CHECK(evaluator.counts().gates == 0);
  const Ciphertext& a = bits.refreshed[1];
  const Ciphertext& b = bits.refreshed[0];
  static_cast<void>(evaluator.xor_gate(a, b));
  static_cast<void>(evaluator.not_gate(a));
  CHECK(evaluator.counts().products == 0);
  static_cast<void>(evaluator.and_gate(a, b));
  static_cast<void>(evaluator.or_gate(a, b));
  static_cast<void>(evaluator.mux_gate(a, b, a));
  static_cast<void>(evaluator.maj_gate(a, b, a));
  CHECK(evaluator.counts().gates == 6);
  CHECK(evaluator.counts().products == 4);
  CHECK(evaluator.counts().recryptions == 0);
  static_cast<void>(evaluator.and_gate(bits.fresh[0], bits.fresh[1]));
  CHECK(evaluator.counts().gates == 7);
  CHECK(evaluator.counts().products == 5);
  CHECK(evaluator.counts().recryptions == 2);
  static_cast<void>(evaluator.recrypt(a));
  CHECK(evaluator.counts().gates == 7);
  CHECK(evaluator.counts().recryptions == 3);
}

TEST_CASE("the policy 'never' refuses before the bit is lost", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::never());
  CHECK_THROWS_MATCHES(evaluator.and_gate(bits.fresh[0], bits.fresh[1]), Error,
                       too_noisy("'never'"));
  CHECK_THROWS_MATCHES(evaluator.and_gate(bits.fresh[0], bits.refreshed[1]), Error,
                       too_noisy("recrypt"));
  // Sums go on up to what decrypts, past what can be refreshed.
  Ciphertext sum = bits.fresh[1];
  bool expected = true;
  int sums = 0;
  try {
    for (; sums < 100; ++sums, expected = !expected) {
      check_result(keys, sum, expected);
      sum = evaluator.xor_gate(sum, bits.fresh[1]);
    }
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::noise_exceeded);
  }
  CHECK(sums >= 8);
  CHECK(sums < 100);
  CHECK(sum.noise() > evaluator.noise_rule().refresh_limit);
  CHECK(sum.noise() <= evaluator.noise_rule().decrypt_limit);
  CHECK(evaluator.counts().recryptions == 0);
  check_result(keys, evaluator.recrypt(bits.fresh[1]), true);
}

TEST_CASE("a random walk keeps its bits, its bounds and the way on", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  Walk walk(keys, evaluator, 1);
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    walk.step();
    check_result(keys, walk.result(), walk.expected());
    CHECK(walk.result().noise() <= evaluator.noise_rule().refresh_limit);
    check_result(keys, evaluator.recrypt(walk.result()), walk.expected());
  }
}

TEST_CASE("a random walk with a callback keeps its bits", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key, open_backend(), refresh_elsewhere(keys));
  Walk walk(keys, evaluator, 2);
  for (int i = 0; i < 100; ++i) {
    walk.step();
    check_result(keys, walk.result(), walk.expected());
  }
  CHECK(evaluator.counts().recryptions > 20);
}

TEST_CASE("a callback gets the noisy operand and only when it is needed", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const auto key_context = keys.public_key.context(open_backend());
  std::vector<Integer> asked;
  const RefreshPolicy policy = RefreshPolicy::callback([&](const Ciphertext& c) {
    asked.push_back(c.value());
    return key_context->recrypt(c, {});
  });
  const Evaluator evaluator(keys.public_key, open_backend(), policy);
  check_result(keys, evaluator.and_gate(bits.refreshed[1], bits.refreshed[0]), false);
  CHECK(asked.empty());
  check_result(keys, evaluator.and_gate(bits.refreshed[1], bits.fresh[1]), true);
  CHECK(asked == std::vector<Integer>{bits.fresh[1].value()});
  CHECK(evaluator.counts().recryptions == 1);
}

TEST_CASE("what a callback returns is checked", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const auto answer = [&](const Ciphertext& given) {
    const RefreshPolicy policy =
        RefreshPolicy::callback([&given](const Ciphertext&) { return given; });
    const Evaluator evaluator(keys.public_key, open_backend(), policy);
    static_cast<void>(evaluator.and_gate(bits.fresh[1], bits.refreshed[1]));
  };
  const Ciphertext foreign = test_encryptor(test_keys("cnt-mini", "another key")).encrypt(true);
  CHECK_THROWS_MATCHES(answer({foreign.value(), NoiseBound(), foreign.key()}), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(answer(bits.fresh[1]), Error, too_noisy());
  CHECK_THROWS_MATCHES(answer(bits.fresh[0]), Error, too_noisy());
  const Integer& x0 = keys.public_key.modulus();
  CHECK_THROWS_MATCHES(answer({x0, NoiseBound(), bits.fresh[1].key()}), Error,
                       HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(answer({Integer(-1), NoiseBound(), bits.fresh[1].key()}), Error,
                       HasCode(ErrorCode::invalid_argument));
  CHECK_NOTHROW(answer(bits.refreshed[1]));
}

TEST_CASE("an exception of a callback reaches the caller", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const RefreshPolicy policy = RefreshPolicy::callback(
      [](const Ciphertext&) -> Ciphertext { throw std::domain_error("no service"); });
  const Evaluator evaluator(keys.public_key, open_backend(), policy);
  CHECK_THROWS_AS(evaluator.and_gate(bits.fresh[1], bits.fresh[0]), std::domain_error);
}

TEST_CASE("recryption is refused past its limit", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  const NoiseBound limit = evaluator.noise_rule().refresh_limit;
  const Ciphertext& c = bits.refreshed[1];
  const Ciphertext at_limit(c.value(), limit, c.key());
  check_result(keys, evaluator.recrypt(at_limit), true);
  const Ciphertext past(c.value(), NoiseBound::from_units(limit.units() + 1), c.key());
  CHECK_THROWS_MATCHES(evaluator.recrypt(past), Error, too_noisy("recrypt earlier"));
  CHECK_THROWS_MATCHES(evaluator.and_gate(past, c), Error, too_noisy());
}

TEST_CASE("every gate refuses operands of another key or out of range", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  const Evaluator evaluator(keys.public_key);
  const Ciphertext& good = bits.refreshed[1];
  const Ciphertext foreign = test_encryptor(test_keys("cnt-toy")).encrypt(true);
  const Ciphertext large(keys.public_key.modulus(), NoiseBound(), good.key());
  const Ciphertext negative(Integer(-1), NoiseBound(), good.key());
  const auto check_refused = [&](const auto& use) {
    CHECK_THROWS_MATCHES(use(foreign), Error, HasCode(ErrorCode::wrong_key, "cnt-toy"));
    CHECK_THROWS_MATCHES(use(large), Error, HasCode(ErrorCode::invalid_argument));
    CHECK_THROWS_MATCHES(use(negative), Error, HasCode(ErrorCode::invalid_argument));
  };
  for (const NamedGate& gate : named_gates()) {
    for (unsigned at = 0; at < gate.inputs; ++at) {
      CAPTURE(gate.name, at);
      check_refused([&](const Ciphertext& bad) {
        std::vector<Ciphertext> operands(gate.inputs, good);
        operands[at] = bad;
        return gate.apply(evaluator, operands);
      });
    }
  }
  for (const bool bit : {false, true}) {
    check_refused([&](const Ciphertext& bad) { return evaluator.xor_constant(bad, bit); });
    check_refused([&](const Ciphertext& bad) { return evaluator.and_constant(bad, bit); });
  }
  check_refused([&](const Ciphertext& bad) { return evaluator.recrypt(bad); });
}

TEST_CASE("an adder that does not bootstrap ends in a clear refusal", "[gate]") {
  const KeyPair& keys = test_keys("cnt-toy");
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::automatic(),
                            {.adder = "seq2"});
  const Ciphertext refreshed = evaluator.recrypt(test_encryptor(keys).encrypt(true));
  check_result(keys, refreshed, true);
  CHECK_THROWS_MATCHES(evaluator.and_gate(refreshed, refreshed), Error, too_noisy("adder"));
}

TEST_CASE("recryption reports its phases and can be stopped in each", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Ciphertext c = test_encryptor(keys).encrypt(true);
  check_phases([&](const Monitor& monitor) { static_cast<void>(evaluator.recrypt(c, monitor)); },
               {"expand", "selected sums", "adder"});
}

TEST_CASE("the recryptions of gates can be watched and stopped", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Bits bits(keys);
  std::stop_source source;
  std::size_t reports = 0;
  Monitor monitor;
  monitor.stop = source.get_token();
  monitor.progress = [&reports](std::string_view, double) { ++reports; };
  const Evaluator evaluator(keys.public_key, open_backend(), RefreshPolicy::automatic(), {},
                            monitor);
  check_result(keys, evaluator.and_gate(bits.fresh[1], bits.fresh[1]), true);
  CHECK(reports > 0);
  source.request_stop();
  CHECK_THROWS_MATCHES(evaluator.and_gate(bits.fresh[1], bits.fresh[0]), Error,
                       HasCode(ErrorCode::stopped));
  check_result(keys, evaluator.and_gate(bits.refreshed[1], bits.refreshed[1]), true);
}

TEST_CASE("an evaluator outlives the key that it was made from", "[gate]") {
  auto keys = std::make_unique<KeyPair>(
      KeyGenerator(ParameterSet::named("cnt-mini")).generate(TestSeed{"short-lived"}));
  const Evaluator evaluator(keys->public_key);
  const Ciphertext c = test_encryptor(*keys).encrypt(true);
  const SecretKey secret = std::move(keys->secret_key);
  keys.reset();
  CHECK(Decryptor(secret).decrypt(evaluator.and_gate(c, c)));
}

TEST_CASE("one evaluator serves several threads at once", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  constexpr std::size_t kThreads = 4;
  constexpr int kSteps = 40;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Walk walk(keys, evaluator, 100 + t);
      const Decryptor decryptor(keys.secret_key);
      for (int i = 0; i < kSteps; ++i) {
        walk.step();
        if (decryptor.decrypt(walk.result()) != walk.expected()) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(evaluator.counts().gates == kThreads * kSteps);
}

TEST_CASE("threads compute what one thread computes", "[gate]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Bits bits(keys);
  const Ciphertext expected = evaluator.and_gate(bits.fresh[0], bits.fresh[1]);
  std::vector<Integer> values(4);
  std::vector<std::thread> threads;
  threads.reserve(values.size());
  for (Integer& value : values) {
    threads.emplace_back([&] { value = evaluator.and_gate(bits.fresh[0], bits.fresh[1]).value(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Integer& value : values) CHECK(value == expected.value());
}

TEST_CASE("100 chained gates at cnt-toy are right on five keys", "[gate]") {
  for (int key = 0; key < 5; ++key) {
    CAPTURE(key);
    check_chain(test_keys("cnt-toy", "chain " + std::to_string(key)), 100);
  }
}

TEST_CASE("20 chained gates at cnt-small are right", "[gate]") {
  check_chain(test_keys("cnt-small"), 20);
}

TEST_CASE("chained gates with recryption by digits are right", "[gate][digits]") {
  for (const std::string group : {"cnt-mini-digits", "cmnt-mini-digits", "cnt-mini-special"}) {
    CAPTURE(group);
    check_chain(test_keys(group), 200);
    const Evaluator evaluator(test_keys(group).public_key);
    Walk walk(test_keys(group), evaluator, 3);
    for (int i = 0; i < 100; ++i) {
      walk.step();
      check_result(test_keys(group), walk.result(), walk.expected());
    }
  }
  check_chain(test_keys("cnt-toy-digits"), 200);
  check_chain(test_keys("cnt-small-digits"), 20);
  check_chain(test_keys("cnt-toy-special"), 200);
  check_chain(test_keys("cnt-small-special"), 20);
}

TEST_CASE("long chains with recryption by digits are right at every size", "[gate][digits][long]") {
  check_chain(test_keys("cnt-toy-digits"), 10000);
  check_chain(test_keys("cnt-small-digits"), 200);
  check_chain(test_keys("cnt-medium-digits"), 20);
  check_chain(test_keys("cnt-large-digits"), 3);
  check_chain(test_keys("cmnt-toy-digits"), 1000);
  check_chain(test_keys("cnt-toy-special"), 10000);
  check_chain(test_keys("cnt-small-special"), 200);
  check_chain(test_keys("cnt-medium-special"), 20);
  check_chain(test_keys("cnt-large-special"), 3);
}

TEST_CASE("chained gates under GH are right on three keys", "[gate]") {
  for (int key = 0; key < 3; ++key) {
    CAPTURE(key);
    check_chain(test_keys("gh-mini", "chain " + std::to_string(key)), 100);
  }
  check_chain(test_keys("gh-512"), 4);
}

TEST_CASE("100 chained gates at gh-512 are right on three keys", "[gate][long]") {
  for (int key = 0; key < 3; ++key) {
    CAPTURE(key);
    check_chain(test_keys("gh-512", "chain " + std::to_string(key)), 100);
  }
}

TEST_CASE("20 chained gates at gh-2048 are right", "[gate][long]") {
  check_chain(test_keys("gh-2048"), 20);
}

TEST_CASE("gate, recryption, gate at gh-8192", "[gate][long]") {
  check_gate_recryption_gate("gh-8192");
}

TEST_CASE("gate, recryption, gate at cnt-medium", "[gate][long]") {
  check_gate_recryption_gate("cnt-medium");
}

TEST_CASE("gate, recryption, gate at cnt-large", "[gate][long]") {
  check_gate_recryption_gate("cnt-large");
}

TEST_CASE("memory does not grow over 200 recryptions", "[gate]") {
  check_memory_is_steady("cnt-mini", 200);
  check_memory_is_steady("cnt-toy", 200);
}

}  // namespace fhe::test

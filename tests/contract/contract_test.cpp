// SPDX-License-Identifier: Apache-2.0
// The contract of keys.hpp: in whatever goes wrong around it, an operation gives the right result
// or throws fhe::Error.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "libfhe/arith/gmp_memory.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/circuit/word.hpp"
#include "libfhe/circuit/word_operations.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/security.hpp"
#include "libfhe/scheme/she/keys.hpp"
#include "libfhe/scheme/sizes.hpp"
#include "libfhe/storage/atomic_file.hpp"
#include "tests/contract/failing_allocations.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/cancelled_group.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

// Something that a user calls, and whether what it gave is right.
struct Operation {
  std::string name;
  std::function<void(const Monitor&)> perform;
  std::function<bool()> is_right;  // of the last call of perform that returned
};

template <class Perform, class IsRight>
Operation operation(std::string name, const Perform& perform, const IsRight& is_right) {
  const auto result = std::make_shared<std::optional<decltype(perform(Monitor()))>>();
  return {.name = std::move(name),
          .perform =
              [result, perform](const Monitor& monitor) {
                result->reset();
                result->emplace(perform(monitor));
              },
          .is_right = [result, is_right] { return is_right(**result); }};
}

std::vector<bool> decrypted(const KeyPair& keys, const std::vector<Ciphertext>& cs) {
  return Decryptor(keys.secret_key).decrypt(cs);
}

bool decrypted(const KeyPair& keys, const Ciphertext& c) {
  return Decryptor(keys.secret_key).decrypt(c);
}

// Whether nobody can read the bit: the value is long on both sides of 0.
bool is_masked(const Ciphertext& c, const Integer& modulus) {
  const std::size_t least = bit_length(modulus) - 64;
  return bit_length(c.value()) >= least && bit_length(modulus - c.value()) >= least;
}

// Everything that programs do with a key of the group.
class Operations {
 public:
  Operations(const std::string& group, BackendPtr backend)
      : group_(group), keys_(test_keys(group)), backend_(std::move(backend)) {}

  [[nodiscard]] std::vector<Operation> all() const {
    std::vector<Operation> list{encryption(1),  encryption(8),    preparation(), recryption(),
                                recryptions(),  circuit(),        part(),        files(),
                                decryption(),   key_generation(), sizes(),       estimate(),
                                shared_gates(), words(),          slots(),       numbers()};
    if (has_compressed_form()) {
      list.push_back(encryption_by_owner());
      list.push_back(compressed_files());
    }
    if (keys_.public_key.slots() > 1) list.push_back(permutation());
    for (const NamedGate& gate : named_gates()) list.push_back(this->gate(gate));
    return list;
  }

  // Those that take a Monitor.
  [[nodiscard]] std::vector<Operation> stoppable() const {
    std::vector<Operation> list{encryption(8),    preparation(), recryption(),
                                recryptions(),    circuit(),     part(),
                                key_generation(), slots(),       numbers()};
    if (has_compressed_form()) list.push_back(encryption_by_owner());
    return list;
  }

  [[nodiscard]] std::string description() const { return group_ + " on " + backend_->info().name; }

 private:
  [[nodiscard]] Operation encryption(std::size_t count) const {
    const auto encryptor = std::make_shared<const Encryptor>(keys_.public_key, backend_);
    std::vector<bool> bits(count);
    for (std::size_t i = 0; i < count; ++i) bits[i] = i % 3 == 0;
    return operation(
        "encrypt " + std::to_string(count),
        [=](const Monitor& monitor) { return encryptor->encrypt(bits, {}, monitor); },
        [=, this](const std::vector<Ciphertext>& made) {
          return decrypted(keys_, made) == bits && std::ranges::all_of(made, [&](const auto& c) {
                   return is_masked(c, keys_.public_key.modulus());
                 });
        });
  }

  // Numbers in slots, whose keys are of groups of their own.
  [[nodiscard]] Operation numbers() const {
    const std::vector<she::SlotNumbers> rows{{1, 2, 3}, {4, 5, 6}};
    const std::vector<she::SlotNumbers> others{rows[1], rows[0]};
    const ParameterSet group = ParameterSet::named("she-mini");
    const auto generator = std::make_shared<const she::KeyGenerator>(group, backend_);
    const auto arithmetic = std::make_shared<const she::Arithmetic>(group, backend_);
    return operation(
        "numbers in slots",
        [=](const Monitor& monitor) {
          const she::SecretKey key = generator->generate(TestSeed{"contract"}, monitor);
          const she::Encryptor encryptor(key);
          const std::vector<she::Slots> xs = encryptor.encrypt_all(rows, monitor);
          const she::Slots sum =
              arithmetic->inner_sum(xs, encryptor.encrypt_all(others, monitor), monitor);
          const she::Decryptor decryptor(key);
          return std::pair(decryptor.decrypt(arithmetic->multiply_constant(sum, 3)),
                           decryptor.decrypt(arithmetic->sum(xs, monitor)));
        },
        [](const std::pair<she::SlotNumbers, she::SlotNumbers>& made) {
          return made ==
                 std::pair(she::SlotNumbers{4, 0, 8, 0, 0}, she::SlotNumbers{5, 7, 9, 0, 0});
        });
  }

  // Bits of slots, and a mask of them.
  [[nodiscard]] Operation slots() const {
    const auto encryptor = std::make_shared<const Encryptor>(keys_.public_key, backend_);
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const auto decryptor = std::make_shared<const Decryptor>(keys_.secret_key, backend_);
    const std::size_t count = keys_.public_key.slots();
    SlotBits bits(count, true);
    SlotBits mask(count, true);
    bits.back() = count == 1;
    mask.front() = count == 1;
    SlotBits masked = mask;
    masked.back() = bits.back();
    return operation(
        "slots",
        [=](const Monitor& monitor) {
          const Ciphertext c = encryptor->encrypt_slots(bits, {}, monitor);
          return decryptor->decrypt_slots(evaluator->and_gate(c, evaluator->constant(mask)));
        },
        [=](const SlotBits& made) { return made == masked; });
  }

  // By a network: with stored rotations and masks.
  [[nodiscard]] Operation permutation() const {
    const std::size_t count = keys_.public_key.slots();
    const KeyGenerator generator(ParameterSet::named(group_), backend_,
                                 {.permutations = network_rotations(count)});
    const auto keys = std::make_shared<const KeyPair>(generator.generate(TestSeed{"rotations"}));
    const auto evaluator = std::make_shared<const Evaluator>(keys->public_key, backend_);
    std::vector<std::uint32_t> sources(count);
    std::iota(sources.begin(), sources.end(), 0);
    std::swap(sources.front(), sources[1]);
    const auto exchange = std::make_shared<const SlotPermutation>(std::move(sources));
    SlotBits bits(count);
    bits[1] = true;
    const Ciphertext c = Encryptor(keys->public_key, backend_).encrypt_slots(bits);
    return operation(
        "permute",
        [=](const Monitor& monitor) { return evaluator->permute(c, *exchange, monitor); },
        [=](const Ciphertext& made) {
          return Decryptor(keys->secret_key).decrypt_slots(made) == exchange->apply(bits);
        });
  }

  [[nodiscard]] bool has_compressed_form() const {
    const ParameterSet& group = keys_.public_key.parameters();
    return scheme_named(group.scheme()).compressed_form(group).has_value();
  }

  [[nodiscard]] SecretEncryptor owner() const {
    return SecretEncryptor(keys_.secret_key, backend_);
  }

  [[nodiscard]] Operation encryption_by_owner() const {
    const auto encryptor = std::make_shared<const SecretEncryptor>(owner());
    const std::vector<bool> bits = {true, false, false, true, true};
    return operation(
        "encrypt as owner",
        [=, this](const Monitor& monitor) {
          return expand(encryptor->encrypt(bits, monitor), keys_.public_key, monitor);
        },
        [=, this](const std::vector<Ciphertext>& made) {
          return decrypted(keys_, made) == bits && std::ranges::all_of(made, [&](const auto& c) {
                   return is_masked(c, keys_.public_key.modulus());
                 });
        });
  }

  [[nodiscard]] Operation compressed_files() const {
    const std::vector<bool> bits = {true, false, true};
    const auto compressed = std::make_shared<const CompressedCiphertexts>(owner().encrypt(bits));
    const auto folder = std::make_shared<const TemporaryDirectory>();
    const std::filesystem::path path = folder->path() / "compressed.fhe";
    return operation(
        "compressed files",
        [=, this](const Monitor& /*monitor*/) {
          save(path, *compressed, keys_.secret_key);
          return load_ciphertexts(path, keys_.public_key);
        },
        [=, this, kept = folder](const std::vector<Ciphertext>& read) {
          return decrypted(keys_, read) == bits;
        });
  }

  [[nodiscard]] Operation preparation() const {
    return operation(
        "prepare",
        [this](const Monitor& monitor) {
          const Encryptor encryptor(keys_.public_key, backend_);
          encryptor.prepare(monitor);
          return encryptor.encrypt(true, {}, monitor);
        },
        [this](const Ciphertext& made) {
          return decrypted(keys_, made) && is_masked(made, keys_.public_key.modulus());
        });
  }

  [[nodiscard]] Operation recryptions() const {
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const std::vector<bool> bits{true, false, true};
    const std::vector<Ciphertext> cs = Encryptor(keys_.public_key, backend_).encrypt(bits);
    return operation(
        "recrypt 3", [=](const Monitor& monitor) { return evaluator->recrypt(cs, monitor); },
        [=, this](const std::vector<Ciphertext>& made) { return decrypted(keys_, made) == bits; });
  }

  [[nodiscard]] Operation recryption() const {
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const Ciphertext c = test_encryptor(keys_).encrypt(true);
    return operation(
        "recrypt", [=](const Monitor& monitor) { return evaluator->recrypt(c, monitor); },
        [=, this](const Ciphertext& made) { return decrypted(keys_, made); });
  }

  [[nodiscard]] Operation gate(const NamedGate& gate) const {
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const std::vector<bool> bits = {true, false, true};
    const std::vector<bool> inputs(bits.begin(), bits.begin() + gate.inputs);
    const std::vector<Ciphertext> operands = test_encryptor(keys_).encrypt(inputs);
    return operation(
        std::string(gate.name),
        [=](const Monitor& /*monitor*/) { return gate.apply(*evaluator, operands); },
        [=, this](const Ciphertext& made) { return decrypted(keys_, made) == gate.plain(inputs); });
  }

  // On ciphertexts that remember what they were refreshed to.
  [[nodiscard]] Operation shared_gates() const {
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const std::vector<Ciphertext> operands =
        test_encryptor(keys_).encrypt(std::vector{true, false});
    return operation(
        "shared gates",
        [=](const Monitor& /*monitor*/) {
          auto own = reporting_memory([&] { return operands; });  // the caller's copy
          const SharedCiphertext x(std::move(own[0]));
          const SharedCiphertext y(std::move(own[1]));
          const SharedCiphertext sum = evaluator->xor_gate(x, evaluator->not_gate(y));
          return static_cast<Ciphertext>(evaluator->and_gate(evaluator->not_gate(sum), x));
        },
        [=, this](const Ciphertext& made) { return decrypted(keys_, made); });
  }

  [[nodiscard]] Operation words() const {
    const std::vector<WordOperand> operands{{3}, {3}};
    return operation(
        "a circuit of words",
        [=](const Monitor& /*monitor*/) {
          return word_circuit(word_operation_named("add"), operands);
        },
        [](const Netlist& made) {
          const std::vector<bool> bits = {true, false, true, true, true, false};
          return evaluate_plain(made, bits) == std::vector{false, false, false};
        });
  }

  [[nodiscard]] Operation circuit() const {
    NetlistBuilder builder;
    const auto x = input_word(builder, "x", 2);
    const auto y = input_word(builder, "y", 2);
    output_word(builder, "s", x + y);
    const auto netlist = std::make_shared<const Netlist>(builder.build());
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const std::vector<bool> bits = {true, false, true, true};
    const std::vector<Ciphertext> inputs = test_encryptor(keys_).encrypt(bits);
    return operation(
        "circuit",
        [=, this](const Monitor& monitor) {
          auto own = reporting_memory([&] { return inputs; });  // the caller's copy
          return run_circuit(*netlist, *evaluator, std::move(own), {}, monitor).outputs;
        },
        [=, this](const std::vector<Ciphertext>& made) {
          return decrypted(keys_, made) == evaluate_plain(*netlist, bits);
        });
  }

  [[nodiscard]] Operation part() const {
    const auto evaluator = std::make_shared<const Evaluator>(keys_.public_key, backend_);
    const auto program = std::make_shared<const CircuitProgram>(
        CircuitProgram::compile(adder_circuit(2), *evaluator));
    const std::vector<bool> bits = {true, false, true, true};
    const std::vector<Ciphertext> inputs = test_encryptor(keys_).encrypt(bits);
    const CircuitPart all = split_into_parts(program->tasks(), 1, 1e9).front();
    return operation(
        "part",
        [=](const Monitor& monitor) {
          auto own = reporting_memory([&] { return inputs; });  // the caller's copy
          return run_part(*program, *evaluator, all, std::move(own), monitor);
        },
        [=, this](const std::vector<Ciphertext>& made) {
          return decrypted(keys_, made) == evaluate_plain(adder_circuit(2), bits);
        });
  }

  [[nodiscard]] Operation files() const {
    const std::vector<bool> bits = {true, false};
    const std::vector<Ciphertext> cs = test_encryptor(keys_).encrypt(bits);
    const auto folder = std::make_shared<const TemporaryDirectory>();
    const std::filesystem::path key_path = folder->path() / "public.fhe";
    const std::filesystem::path path = folder->path() / "c.fhe";
    return operation(
        "files",
        [=, this](const Monitor& /*monitor*/) {
          save(key_path, keys_.public_key);
          save(path, cs, keys_.public_key);
          const auto bytes = to_bytes(load_ciphertexts(path, keys_.public_key), keys_.public_key);
          return load_ciphertexts(bytes, load_public_key(to_bytes(load_public_key(key_path))));
        },
        [=, this, kept = folder](const std::vector<Ciphertext>& read) {
          return decrypted(keys_, read) == bits;
        });
  }

  [[nodiscard]] Operation decryption() const {
    const std::vector<bool> bits = {true, false, true};
    const std::vector<Ciphertext> cs = test_encryptor(keys_).encrypt(bits);
    return operation(
        "decrypt", [=, this](const Monitor& /*monitor*/) { return decrypted(keys_, cs); },
        [=](const std::vector<bool>& answer) { return answer == bits; });
  }

  [[nodiscard]] Operation sizes() const {
    const ParameterSet& group = keys_.public_key.parameters();
    return operation(
        "sizes", [&group](const Monitor& /*monitor*/) { return sizes_of(group); },
        [right = sizes_of(group)](const std::optional<KeySizes>& sizes) { return sizes == right; });
  }

  [[nodiscard]] Operation estimate() const {
    using Estimate = std::optional<security::Estimate>;
    const ParameterSet& group = keys_.public_key.parameters();
    return operation(
        "estimate", [&group](const Monitor& /*monitor*/) { return estimate_of(group); },
        [right = estimate_of(group)](const Estimate& found) { return found == right; });
  }

  // The same key as `test_keys`, so that every part of it is known to be right.
  [[nodiscard]] Operation key_generation() const {
    const auto generator =
        std::make_shared<const KeyGenerator>(ParameterSet::named(group_), backend_);
    return operation(
        "generate",
        [=](const Monitor& monitor) {
          // Not its id: a copy of a long name would be an allocation of this test.
          return generator->generate(TestSeed{"shared"}, monitor);
        },
        [this](const KeyPair& made) { return made.public_key.id() == keys_.public_key.id(); });
  }

  std::string group_;
  const KeyPair& keys_;
  BackendPtr backend_;
};

enum class Outcome { right, refused, wrong };

// Anything but an Error passes on.
Outcome attempt(const Operation& operation, const Monitor& monitor = {}) {
  try {
    operation.perform(monitor);
  } catch (const Error&) {
    return Outcome::refused;
  }
  return operation.is_right() ? Outcome::right : Outcome::wrong;
}

// Calls `work` where loops use this many threads, however many the machine has.
void with_threads(std::size_t threads, const std::function<void()>& work) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute(work);
}

// About `most` of the numbers below `count`: all of them if there are no more.
std::vector<std::size_t> spread(std::size_t count, std::size_t most) {
  std::vector<std::size_t> numbers;
  const std::size_t step = std::max<std::size_t>(1, count / most);
  for (std::size_t k = 0; k < count; k += step) numbers.push_back(k);
  return numbers;
}

// What performing the operation with the k-th allocation failing comes to; other exceptions than
// Error pass on.
std::optional<ErrorCode> perform_without(std::size_t k, const Operation& operation) {
  try {
    const FailingAllocation failing(k);
    operation.perform({});
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

// Performs every operation as often as it takes for about `most` of its allocations to fail once.
void fail_allocations(const Operations& operations, std::size_t threads, std::size_t most) {
  for (const Operation& operation : operations.all()) {
    CAPTURE(operations.description(), operation.name, threads);
    std::size_t count = 0;
    with_threads(threads, [&] {
      const FailingAllocation none;
      operation.perform({});
      count = none.count();
    });
    REQUIRE(operation.is_right());
    std::size_t refused = 0;
    for (const std::size_t k : spread(count, most)) {
      CAPTURE(k, count);
      std::optional<ErrorCode> code;
      with_threads(threads, [&] { code = perform_without(k, operation); });
      CHECK(code.value_or(ErrorCode::out_of_memory) == ErrorCode::out_of_memory);
      CHECK((code || operation.is_right()));
      if (code) ++refused;
    }
    CHECK(refused > 0);
    CHECK(attempt(operation) == Outcome::right);
  }
}

// A device that is gone from the `lifetime`-th product on.
class LosingBackend final : public Backend {
 public:
  static constexpr std::size_t kForEver = static_cast<std::size_t>(-1);

  [[nodiscard]] BackendInfo info() const override { return MinimalBackend().info(); }
  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    if (products_.fetch_add(1) >= lifetime_) {
      throw Error(ErrorCode::io, "the device does not answer any more");
    }
    return x * y;
  }

  void live(std::size_t products) const {
    lifetime_ = products;
    products_ = 0;
  }
  [[nodiscard]] std::size_t products() const { return products_; }

 private:
  mutable std::atomic<std::size_t> lifetime_ = kForEver;
  mutable std::atomic<std::size_t> products_ = 0;
};

const std::vector<std::string>& groups() {
  static const std::vector<std::string> names = {
      "cnt-mini", "cmnt-mini", "cmnt-mini-paper", "cnt-mini-special", "bdghv-mini", "gh-mini"};
  return names;
}

// With the device where this build has it.
std::vector<std::string> backends() {
  std::vector<std::string> names = {"auto", "ntl", "solinas"};
  for (const BackendFactory& factory : registered_backends())
    if (factory.name == "fpga") names.emplace_back("fpga:model");
  return names;
}

}  // namespace

TEST_CASE("every operation is right inside a cancelled group", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const std::string backend = GENERATE(from_range(backends()));
  const std::size_t threads = GENERATE(1U, 2U, 4U, 8U);
  CAPTURE(group, backend, threads);
  const Operations operations(group, open_backend(backend));
  for (const Operation& operation : operations.all()) {
    CAPTURE(operation.name);
    Outcome outcome = Outcome::wrong;
    with_threads(threads, [&] { in_cancelled_group([&] { outcome = attempt(operation); }); });
    CHECK(outcome == Outcome::right);
  }
}

TEST_CASE("every operation is right beside a body that throws", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const std::string backend = GENERATE("auto", "ntl");
  CAPTURE(group, backend);
  constexpr std::size_t kWorkers = 3;
  const Operations operations(group, open_backend(backend));
  std::vector<std::vector<Operation>> work;
  for (std::size_t i = 0; i < kWorkers; ++i) work.push_back(operations.all());
  std::atomic<int> not_right = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    const auto body = [&](std::size_t i) {
      if (i == kWorkers) {
        std::this_thread::sleep_for(std::chrono::microseconds(700 * repetition));
        throw std::out_of_range("beside");
      }
      for (const Operation& operation : work[i]) {
        if (attempt(operation) != Outcome::right) ++not_right;
      }
    };
    with_threads(4, [&] { CHECK_THROWS_AS(parallel_for(kWorkers + 1, body), std::out_of_range); });
  }
  CHECK(not_right == 0);
}

TEST_CASE("an operation whose device is lost on the way says so or is right", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const std::size_t threads = GENERATE(1U, 4U);
  CAPTURE(group, threads);
  const auto device = std::make_shared<const LosingBackend>();
  const Operations operations(group, device);
  std::size_t refused = 0;
  for (const Operation& operation : operations.all()) {
    CAPTURE(operation.name);
    device->live(LosingBackend::kForEver);
    REQUIRE(attempt(operation) == Outcome::right);
    for (const std::size_t k : spread(device->products(), 12)) {
      CAPTURE(k);
      device->live(k);
      Outcome outcome = Outcome::wrong;
      with_threads(threads, [&] { outcome = attempt(operation); });
      // Randomness decides how many products there are: the device may have lived long enough.
      CHECK(outcome != Outcome::wrong);
      if (outcome == Outcome::refused) ++refused;
    }
    device->live(LosingBackend::kForEver);
    CHECK(attempt(operation) == Outcome::right);
  }
  CHECK(refused > 50);
}

TEST_CASE("an operation that is stopped on the way says so or is right", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const std::size_t threads = GENERATE(1U, 4U);
  CAPTURE(group, threads);
  const Operations operations(group, open_backend());
  for (const Operation& operation : operations.stoppable()) {
    CAPTURE(operation.name);
    for (int k = 0; k < 12; ++k) {
      std::stop_source source;
      std::atomic<int> reports = 0;
      Monitor monitor;
      monitor.stop = source.get_token();
      monitor.progress = [&](std::string_view /*phase*/, double /*fraction*/) {
        if (reports++ == k) source.request_stop();
      };
      Outcome outcome = Outcome::wrong;
      with_threads(threads, [&] { outcome = attempt(operation, monitor); });
      CHECK(outcome != Outcome::wrong);
    }
  }
}

TEST_CASE("an operation without memory says so and can be repeated", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const std::string backend = GENERATE("auto", "ntl");
  const std::size_t threads = GENERATE(1U, 4U);
  fail_allocations(Operations(group, open_backend(backend)), threads, 10);
}

// Every failing allocation is an operation of its own: fewer of them where one takes long.
TEST_CASE("an operation without memory says so, whichever allocation fails", "[contract][long]") {
  const std::string group = GENERATE("cnt-toy", "cmnt-toy", "gh-512", "cmnt-mini-paper");
  const std::string backend = GENERATE(from_range(backends()));
  const std::size_t threads = GENERATE(1U, 4U);
  const std::size_t most = backend == "auto" ? 300 : backend == "fpga:model" ? 5 : 50;
  fail_allocations(Operations(group, open_backend(backend)), threads, most);
}

TEST_CASE("an encryption without its mask is not returned", "[contract]") {
  const std::string group = GENERATE("cnt-mini", "cmnt-mini", "bdghv-mini", "gh-mini");
  CAPTURE(group);
  const Encryptor encryptor(test_keys(group).public_key,
                            std::make_shared<const ForgetfulBackend>());
  CHECK_THROWS_MATCHES(encryptor.encrypt(std::vector<bool>(100, true)), Error,
                       HasCode(ErrorCode::wrong_result));
  // In GH the ring has no part in the first power, which may mask a single encryption.
  if (group == "gh-mini") return;
  CHECK_THROWS_MATCHES(encryptor.encrypt(false), Error, HasCode(ErrorCode::wrong_result));
}

TEST_CASE("a file for which memory is lacking is whole or not there", "[contract]") {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder / "file";
  const std::string text = "contents";
  const auto write = [&] {
    AtomicFile file(path, FileAccess::everyone);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
  };
  std::size_t count = 0;
  {
    const FailingAllocation none;
    write();
    count = none.count();
  }
  std::size_t failed = 0;
  for (std::size_t k = 0; k < count; ++k) {
    std::filesystem::remove(path);
    try {
      const FailingAllocation failing(k);
      write();
    } catch (const std::bad_alloc&) {
      ++failed;
    }
    CAPTURE(k, count);
    const bool is_there = std::filesystem::exists(path);
    CHECK(folder.size() == (is_there ? 1 : 0));  // and no temporary one
    if (is_there) CHECK(std::filesystem::file_size(path) == text.size());
  }
  CHECK(failed > 0);
}

TEST_CASE("first encryptions of a key beside each other do not wait for each other", "[contract]") {
  const std::string group = GENERATE(from_range(groups()));
  const KeyPair& keys = test_keys(group);
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Encryptor encryptor(keys.public_key);
    std::atomic<int> wrong = 0;
    with_threads(8, [&] {
      parallel_for(16, [&](std::size_t i) {
        const bool bit = i % 2 == 0;
        if (Decryptor(keys.secret_key).decrypt(encryptor.encrypt(bit)) != bit) ++wrong;
      });
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("GMP uses the memory of the library, wiped when it is freed", "[contract]") {
  REQUIRE(gmp_memory_is_ours());
  constexpr std::size_t kBits = 64 * 40;
  const auto limbs = std::make_unique<Integer>(power_of_two(kBits) - 1);
  const Limb* const place = mpz_limbs_read(limbs->get_mpz_t());
  mpz_clear(limbs->get_mpz_t());
  // The thread keeps the last freed block, so this memory is still its own.
  CHECK(std::all_of(place, place + 40, [](Limb limb) { return limb == 0; }));
  mpz_init(limbs->get_mpz_t());
}

TEST_CASE("results of GMP's functions can be destroyed after lack of memory", "[contract]") {
  const Integer x = power_of_two(5000) - 1;
  for (std::size_t k = 0; k < 4; ++k) {
    Integer product = 1;  // mpz_mul frees its limbs before it asks for more
    product = power_of_two(100);
    Integer root = power_of_two(100);
    const FailingAllocation failing(k);
    try {
      product = x * x;
      mpz_sqrt(root.get_mpz_t(), x.get_mpz_t());
      mpz_gcd(root.get_mpz_t(), x.get_mpz_t(), product.get_mpz_t());
    } catch (const std::bad_alloc&) {
    }
  }
  SUCCEED("every block was freed once: the allocator and the sanitizers would have said otherwise");
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Circuits on ciphertexts: right bits, planned recryptions, threads, memory, stops and checkpoints.
#include "libfhe/circuit/run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <sstream>
#include <stdexcept>
#include <stop_token>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/scheme/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/monitors.hpp"
#include "tests/support/operands.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

// Two numbers encrypted as the inputs of a circuit of two words.
struct Operands2 {
  std::uint64_t x;
  std::uint64_t y;
  std::vector<Ciphertext> bits;
};

Operands2 encrypt(const KeyPair& keys, std::uint64_t x, std::uint64_t y, std::size_t width) {
  return {x, y,
          test_encryptor(keys, "circuit").encrypt(joined({bits_of(x, width), bits_of(y, width)}))};
}

CircuitResult run(const Netlist& netlist, const KeyPair& keys,
                  const std::vector<Ciphertext>& inputs, const CircuitRunOptions& options = {},
                  const Monitor& monitor = {}) {
  const Evaluator evaluator(keys.public_key);
  CircuitResult result = run_circuit(netlist, evaluator, inputs, options, monitor);
  // The plan is all that was done: no gate had to refresh for itself.
  CHECK(evaluator.counts().recryptions == result.recryptions);
  return result;
}

std::vector<Integer> values_of(const CircuitResult& result) {
  std::vector<Integer> values;
  for (const Ciphertext& c : result.outputs) values.push_back(c.value());
  return values;
}

// Every output is the plain one and may be used further.
void check_run(const std::string& group, const Netlist& netlist, std::uint64_t x, std::uint64_t y,
               std::size_t width) {
  const KeyPair& keys = test_keys(group);
  const Operands2 operands = encrypt(keys, x, y, width);
  const CircuitResult result = run(netlist, keys, operands.bits);
  CHECK(Decryptor(keys.secret_key).decrypt(result.outputs) ==
        evaluate_plain(netlist, joined({bits_of(x, width), bits_of(y, width)})));
  CHECK(result.recryptions == result.plan.recryptions);
  for (const Ciphertext& c : result.outputs) {
    CHECK(c.noise() <= keys.public_key.context(open_backend())->noise_rule().refresh_limit);
  }
}

// Stops a run at one of its reports of progress.
class StopAfter {
 public:
  explicit StopAfter(int reports) : left_(reports) {
    monitor_.stop = source_.get_token();
    monitor_.progress = [this](std::string_view, double) {
      if (--left_ == 0) source_.request_stop();
    };
  }
  [[nodiscard]] const Monitor& monitor() const { return monitor_; }

 private:
  int left_;
  std::stop_source source_;
  Monitor monitor_;
};

// Saves whatever is done.
CircuitRunOptions saving_at_once(const std::filesystem::path& checkpoint) {
  return {.checkpoint = checkpoint, .checkpoint_interval = std::chrono::seconds(0)};
}

// The recryptions that a run with a checkpoint had done when it was killed, in a process of its
// own, at one of its reports of progress.
std::size_t killed_run(const Netlist& netlist, const KeyPair& keys,
                       const std::vector<Ciphertext>& inputs, const CircuitRunOptions& options,
                       int reports) {
  const ChildEnd end = run_child([&](const auto& send) {
    const Evaluator evaluator(keys.public_key);
    Monitor monitor;
    int left = reports;
    monitor.progress = [&](std::string_view, double) {
      if (--left > 0) return;
      send(std::to_string(evaluator.counts().recryptions));
      raise(SIGKILL);
    };
    static_cast<void>(run_circuit(netlist, evaluator, inputs, options, monitor));
  });
  REQUIRE(WIFSIGNALED(end.status));
  CHECK(WTERMSIG(end.status) == SIGKILL);
  return std::stoul(end.text);
}

// The limit of bytes within which a checkpoint of so many values is.
std::uint64_t fewest_bytes(std::size_t values, const KeyPair& keys) {
  ReadLimits limits;
  limits.max_file_bytes = 0;
  for (std::uint64_t step = std::uint64_t{1} << 30; step > 0; step /= 2) {
    limits.max_file_bytes += step;
    try {
      require_checkpoint_size("checkpoint", values, keys.public_key, limits);
      limits.max_file_bytes -= step;
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::invalid_argument);
    }
  }
  return limits.max_file_bytes + 1;
}

// The bytes of the first of several containers.
std::size_t first_container(const std::vector<std::byte>& bytes) {
  std::istringstream stream(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return ContainerReader(Source(stream)).file_bytes();
}

HasCode refused(ErrorCode code, const std::string& part) {
  return HasCode(code, part);
}

}  // namespace

TEST_CASE("circuits on ciphertexts give the bits of circuits on plain ones", "[circuit]") {
  check_run("cnt-mini", adder_circuit(16), 0xbeef, 0x1234, 16);
  check_run("cnt-mini", comparator_circuit(8), 200, 100, 8);
  check_run("cnt-mini", multiplier_circuit(5, Prefer::low_depth), 27, 13, 5);
  check_run("cnt-toy", adder_circuit(4), 11, 7, 4);
}

TEST_CASE("a circuit with every gate, unused inputs and public outputs", "[circuit]") {
  std::vector<Gate> gates;
  OutputWord output{"y", {0, 0}};
  for (std::size_t k = 0; k < kGateKinds; ++k) {
    gates.push_back({static_cast<GateKind>(k), {0, 1, 2}});
    output.wires.push_back(static_cast<Wire>(8 + k));
  }
  const Netlist netlist({{"x", 4}, {"u", 4}}, gates, {output});
  for (const unsigned x : {0U, 3U, 5U, 6U, 9U}) check_run("cnt-mini", netlist, x, 0, 4);
}

TEST_CASE("a 64-bit adder and a 32-bit comparator on cnt-toy and gh-512", "[circuit]") {
  for (const std::string group : {"cnt-toy", "gh-512"}) {
    check_run(group, adder_circuit(64), 0x123456789abcdef0, 0xfedcba9876543210, 64);
    check_run(group, comparator_circuit(32), 1000000, 999999, 32);
  }
}

TEST_CASE("wider and deeper circuits on cnt-toy", "[circuit][long]") {
  check_run("cnt-toy", adder_circuit(64, Prefer::low_depth), 0xdeadbeef12345678, ~0U, 64);
  check_run("cnt-toy", multiplier_circuit(32), 3141592653, 2718281828, 32);
}

TEST_CASE("a run on one thread and on all of them gives the same ciphertexts", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = multiplier_circuit(6, Prefer::low_depth);
  const Operands2 operands = encrypt(keys, 45, 51, 6);
  const std::vector<Integer> all_threads = values_of(run(netlist, keys, operands.bits));
  const ThreadLimit one(1);
  CHECK(values_of(run(netlist, keys, operands.bits)) == all_threads);
}

TEST_CASE("a run keeps to its memory", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = multiplier_circuit(10);
  const Operands2 operands = encrypt(keys, 545, 951, 10);
  const CircuitResult wide = run(netlist, keys, operands.bits);
  const std::uint64_t each = ciphertext_bytes(keys.public_key.modulus());
  const Evaluator evaluator(keys.public_key);
  const TaskGraph graph = CircuitProgram::compile(netlist, evaluator).tasks();
  const std::size_t allowed = graph.most_values(1) + 1;
  CHECK(allowed < graph.most_values(graph.tasks().size()));
  const CircuitResult narrow =
      run(netlist, keys, operands.bits, {.max_memory_bytes = allowed * each});
  CHECK(narrow.peak_ciphertexts <= allowed);
  CHECK(values_of(narrow) == values_of(wide));
  CHECK_THROWS_MATCHES(run(netlist, keys, operands.bits, {.max_memory_bytes = 12 * each}), Error,
                       refused(ErrorCode::unsupported, "values at a time"));
}

TEST_CASE("a run reports progress that grows to one", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  std::vector<double> fractions;
  Monitor monitor;
  monitor.progress = [&](std::string_view phase, double fraction) {
    CHECK(phase == "circuit");
    fractions.push_back(fraction);
  };
  const Operands2 operands = encrypt(keys, 45, 51, 6);
  static_cast<void>(run(adder_circuit(6), keys, operands.bits, {}, monitor));
  REQUIRE(fractions.size() > 3);
  CHECK(fractions.front() == 0);
  CHECK(fractions.back() == 1);
}

TEST_CASE("a run refuses what does not belong to it", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const KeyPair& others = test_keys("cnt-mini", "other");
  const Netlist netlist = adder_circuit(4);
  const Operands2 operands = encrypt(keys, 1, 2, 4);
  CHECK_THROWS_MATCHES(run(netlist, keys, encrypt(keys, 1, 2, 3).bits), Error,
                       refused(ErrorCode::invalid_argument, "8 input bits, not 6"));
  CHECK_THROWS_MATCHES(run(netlist, others, operands.bits), Error,
                       refused(ErrorCode::wrong_key, "key"));
  CHECK_THROWS_MATCHES(run(netlist, keys, operands.bits, {}, stopped_monitor()), Error,
                       refused(ErrorCode::stopped, ""));
}

TEST_CASE("a stopped run goes on from its checkpoint, wherever it stopped", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = multiplier_circuit(4);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const ThreadLimit one(1);  // so that every operation reports
  int all_reports = 0;
  Monitor counting;
  counting.progress = [&](std::string_view, double) { ++all_reports; };
  const CircuitResult whole = run(netlist, keys, operands.bits, {}, counting);
  REQUIRE(all_reports > 20);
  const TemporaryDirectory directory;
  std::size_t fewest_recryptions = whole.recryptions;
  std::size_t resumed_runs = 0;
  for (int reports = 1; reports < all_reports; reports += all_reports / 6) {
    CAPTURE(reports, all_reports);
    CircuitRunOptions options{.checkpoint = directory / std::to_string(reports)};
    const Evaluator evaluator(keys.public_key);
    const StopAfter stop(reports);
    CHECK_THROWS_MATCHES(run_circuit(netlist, evaluator, operands.bits, options, stop.monitor()),
                         Error, refused(ErrorCode::stopped, ""));
    if (!std::filesystem::exists(*options.checkpoint)) continue;
    options.resume = true;
    const CircuitResult rest = run(netlist, keys, operands.bits, options);
    CHECK(values_of(rest) == values_of(whole));
    CHECK(rest.resumed_values > 0);
    CHECK(rest.recryptions < whole.recryptions);
    fewest_recryptions = std::min(fewest_recryptions, rest.recryptions);
    ++resumed_runs;
  }
  CHECK(resumed_runs >= 3);
  CHECK(fewest_recryptions <= whole.recryptions / 2);
}

TEST_CASE("a killed run does again what was being done", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = multiplier_circuit(5);
  const Operands2 operands = encrypt(keys, 21, 13, 5);
  int all_reports = 0;
  Monitor counting;
  counting.progress = [&](std::string_view, double) { ++all_reports; };
  const ThreadLimit one(1);  // so that every operation reports
  const CircuitResult whole = run(netlist, keys, operands.bits, {}, counting);
  const TemporaryDirectory directory;
  std::size_t resumed_runs = 0;
  for (int reports = 1; reports < all_reports; reports += all_reports / 6) {
    CAPTURE(reports, all_reports);
    CircuitRunOptions options = saving_at_once(directory / std::to_string(reports));
    const std::size_t before = killed_run(netlist, keys, operands.bits, options, reports);
    options.resume = std::filesystem::exists(*options.checkpoint);
    const CircuitResult rest = run(netlist, keys, operands.bits, options);
    CHECK(values_of(rest) == values_of(whole));
    CHECK(before + rest.recryptions >= whole.recryptions);
    CHECK(before + rest.recryptions <= whole.recryptions + KeyContext::kRecryptedTogether);
    resumed_runs += options.resume ? 1U : 0U;
  }
  CHECK(resumed_runs >= 3);
}

TEST_CASE("the checkpoint of a complete run needs no work to go on from", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = adder_circuit(4);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const TemporaryDirectory directory;
  CircuitRunOptions options{.checkpoint = directory / "checkpoint"};
  const CircuitResult whole = run(netlist, keys, operands.bits, options);
  CHECK(directory.size() == 1);
  options.resume = true;
  options.max_memory_bytes = 30 * ciphertext_bytes(keys.public_key.modulus());
  const CircuitResult again = run(netlist, keys, operands.bits, options);
  CHECK(again.recryptions == 0);
  CHECK(values_of(again) == values_of(whole));
  CHECK(summarize(*options.checkpoint).header.kind == ObjectKind::checkpoint);
  CHECK_THROWS_MATCHES(load_ciphertexts(*options.checkpoint, keys.public_key), Error,
                       refused(ErrorCode::wrong_key, "checkpoint"));
}

TEST_CASE("a run goes on without the checkpoint that it cannot write, when it may", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = adder_circuit(4);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const TemporaryDirectory directory;
  CircuitRunOptions options = saving_at_once(directory / "missing" / "checkpoint");
  const Evaluator evaluator(keys.public_key);
  CHECK_THROWS_MATCHES(run_circuit(netlist, evaluator, operands.bits, options), Error,
                       refused(ErrorCode::io, "missing"));
  std::size_t failures = 0;
  options.checkpoint_failed = [&](const Error& error) {
    CHECK(error.code() == ErrorCode::io);
    ++failures;
  };
  const CircuitResult result = run(netlist, keys, operands.bits, options);
  CHECK(failures > 1);
  CHECK(values_of(result) == values_of(run(netlist, keys, operands.bits)));
}

TEST_CASE("a run whose checkpoint could not be read back does not begin", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = multiplier_circuit(4);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const TemporaryDirectory directory;
  CircuitRunOptions options{.checkpoint = directory / "checkpoint"};
  const auto refuses = [&] {
    const Evaluator evaluator(keys.public_key);
    CHECK_THROWS_MATCHES(run_circuit(netlist, evaluator, operands.bits, options), Error,
                         refused(ErrorCode::invalid_argument, "--max-"));
    CHECK(evaluator.counts().gates == 0);
    CHECK(evaluator.counts().recryptions == 0);
    CHECK(directory.size() == 0);
  };
  options.limits.max_ciphertexts = 1;
  refuses();
  // The fewest that are enough are those of as many values as the run may keep.
  const Evaluator evaluator(keys.public_key);
  const TaskGraph graph = CircuitProgram::compile(netlist, evaluator).tasks();
  options = saving_at_once(*options.checkpoint);
  options.limits.max_file_bytes = fewest_bytes(graph.most_values(graph.tasks().size()), keys) - 1;
  refuses();
  ++options.limits.max_file_bytes;
  const CircuitResult whole = run(netlist, keys, operands.bits, options);
  CHECK(values_of(whole) == values_of(run(netlist, keys, operands.bits)));
  options.resume = true;
  CHECK(values_of(run(netlist, keys, operands.bits, options)) == values_of(whole));
}

TEST_CASE("a checkpoint of another circuit, key or input is refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const KeyPair& others = test_keys("cnt-mini", "other");
  const Netlist netlist = adder_circuit(4);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const TemporaryDirectory directory;
  CircuitRunOptions options{.checkpoint = directory / "checkpoint"};
  static_cast<void>(run(netlist, keys, operands.bits, options));
  options.resume = true;
  CHECK_THROWS_MATCHES(run(multiplier_circuit(4), keys, operands.bits, options), Error,
                       refused(ErrorCode::invalid_argument, "another circuit"));
  CHECK_THROWS_MATCHES(run(netlist, keys, encrypt(keys, 11, 12, 4).bits, options), Error,
                       refused(ErrorCode::invalid_argument, "other inputs"));
  CHECK_THROWS_MATCHES(run(netlist, others, encrypt(others, 11, 13, 4).bits, options), Error,
                       refused(ErrorCode::wrong_key, "checkpoint"));
  options.checkpoint = directory / "none";
  CHECK_THROWS_MATCHES(run(netlist, keys, operands.bits, options), Error,
                       refused(ErrorCode::io, "none"));
}

TEST_CASE("inputs of other noise are other inputs", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Ciphertext c = test_encryptor(keys, "noise").encrypt(true);
  const Ciphertext louder(c.value(), NoiseBound::from_units(c.noise().units() + 1), c.key());
  CHECK(digest_of({c}) == digest_of({c}));
  CHECK(digest_of({c}) != digest_of({louder}));
}

TEST_CASE("a checkpoint whose values have more noise than planned is refused", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const CircuitProgram program = CircuitProgram::compile(adder_circuit(4), evaluator);
  const Operands2 operands = encrypt(keys, 11, 13, 4);
  const TemporaryDirectory directory;
  const CircuitRunOptions options{.checkpoint = directory / "checkpoint", .resume = true};
  // Runs from a checkpoint that has this value only.
  const auto resume = [&](WireValue name, NoiseBound noise) {
    const Ciphertext& input = operands.bits[name.wire];
    const Ciphertext value(input.value(), noise, input.key());
    CheckpointFile(*options.checkpoint, {program.circuit().digest(), digest_of(operands.bits)},
                   keys.public_key)
        .save({{name, &value}});
    return run_circuit(program, evaluator, operands.bits, options).resumed_values;
  };
  const auto louder = [](NoiseBound noise) { return NoiseBound::from_units(noise.units() + 1); };
  const NoiseBound fresh = program.plan().noise[0];
  const NoiseBound refreshed = evaluator.key().refreshed_noise();
  CHECK(resume({0, false}, fresh) == 1);
  CHECK(resume({0, true}, refreshed) == 1);
  const HasCode elsewhere = refused(ErrorCode::invalid_argument, "recrypts elsewhere");
  CHECK_THROWS_MATCHES(resume({0, false}, louder(fresh)), Error, elsewhere);
  CHECK_THROWS_MATCHES(resume({0, true}, louder(refreshed)), Error, elsewhere);
}

TEST_CASE("a checkpoint names each of its values once", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const std::vector<Ciphertext> values = test_encryptor(keys, "checkpoint").encrypt({true, false});
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "checkpoint";
  const RunIdentity identity{};
  CheckpointFile(path, identity, keys.public_key)
      .save({{{0, false}, &values[0]}, {{1, false}, &values[1]}});
  const Draft good(path);
  const auto load = [&](const Draft& draft) {
    draft.write(path);
    return load_checkpoint(path, identity, 2, keys.public_key).size();
  };
  CHECK(load(good) == 2);
  constexpr std::size_t kNames = 2 * 32;  // their place in the section, four bytes each
  Draft twice = good;
  twice["run"][kNames] = twice["run"][kNames + 4];
  CHECK_THROWS_MATCHES(load(twice), Error, refused(ErrorCode::malformed_file, "not in order"));
  Draft fewer = good;
  fewer["run"].resize(kNames + 4);
  CHECK_THROWS_MATCHES(load(fewer), Error,
                       refused(ErrorCode::malformed_file, "1 names of 2 values"));
  Draft more = good;
  more["run"].resize(kNames + 12);
  more["run"][kNames + 8] = std::byte{3};
  CHECK_THROWS_MATCHES(load(more), Error,
                       refused(ErrorCode::malformed_file, "3 names of 2 values"));
}

TEST_CASE("a checkpoint grows by what is new, and starts anew when most of it is old",
          "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const std::vector<Ciphertext> values =
      test_encryptor(keys, "checkpoint").encrypt(std::vector<bool>(12));
  const RunIdentity identity{};
  const TemporaryDirectory directory;
  const std::filesystem::path path = directory / "checkpoint";
  CheckpointFile file(path, identity, keys.public_key);
  // Values of the wires [first, last).
  const auto save = [&](Wire first, Wire last) {
    std::vector<NamedValue> list;
    for (Wire wire = first; wire < last; ++wire) list.push_back({{wire, false}, &values[wire]});
    file.save(list);
    return std::filesystem::file_size(path);
  };
  const auto load = [&] { return load_checkpoint(path, identity, 12, keys.public_key); };
  const std::uint64_t four = save(0, 4);
  CHECK(save(0, 4) == four);
  CHECK(save(2, 4) == four);
  const std::uint64_t seven = save(2, 7);
  CHECK(seven > four);
  CHECK(seven < 2 * four);
  CHECK(load().size() == 7);
  // Five of eight are not needed any more.
  CHECK(save(5, 8) < four);
  const RunState state = load();
  REQUIRE(state.size() == 3);
  for (const auto& [name, value] : state) CHECK(value.value() == values[name.wire].value());
}

TEST_CASE("a damaged checkpoint is refused, or read up to where it is damaged", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  // All values stay: the file only grows.
  NetlistBuilder builder;
  const auto x = input_word(builder, "x", 6);
  const auto y = input_word(builder, "y", 6);
  output_word(builder, "z", x & y);
  output_word(builder, "x again", x);
  output_word(builder, "y again", y);
  const Netlist netlist = builder.build();
  const Operands2 operands = encrypt(keys, 45, 54, 6);
  const TemporaryDirectory directory;
  CircuitRunOptions options = saving_at_once(directory / "checkpoint");
  const CircuitResult whole = run(netlist, keys, operands.bits, options);
  options.resume = true;
  const std::vector<std::byte> good = read_file(*options.checkpoint);
  const std::size_t first = first_container(good);
  REQUIRE(first < good.size());  // it has grown
  const auto resumes = [&](const std::vector<std::byte>& bytes) {
    write_file(*options.checkpoint, bytes);
    const CircuitResult rest = run(netlist, keys, operands.bits, options);
    CHECK(values_of(rest) == values_of(whole));
    return rest.recryptions;
  };
  CHECK(resumes(good) == 0);
  for (std::size_t offset = 0; offset < good.size(); offset += 97) {
    CAPTURE(offset, first);
    std::vector<std::byte> bad = good;
    bad[offset] ^= std::byte{1};
    write_file(*options.checkpoint, bad);
    if (offset < first) {
      CHECK_THROWS_AS(run(netlist, keys, operands.bits, options), Error);
    } else {
      CHECK(resumes(bad) <= whole.recryptions);
    }
  }
  const auto cut = [&](std::size_t size) {
    return std::vector(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
  };
  for (const std::size_t size : {std::size_t{0}, first / 2, first - 1}) {
    write_file(*options.checkpoint, cut(size));
    CHECK_THROWS_MATCHES(run(netlist, keys, operands.bits, options), Error,
                         refused(ErrorCode::malformed_file, "checkpoint"));
  }
  CHECK(resumes(cut(first)) > 0);
  CHECK(resumes(cut(first + 1)) > 0);
  CHECK(resumes(cut(good.size() - 1)) <= resumes(cut(first)));
  options.checkpoint = directory / "ciphertexts";
  save(*options.checkpoint, operands.bits, keys.public_key);
  CHECK_THROWS_MATCHES(run(netlist, keys, operands.bits, options), Error,
                       refused(ErrorCode::wrong_key, "ciphertexts"));
}

TEST_CASE("a program runs as its circuit does, on inputs with no more noise", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Evaluator evaluator(keys.public_key);
  const Netlist netlist = adder_circuit(4);
  const CircuitProgram program = CircuitProgram::compile(netlist, evaluator);
  for (const auto& [x, y] : {std::pair{3U, 9U}, std::pair{15U, 1U}}) {
    const Operands2 operands = encrypt(keys, x, y, 4);
    CHECK(values_of(run_circuit(program, evaluator, operands.bits)) ==
          values_of(run(netlist, keys, operands.bits)));
    // Recrypted inputs have less noise than the program allows, and its plan still holds.
    const CircuitResult result = run_circuit(program, evaluator, evaluator.recrypt(operands.bits));
    CHECK(Decryptor(keys.secret_key).decrypt(result.outputs) ==
          evaluate_plain(netlist, joined({bits_of(x, 4), bits_of(y, 4)})));
  }
  const std::vector<NoiseBound> little(netlist.input_bits(), evaluator.key().refreshed_noise());
  const CircuitProgram frugal = CircuitProgram::compile(netlist, evaluator, little);
  CHECK(frugal.plan().recryptions < program.plan().recryptions);
  CHECK_THROWS_MATCHES(run_circuit(frugal, evaluator, encrypt(keys, 1, 2, 4).bits), Error,
                       refused(ErrorCode::noise_exceeded, "compiled for"));
  CHECK_THROWS_MATCHES(run_circuit(program, Evaluator(test_keys("cnt-toy").public_key), {}), Error,
                       refused(ErrorCode::invalid_argument, "8 input bits"));
  const KeyPair& others = test_keys("cnt-toy");
  CHECK_THROWS_MATCHES(
      run_circuit(program, Evaluator(others.public_key), encrypt(others, 1, 2, 4).bits), Error,
      refused(ErrorCode::wrong_key, "cnt-mini"));
}

TEST_CASE("a circuit refreshes as the policy of its evaluator says", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist adder = two_word_circuit(4, [](const auto& x, const auto& y) { return x + y; });
  const Operands2 operands = encrypt(keys, 11, 6, 4);
  const auto key_context = keys.public_key.context(open_backend());
  const auto run_with = [&](RefreshPolicy policy) {
    const Evaluator evaluator(keys.public_key, open_backend(), std::move(policy));
    return run_circuit(adder, evaluator, operands.bits);
  };

  std::atomic<std::size_t> asked{0};
  const CircuitResult result = run_with(RefreshPolicy::callback([&](const Ciphertext& c) {
    ++asked;
    return key_context->recrypt(c, {});
  }));
  CHECK(asked == result.plan.recryptions);
  CHECK(asked > 0);
  CHECK(values_of(result) == values_of(run(adder, keys, operands.bits)));

  CHECK_THROWS_MATCHES(run_with(RefreshPolicy::never()), Error,
                       HasCode(ErrorCode::noise_exceeded, "'never'"));
  CHECK_THROWS_MATCHES(run_with(RefreshPolicy::callback([](const Ciphertext& c) { return c; })),
                       Error,
                       HasCode(ErrorCode::noise_exceeded, "for which the circuit was planned"));
  CHECK_THROWS_AS(run_with(RefreshPolicy::callback([](const Ciphertext&) -> Ciphertext {
                    throw std::domain_error("no service");
                  })),
                  std::domain_error);
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Compiled circuits: what they say about themselves, saved and loaded everywhere, refused when they
// cannot be.
#include "libfhe/circuit/program.hpp"

#include <cstring>
#include <sstream>

#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "tests/catch.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

CircuitProgram program_of(const std::string& group, const Netlist& netlist) {
  return CircuitProgram::compile(netlist, Evaluator(test_keys(group).public_key));
}

void check_equal(const CircuitProgram& x, const CircuitProgram& y) {
  CHECK(x.circuit() == y.circuit());
  CHECK(x.keys() == y.keys());
  CHECK(x.inputs() == y.inputs());
  CHECK(x.plan().refreshed == y.plan().refreshed);
  CHECK(x.plan().recryptions == y.plan().recryptions);
  CHECK(x.plan().lower_bound == y.plan().lower_bound);
  CHECK(x.plan().gate_by_gate == y.plan().gate_by_gate);
  CHECK(x.plan().noise == y.plan().noise);
}

// A file of a program as it would be with these sections.
struct ProgramDraft {
  std::vector<std::byte> words;
  std::vector<std::byte> gates;
  std::vector<std::byte> noise;
  std::vector<std::byte> plan;
};

std::vector<std::byte> section(const std::vector<std::byte>& program, std::string_view name) {
  ContainerReader in{Source(program)};
  in.open_section(name, 0, program.size());
  std::vector<std::byte> contents(in.section_bytes());
  in.read(contents);
  in.close_section();
  return contents;
}

ProgramDraft draft_of(const std::vector<std::byte>& program) {
  return {section(program, "words"), section(program, "gates"), section(program, "noise"),
          section(program, "plan")};
}

std::vector<std::byte> written(const ProgramDraft& draft) {
  const TemporaryDirectory directory;
  ContainerWriter out(directory / "draft",
                      {.kind = ObjectKind::program, .scheme = "cnt", .parameters = "cnt-mini"}, 4);
  out.begin_section("words");
  out.write(draft.words);
  out.begin_section("gates");
  out.write(draft.gates);
  out.begin_section("noise");
  out.write(draft.noise);
  out.begin_section("plan");
  out.write(draft.plan);
  out.commit();
  return read_file(directory / "draft");
}

void put(std::vector<std::byte>& bytes, std::size_t offset, std::uint32_t value) {
  REQUIRE(offset + sizeof(value) <= bytes.size());
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

}  // namespace

TEST_CASE("a program says what it runs and what it costs", "[circuit]") {
  const Netlist adder = adder_circuit(8);
  const CircuitProgram program = program_of("cnt-toy", adder);
  CHECK(program.circuit() == with_lower_degree(adder));
  CHECK(program.keys().parameters == "cnt-toy");
  CHECK(program.inputs().size() == 16);
  const TaskGraph graph = program.tasks();
  CHECK(graph.count(TaskKind::recryption) == program.plan().recryptions);
  CHECK(graph.count(TaskKind::product) == costs(program.circuit()).products);
  CHECK(graph.most_values(1) <= graph.most_values(graph.tasks().size()));
  const RefreshPlan plan = program.plan_for(program.inputs());
  CHECK(plan.noise == program.plan().noise);
}

TEST_CASE("a program is the same in a file, in a stream and in memory", "[circuit]") {
  const TemporaryDirectory directory;
  for (const std::string group : {"cnt-mini", "cmnt-mini", "gh-mini"}) {
    const CircuitProgram program = program_of(group, multiplier_circuit(4));
    save(directory / group, program);
    check_equal(load_program(directory / group), program);
    const std::vector<std::byte> bytes = to_bytes(program);
    CHECK(bytes == read_file(directory / group));
    check_equal(load_program(bytes), program);
    std::stringstream stream;
    save(stream, program);
    save(stream, program);
    check_equal(load_program(stream), program);
    check_equal(load_program(stream), program);
    CHECK_THROWS_AS(load_program(stream), Error);
    CHECK_THROWS_MATCHES(save(directory / "long", program, {.max_file_bytes = bytes.size() - 1}),
                         Error, HasCode(ErrorCode::invalid_argument, "--max-file-bytes"));
    CHECK_THROWS_MATCHES(load_program(bytes, {.max_file_bytes = bytes.size() - 1}), Error,
                         HasCode(ErrorCode::invalid_argument, "--max-file-bytes"));
  }
}

TEST_CASE("a loaded program runs", "[circuit]") {
  const KeyPair& keys = test_keys("cnt-mini");
  const Netlist netlist = adder_circuit(4);
  const CircuitProgram program = load_program(to_bytes(program_of("cnt-mini", netlist)));
  const std::vector<bool> bits = joined({bits_of(11, 4), bits_of(6, 4)});
  const CircuitResult result = run_circuit(program, Evaluator(keys.public_key),
                                           test_encryptor(keys, "program").encrypt(bits));
  CHECK(Decryptor(keys.secret_key).decrypt(result.outputs) == evaluate_plain(netlist, bits));
}

TEST_CASE("programs that cannot be are refused", "[circuit]") {
  const ProgramDraft good = draft_of(to_bytes(program_of("cnt-mini", adder_circuit(2))));
  CHECK_NOTHROW(load_program(written(good)));
  const auto refuses = [&](const std::string& part, const auto& alter) {
    ProgramDraft bad = good;
    alter(bad);
    CHECK_THROWS_MATCHES(load_program(written(bad)), Error,
                         HasCode(ErrorCode::malformed_file, part));
  };
  constexpr std::uint32_t kHuge = 0xffffffff;
  refuses("", [&](ProgramDraft& d) { put(d.words, 0, kHuge); });          // so many inputs
  refuses("name", [&](ProgramDraft& d) { put(d.words, 4, kHuge); });      // so long a name
  refuses("", [&](ProgramDraft& d) { put(d.words, 9, kHuge); });          // so wide a word
  refuses("noise bounds", [&](ProgramDraft& d) { put(d.words, 9, 3); });  // wider than its noise
  refuses("kind", [&](ProgramDraft& d) { put(d.gates, 0, kGateKinds); });
  refuses("", [&](ProgramDraft& d) { put(d.gates, 4, kHuge); });  // of a wire that is not there
  refuses("", [&](ProgramDraft& d) { d.gates.pop_back(); });
  refuses("", [&](ProgramDraft& d) { d.gates.resize(d.gates.size() - 4); });
  refuses("noise bounds", [&](ProgramDraft& d) { d.noise.resize(d.noise.size() - 4); });
  refuses("2^31 units", [&](ProgramDraft& d) { put(d.noise, 0, NoiseBound::kMaxUnits + 1); });
  refuses("this plan", [&](ProgramDraft& d) { d.plan.resize(16); });   // no recryptions
  refuses("this plan", [&](ProgramDraft& d) { put(d.noise, 4, 1); });  // nothing may be refreshed
  refuses("in order", [&](ProgramDraft& d) { put(d.plan, 16, 1U << 30); });
  refuses("in order", [&](ProgramDraft& d) { d.plan.insert(d.plan.end(), 4, std::byte{0}); });
  refuses("", [&](ProgramDraft& d) { d.plan.resize(15); });
}

TEST_CASE("every altered byte of a program is noticed", "[circuit]") {
  const std::vector<std::byte> good = to_bytes(program_of("cnt-mini", adder_circuit(2)));
  for (std::size_t i = 0; i < good.size(); i += 3) {
    std::vector<std::byte> bad = good;
    bad[i] ^= std::byte{4};
    CHECK_THROWS_AS(load_program(bad), Error);
  }
  for (std::size_t size = 0; size < good.size(); size += 11) {
    CHECK_THROWS_AS(
        load_program(std::vector(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size))),
        Error);
  }
}

}  // namespace fhe::test

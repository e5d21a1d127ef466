// SPDX-License-Identifier: Apache-2.0
// Circuits and switching keys are read, written, changed and planned, or the call says that there
// is no memory for it, whichever allocation fails.
#include "tests/support/circuits.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libfhe/circuit/aiger.hpp"
#include "libfhe/circuit/blif.hpp"
#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/lower_degree.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/parts.hpp"
#include "libfhe/circuit/placement.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/refresh_plan.hpp"
#include "libfhe/circuit/scheduled_cost.hpp"
#include "libfhe/circuit/yosys_json.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/files.hpp"
#include "tests/catch.hpp"
#include "tests/contract/failing_allocations.hpp"
#include "tests/support/circuit_oracle.hpp"

namespace fhe::test {

namespace {

// What an operation makes while allocation k fails; nothing when it says that memory is lacking.
// Other exceptions pass on.
template <class Result>
std::optional<Result> without(std::size_t k, const std::function<Result()>& operation) {
  try {
    const FailingAllocation failing(k);
    return operation();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    return std::nullopt;
  }
}

template <class Result>
void check_without_memory(const std::function<Result()>& operation) {
  const Result expected = operation();
  std::size_t count = 0;
  {
    const FailingAllocation none;
    static_cast<void>(operation());
    count = none.count();
  }
  REQUIRE(count > 0);
  std::size_t refused = 0;
  for (std::size_t k = 0; k < count; ++k) {
    CAPTURE(k, count);
    const std::optional<Result> result = without(k, operation);
    if (result) {
      CHECK(*result == expected);
    } else {
      ++refused;
    }
  }
  CHECK(refused > 0);
}

}  // namespace

TEST_CASE("circuits are read, written and planned, or memory is said to be lacking", "[contract]") {
  const Netlist adder = adder_circuit(4);
  const std::string bristol = to_bristol(adder);
  const std::string blif =
      ".model m\n.inputs a[0] a[1] \\\n b[0] b[1] c\n.outputs s[0] s[1] t\n"
      ".names a[0] b[0] s[0]\n10 1\n01 1\n.names n c s[1]\n1- 1\n"
      ".names a[1] b[1] c n\n11- 1\n--1 1\n.names n t\n0 1\n.end\n";
  check_without_memory<Netlist>([&] { return parse_bristol(bristol, "circuit"); });
  check_without_memory<ClockedCircuit>([&] { return parse_blif(blif, "circuit"); });
  const std::string json =
      R"({"modules":{"m":{"ports":{"a":{"direction":"input","bits":[2]},)"
      R"("c":{"direction":"input","bits":[4]},"q":{"direction":"output","bits":[3]}},)"
      R"("cells":{"f":{"type":"$_DFFE_PP_","connections":{"C":[4],"D":[2],"E":["1"],"Q":[3]}}}}}})";
  const std::string aiger = "aag 3 1 1 1 1\n2\n4 6 1\n7\n6 2 4\ni0 a\no0 y[0]\n";
  check_without_memory<ClockedCircuit>([&] { return parse_yosys_json(json, "circuit"); });
  check_without_memory<ClockedCircuit>([&] { return parse_aiger(aiger, "circuit"); });
  check_without_memory<std::string>([&] { return to_bristol(adder); });
  check_without_memory<Netlist>([&] { return simplified(adder); });
  check_without_memory<Netlist>([&] { return with_lower_degree(adder); });
  const NoiseModel model = noise_models().front();
  const std::vector<NoiseBound> inputs(adder.input_bits(), model.fresh);
  check_without_memory<std::vector<bool>>(
      [&] { return plan_refreshes(adder, model, inputs).refreshed; });
  const RefreshPlan plan = plan_refreshes(adder, model, inputs);
  check_without_memory<std::vector<NoiseBound>>(
      [&] { return noise_of_wires(adder, model, inputs, plan.refreshed); });
  const std::vector<WireValue> present = input_values(adder);
  check_without_memory<double>([&] {
    const TaskGraph graph(adder, plan, model.refreshed, present);
    const Placement placement = place_tasks(graph, 2, 2);
    return scheduled_cost(graph, 2) + static_cast<double>(moved_bytes(graph, placement, 1));
  });
  const std::vector<WireValue> wanted{{4, false}, {adder.output_wires().back(), false}};
  check_without_memory<double>([&] {
    const TaskGraph graph(adder, plan, model.refreshed, present, wanted);
    const auto parts = split_into_parts({adder, plan, model.refreshed, present}, 2, 1);
    return graph.total_cost() + parts.back().cost;
  });
  const CircuitProgram program =
      CircuitProgram::planned(adder, {"cnt", "cnt-mini", {}, model}, inputs, plan.refreshed,
                              plan.lower_bound, plan.gate_by_gate);
  const std::vector<std::byte> bytes = to_bytes(program);
  check_without_memory<std::vector<std::byte>>([&] { return to_bytes(program); });
  check_without_memory<std::size_t>([&] { return load_program(bytes).plan().recryptions; });
  check_without_memory<std::size_t>(
      [&] { return load_netlist(std::as_bytes(std::span(bristol))).gates().size(); });
  const std::vector<SlotBits> rows{{true, false, true}, {false, false, true}};
  check_without_memory<std::vector<SlotBits>>([&] { return transposed(rows); });
}

TEST_CASE("switching keys are saved and loaded, or memory is said to be lacking", "[contract]") {
  const BackendPtr backend = open_backend("auto");
  const KeyPair keys = KeyGenerator(ParameterSet::named("cnt-mini"), backend).generate();
  const dghv::Rung rung = dghv::make_rung(keys.secret_key, {.eta = 100, .Theta = 3}, backend);
  const std::vector<std::byte> bytes = to_bytes(rung.switch_key, keys.public_key);
  check_without_memory<std::vector<std::byte>>(
      [&] { return to_bytes(rung.switch_key, keys.public_key); });
  check_without_memory<Digest>([&] {
    return dghv::load_modulus_switch(bytes, keys.public_key, rung.public_key).target().digest;
  });
  const std::vector<std::byte> key = to_bytes(rung.public_key);
  check_without_memory<Digest>([&] { return load_public_key(key).id().digest; });
  const SecretBytes secret = to_bytes(rung.secret_key);
  check_without_memory<Digest>([&] { return load_secret_key(secret).id().digest; });
}

TEST_CASE("wrong circuits are refused, or memory is said to be lacking", "[contract]") {
  const auto refuses = [](const auto& parse, const std::string& text) {
    check_without_memory<bool>([&] {
      try {
        static_cast<void>(parse(text, "circuit"));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::malformed_file) throw;
        return true;
      }
      return false;
    });
  };
  refuses(parse_bristol, "1 0\n0\n0\n1 1 1 7 EQ\n");
  refuses(parse_blif, ".model m\n.inputs a[0] a[2]\n.outputs y\n.end\n");
  refuses(parse_yosys_json, R"({"modules":{"m":{"ports":{}}}})");
  refuses(parse_yosys_json, R"({"modules":)");
  refuses(parse_aiger, "aig 1 1 0 1 0\n4\n");
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// `fhe run` and `fhe circuit` as their users meet them.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "libfhe/circuit/bristol.hpp"
#include "libfhe/circuit/word.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/circuits.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

namespace {

using Json = nlohmann::json;
using Catch::Matchers::ContainsSubstring;

// A workplace with adder.txt, of two words of `width` bits and their sum.
class CircuitPlace : public Workplace {
 public:
  explicit CircuitPlace(std::size_t width) {
    write("adder.txt", to_bristol(adder_circuit(width)));
    encrypt(bits_text(5, width), "a.fhe");
    encrypt(bits_text(6, width), "b.fhe");
  }

  // The text of a number's bits, the lowest first.
  static std::string bits_text(std::uint64_t value, std::size_t width) {
    std::string text;
    for (std::size_t i = 0; i < width; ++i) text += (value >> i & 1) != 0 ? '1' : '0';
    return text;
  }

  static Arguments run_command(const Arguments& more = {}) {
    Arguments command{"run",   "adder.txt", "--key", "keys/public.fhe", "--input",
                      "a.fhe", "--input",   "b.fhe", "--out",           "sum.fhe"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
};

}  // namespace

TEST_CASE("cli: a circuit runs on ciphertexts", "[cli]") {
  const CircuitPlace place(4);
  place.succeed(CircuitPlace::run_command());
  CHECK(place.decrypt("sum.fhe") == CircuitPlace::bits_text(11, 4) + "\n");
  const Json json = Json::parse(
      place.succeed(CircuitPlace::run_command({"--json", "--threads", "1", "--memory", "64"})).out);
  CHECK(json.at("ciphertexts") == 4);
  CHECK(json.at("products") == 3);
  CHECK(json.at("recryptions").get<int>() >= json.at("recryptions_lower_bound").get<int>());
  CHECK(json.at("recryptions").get<int>() <= json.at("recryptions_gate_by_gate").get<int>());
}

TEST_CASE("cli: a circuit runs on plain numbers", "[cli]") {
  const CircuitPlace place(8);
  const Arguments run{"run", "adder.txt", "--plain", "--input"};
  const auto with = [&](const std::string& x, const std::string& y) {
    Arguments command = run;
    command.insert(command.end(), {x, "--input", y});
    return command;
  };
  CHECK(place.succeed(with("0xF0", "17")).out == "out0 = 0x01\n");
  CHECK(place.succeed(with("0", "255")).out == "out0 = 0xff\n");
  check_failure(place, with("256", "0"), kUsage, "9 bits");
  check_failure(place, with("0x", "0"), kUsage, "no number");
  check_failure(place, with("-1", "0"), kUsage);
  check_failure(place, with("1f", "0"), kUsage, "no number");
  check_failure(place, {"run", "adder.txt", "--plain", "--input", "1"}, kUsage, "in0[8], in1[8]");
  Arguments mixed = with("1", "2");
  mixed.insert(mixed.end(), {"--out", "x.fhe"});
  check_failure(place, mixed, kUsage, "leave out");
}

TEST_CASE("cli: outputs go to one file or to one for each word", "[cli]") {
  const CircuitPlace place(4);
  place.write("both.blif",
              ".model both\n.inputs a[0] a[1] a[2] a[3] b[0] b[1] b[2] b[3]\n"
              ".outputs x[0] x[1] y\n.names a[0] b[0] x[0]\n10 1\n01 1\n"
              ".names a[1] b[1] x[1]\n10 1\n01 1\n.names a[2] y\n1 1\n.end\n");
  Arguments command = CircuitPlace::run_command({"--out", "y.fhe"});
  command[1] = "both.blif";
  place.succeed(command);
  CHECK(place.decrypt("sum.fhe") == "11\n");
  CHECK(place.decrypt("y.fhe") == "1\n");
  command.insert(command.end(), {"--out", "z.fhe"});
  check_failure(place, command, kUsage, "x[2], y[1]");
}

TEST_CASE("cli: a circuit is described and its cost predicted", "[cli]") {
  const CircuitPlace place(8);
  const Outcome info = place.succeed({"circuit", "info", "adder.txt"});
  CHECK_THAT(info.out, ContainsSubstring("in0[8], in1[8]") && ContainsSubstring("7 and") &&
                           ContainsSubstring("AND depth  7"));
  const Json json = Json::parse(
      place.succeed({"circuit", "info", "adder.txt", "--params", "cnt-mini", "--json"}).out);
  CHECK(json.at("ands") == 7);
  CHECK(json.at("outputs").at(0).at("width") == 8);
  CHECK(json.at("prediction").at("recryptions").get<int>() >= 14);
  CHECK(json.at("prediction").at("seconds").get<double>() > 0);
  const Json& own = json.at("prediction").at("from_owner");
  CHECK(own.at("recryptions") < json.at("prediction").at("recryptions"));
  CHECK_THAT(place.succeed({"circuit", "info", "adder.txt", "--params", "cnt-mini"}).out,
             ContainsSubstring(" for each AND (no plan needs fewer than 15;") &&
                 ContainsSubstring("from the key's owner: "));
  check_failure(place, {"circuit", "info", "adder.txt", "--params", "none"}, kUsage, "none");
  place.write("wire.aag", "aag 1 1 0 1 0\n2\n2\n");
  CHECK(Json::parse(place.succeed({"circuit", "info", "wire.aag", "--json"}).out).at("gates") ==
        Json::object());
}

TEST_CASE("cli: a compiled circuit is described, piped and run", "[cli]") {
  const CircuitPlace place(4);
  const Arguments compile{"circuit", "compile", "adder.txt", "--key", "keys/public.fhe", "--out"};
  const auto into = [&](const std::string& out, const Arguments& more = {}) {
    Arguments command = compile;
    command.push_back(out);
    command.insert(command.end(), more.begin(), more.end());
    return command;
  };
  const Json compiled = Json::parse(place.succeed(into("adder.fhe", {"--json"})).out);
  const Json info = Json::parse(place.succeed({"circuit", "info", "adder.fhe", "--json"}).out);
  CHECK(info.at("recryptions") == compiled.at("recryptions"));
  CHECK(info.at("params") == "cnt-mini");
  CHECK(info.at("speedup").at("4").get<double>() >= 1);
  const Json run =
      Json::parse(place
                      .succeed({"run", "adder.fhe", "--key", "keys/public.fhe", "--input", "a.fhe",
                                "--input", "b.fhe", "--out", "sum.fhe", "--json"})
                      .out);
  CHECK(run.at("recryptions") == info.at("recryptions"));
  CHECK(place.decrypt("sum.fhe") == CircuitPlace::bits_text(11, 4) + "\n");
  CHECK(place.succeed({"run", "adder.fhe", "--plain", "--input", "5", "--input", "6"}).out ==
        "out0 = 0xb\n");
  CHECK(place.succeed({"inspect", "adder.fhe"}).out.find("program") != std::string::npos);

  place.succeed(into("quiet.fhe", {"--noise", "20"}));
  check_failure(place,
                {"run", "quiet.fhe", "--key", "keys/public.fhe", "--input", "a.fhe", "--input",
                 "b.fhe", "--out", "no.fhe"},
                kNoise, "compiled for");
  check_failure(place, {"circuit", "info", "adder.fhe", "--params", "cnt-toy"}, kUsage,
                "leave out --params");
  check_failure(place, into("keys/public.fhe"), kUsage, "is a key");
  CHECK_FALSE(std::filesystem::exists(place.file("no.fhe")));
}

TEST_CASE("pipes: circuits come through them, compiled or not", "[cli]") {
  const CircuitPlace place(4);
  const std::string circuit = place.read("adder.txt");
  CHECK(place.succeed({"run", "-", "--plain", "--input", "5", "--input", "6"}, circuit).out ==
        "out0 = 0xb\n");
  CHECK_THAT(place.succeed({"circuit", "info", "-"}, circuit).out, ContainsSubstring("3 and"));
  const std::string program =
      place.succeed({"circuit", "compile", "-", "--key", "keys/public.fhe", "--out", "-"}, circuit)
          .out;
  CHECK_THAT(place.succeed({"circuit", "info", "/dev/stdin"}, program).out,
             ContainsSubstring("cnt-mini"));
  Arguments command = CircuitPlace::run_command();
  command[1] = "-";
  place.succeed(command, program);
  CHECK(place.decrypt("sum.fhe") == CircuitPlace::bits_text(11, 4) + "\n");

  const auto refused = [&](const std::string& input, int exit_code, const std::string& part,
                           const Arguments& more = {}) {
    Arguments info{"circuit", "info", "-"};
    info.insert(info.end(), more.begin(), more.end());
    const Outcome outcome = place.run({.arguments = info, .input = input});
    CHECK(outcome.exit_code == exit_code);
    CHECK_THAT(outcome.err, ContainsSubstring(part));
  };
  refused("", kBadFile, "standard input");
  refused(circuit.substr(0, circuit.size() / 2), kBadFile, "standard input:");
  refused(program.substr(0, program.size() - 1), kBadFile, "standard input");
  refused(circuit, kUsage, "--max-file-bytes", {"--max-file-bytes", "100"});
  // The first of the two takes all that there is.
  Arguments twice = CircuitPlace::run_command();
  twice[1] = "-";
  twice[5] = "-";
  const Outcome outcome = place.run({.arguments = twice, .input = circuit});
  CHECK(outcome.exit_code == kBadFile);
  CHECK_THAT(outcome.err, ContainsSubstring("it was read before"));
}

TEST_CASE("cli: an engine that this command cannot use is refused", "[cli]") {
  const CircuitPlace place(2);
  check_failure(place, CircuitPlace::run_command({"--engine", "abacus"}), kUsage, "starpu");
  check_failure(place, CircuitPlace::run_command({"--engine", "starpu", "--memory", "10"}), kUsage,
                "leave out --plain");
}

TEST_CASE("cli: circuits and inputs that do not fit are refused", "[cli]") {
  const CircuitPlace place(4);
  place.write("cycle.blif", ".model m\n.inputs a\n.outputs y\n.names y a y\n11 1\n.end\n");
  check_failure(place, {"circuit", "info", "cycle.blif"}, kBadFile, "cycle.blif:4: ");
  check_failure(place, {"circuit", "info", "none.txt"}, kIo, "none.txt");
  place.write("add.v", "module add(input a, input b, output y); assign y = a & b; endmodule\n");
  check_failure(place, {"run", "none.v", "--plain"}, kIo, "none.v");
  check_failure(place, {"run", "add.v", "--plain"}, kBadFile, "write_blif add.blif");
  check_failure(place, {"circuit", "info", "a.fhe"}, kBadFile, "needed here: a circuit in BLIF");
  place.encrypt("101", "a.fhe");
  check_failure(place, CircuitPlace::run_command(), kUsage, "3 bits, and input 'in0' takes 4");
  check_failure(place, {"run", "adder.txt", "--input", "a.fhe", "--input", "b.fhe"}, kUsage,
                "--key");
  check_failure(place, CircuitPlace::run_command({"--resume"}), kUsage, "--checkpoint");
  place.encrypt("1010", "a.fhe");
  check_failure(place, CircuitPlace::run_command({"--checkpoint", "b.fhe"}), kUsage,
                "no checkpoint");
  check_failure(place, CircuitPlace::run_command({"--checkpoint", "c", "--resume"}), kIo, "'c'");
}

TEST_CASE("cli: hostile circuits are wrong files, and the message names the line", "[cli]") {
  const Workplace place;
  const std::filesystem::path folder =
      std::filesystem::path(FHE_TEST_DATA_DIR) / "hostile" / "circuit";
  const auto refused = [&](const std::string& name, const std::string& line) {
    const std::string file = (folder / name).string();
    check_failure(place, {"circuit", "info", file}, kBadFile, name + line);
    const Outcome json = place.run({{"circuit", "info", file, "--json"}, {}});
    CHECK(json.exit_code == kBadFile);
    CHECK_NOTHROW(Json::parse(json.out));
    check_failure(place, {"run", file, "--plain"}, kBadFile, name + line);
  };
  refused("zero-wires.txt", ":1: ");
  refused("zero-wires-older-format.txt", ":2: ");
  refused("terminal-escape.blif", ":2: port '?]0;title??[31m'");
  refused("far-indices.blif", ":3: ");
}

TEST_CASE("cli: ports of Verilog are numbers, whichever way they are declared", "[cli]") {
  const Workplace place;
  const std::string circuits = std::string(FHE_TEST_DATA_DIR) + "/circuits/";
  CHECK(place.succeed({"run", circuits + "ascending_port.blif", "--plain", "--input", "1"}).out ==
        "y = 0x02\n");
  CHECK(place
            .succeed({"run", circuits + "negative_index.blif", "--plain", "--input", "0x0f",
                      "--input", "7"})
            .out == "z = 0x10\nw = 0x8\n");
}

TEST_CASE("cli: a wide circuit keeps to its memory", "[cli]") {
  // 64 sums of 64 differences x_i + x_j each, all of which can be computed at once: 76 MB.
  constexpr std::size_t kBits = 64;
  NetlistBuilder builder;
  const std::vector<Wire> x = builder.input("x", kBits);
  std::vector<Wire> sums;
  for (std::size_t i = 0; i < kBits; ++i) {
    std::vector<Wire> terms;
    for (std::size_t j = 0; j < kBits; ++j) {
      const Wire pair = builder.xor_gate(x[i], builder.not_gate(x[j]));
      terms.push_back(builder.xor_gate(pair, x[(i * j + 1) % kBits]));
    }
    for (std::size_t k = 0; k + 1 < terms.size(); k += 2) {
      terms.push_back(builder.xor_gate(terms[k], terms[k + 1]));
    }
    sums.push_back(terms.back());
  }
  builder.output("sums", sums);
  const Workplace place;
  place.write("wide.txt", to_bristol(builder.build()));
  place.succeed({"keygen", "--params", "cnt-toy", "--out", "toy"});
  place.succeed(
      {"encrypt", "--key", "toy/public.fhe", "--bits", std::string(kBits, '1'), "--out", "x.fhe"});
  const auto run_with = [&](const Arguments& more) {
    Arguments command{"run",   "wide.txt",  "--key", "toy/public.fhe", "--input", "x.fhe", "--out",
                      "y.fhe", "--threads", "1",     "--json"};
    command.insert(command.end(), more.begin(), more.end());
    Json json = Json::parse(place.succeed(command).out);
    json["bits"] = place.succeed({"decrypt", "--key", "toy/secret.fhe", "y.fhe"}).out;
    return json;
  };
  const auto peak = [](const Json& json) { return json.at("peak_memory_bytes").get<double>(); };
  constexpr double kMebi = 1 << 20;
  const Json wide = run_with({});
  const Json narrow = run_with({"--memory", "16"});
  CHECK(narrow.at("bits") == wide.at("bits"));
  CHECK(peak(wide) - peak(narrow) > 40 * kMebi);
  CHECK(narrow.at("peak_ciphertexts").get<double>() * 2304 * 8 <= 16 * kMebi);
  // Key, circuit and libraries take some 20 MiB, which come on top.
  if (!kSanitized) CHECK(peak(narrow) < (16 + 40) * kMebi);
}

TEST_CASE("cli: a killed run goes on from its checkpoint", "[cli]") {
  const CircuitPlace place(48);
  const Arguments with_checkpoint =
      CircuitPlace::run_command({"--checkpoint", "saved.fhe", "--checkpoint-interval", "0"});
  Process run(place, {with_checkpoint});
  while (run.running() && !std::filesystem::exists(place.file("saved.fhe"))) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  REQUIRE(run.running());
  run.send(SIGKILL);
  run.wait();
  CHECK(!std::filesystem::exists(place.file("sum.fhe")));
  static_cast<void>(place.succeed({"inspect", "saved.fhe"}));  // clears what the kill may have left
  check_failure(place, with_checkpoint, kUsage, "--resume");
  const Json json = Json::parse(
      place.succeed(CircuitPlace::run_command({"--checkpoint", "saved.fhe", "--resume", "--json"}))
          .out);
  CHECK(json.at("resumed_values").get<int>() > 0);
  CHECK(place.decrypt("sum.fhe") == CircuitPlace::bits_text(11, 48) + "\n");
  CHECK(!std::filesystem::exists(place.file("saved.fhe")));
}

}  // namespace fhe::test

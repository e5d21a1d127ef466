// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/scene.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "libfhe/circuit/bristol.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/files.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::faults {

namespace {

namespace fs = std::filesystem;
using test::Arguments;
using test::Sandbox;
using test::Workplace;

constexpr const char* kPublic = "keys/public.fhe";
constexpr const char* kSecret = "keys/secret.fhe";
constexpr const char* kOut = "out.fhe";
constexpr const char* kCheckpoint = "saved.fhe";
constexpr std::size_t kWidth = 3;    // of the circuit that is run
constexpr const char* kX = "110";    // lowest bit first: 3
constexpr const char* kY = "011";    // 6
constexpr const char* kSum = "100";  // 9 modulo 8

// A sandbox with keys of the group, inputs x.fhe and y.fhe, and a circuit that adds them.
const Snapshot& common_state(const std::string& group) {
  static std::map<std::string, Snapshot> known;
  Snapshot& state = known[group];
  if (!state.empty()) return state;
  const Workplace place;
  place.succeed({"keygen", "--params", group, "--out", "keys", "--force"});
  place.encrypt(kX, "x.fhe");
  place.encrypt(kY, "y.fhe");
  place.write("add.txt", to_bristol(test::adder_circuit(kWidth)));
  return state = snapshot(place.path());
}

Snapshot with_old_output(Snapshot state) {
  state[kOut] = state.at("x.fhe");
  return state;
}

Arguments on_threads(Arguments command, std::size_t threads) {
  command.insert(command.end(), {"--threads", fmt::format("{}", threads)});
  return command;
}

std::function<Arguments(const Sandbox&)> again(const Arguments& command) {
  return [command](const Sandbox&) { return command; };
}

// That the sandbox's file decrypts to these bits.
std::string wrong_bits(const Sandbox& sandbox, const std::string& name, const std::string& bits) {
  try {
    const SecretKey key = load_secret_key(sandbox.file(kSecret));
    std::string found;
    for (const bool bit : Decryptor(key).decrypt(load_ciphertexts(sandbox.file(name), key))) {
      found += bit ? '1' : '0';
    }
    return found == bits ? "" : fmt::format("{} holds {} instead of {}", name, found, bits);
  } catch (const Error& error) {
    return error.what();
  }
}

Scene output_scene(std::string name, Snapshot before, const Arguments& command, std::string bits) {
  Scene scene;
  scene.name = std::move(name);
  scene.before = std::move(before);
  scene.command = command;
  scene.targets = {kOut};
  scene.wrong = [bits = std::move(bits)](const Sandbox& sandbox) {
    return wrong_bits(sandbox, kOut, bits);
  };
  scene.next = again(command);
  return scene;
}

// The pair that key generation makes of a seed. Throws unless it is one.
Snapshot pair_of(const Arguments& keygen) {
  const Workplace place;
  place.succeed(keygen);
  Snapshot state = snapshot(place.path());
  place.encrypt("10", "bits.fhe");
  if (place.decrypt("bits.fhe") != "10\n") throw std::runtime_error("keygen makes no pair");
  return {{kPublic, state.at(kPublic)}, {kSecret, state.at(kSecret)}};
}

Snapshot only(const Snapshot& state, const std::function<bool(const std::string&)>& wanted) {
  Snapshot result;
  for (const auto& [name, contents] : state) {
    if (wanted(name)) result[name] = contents;
  }
  return result;
}

// The names in which two states differ.
std::string difference(const Snapshot& expected, const Snapshot& found) {
  std::vector<std::string> parts;
  for (const auto& [name, contents] : expected) {
    const auto other = found.find(name);
    if (other == found.end()) {
      parts.push_back("no " + name);
    } else if (other->second != contents) {
      parts.push_back("another " + name);
    }
  }
  for (const auto& [name, contents] : found) {
    if (!expected.contains(name)) parts.push_back("also " + name);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Empty when the sandbox is in a state that is allowed. Leftovers are judged by themselves.
std::string wrong_state(const Scene& scene, const Sandbox& sandbox, const Allowed& allowed,
                        const Snapshot& state) {
  const auto is_target = [&](const std::string& name) { return scene.targets.contains(name); };
  const auto is_loose = [&](const std::string& name) { return allowed.loose.contains(name); };
  const auto is_known = [&](const std::string& name) {
    return scene.before.contains(name) || is_target(name);
  };
  const std::string old_difference = difference(
      only(scene.before, [&](const std::string& name) { return !is_loose(name); }),
      only(state, [&](const std::string& name) { return is_known(name) && !is_loose(name); }));
  if (old_difference.empty() && allowed.old_state) return "";
  const auto is_bystander = [&](const std::string& name) {
    return scene.before.contains(name) && !is_target(name);
  };
  const std::string touched =
      difference(only(scene.before, is_bystander), only(state, is_bystander));
  if (!touched.empty()) return "other files changed: " + touched;
  for (const std::string& name : scene.kept) {
    if (state.contains(name) && !is_loose(name)) return name + " is still there";
  }
  const std::string problem = scene.wrong(sandbox);
  if (problem.empty() && allowed.new_state) return "";
  return fmt::format("not the old state ({}){}", old_difference,
                     problem.empty() ? ", but the new one" : ", nor the new one: " + problem);
}

std::string leftovers_of(const Scene& scene, const Snapshot& state) {
  std::vector<std::string> names;
  for (const auto& [name, contents] : state) {
    if (!scene.before.contains(name) && !scene.targets.contains(name)) names.push_back(name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// What a user does next makes everything right.
std::string wrong_after_next_start(const Scene& scene, const Sandbox& sandbox) {
  test::Process process(sandbox, {scene.next(sandbox)});
  const Ending ending = end_of(process);
  if (ending.hung) return "the next start hangs";
  if (ending.outcome.exit_code != 0) {
    return fmt::format("the next start ends with {}: {}", ending.outcome.exit_code,
                       ending.outcome.err);
  }
  const Snapshot state = snapshot(sandbox.path());
  const std::string problem =
      wrong_state(scene, sandbox, {.old_state = false, .new_state = true}, state);
  if (!problem.empty()) return "after the next start: " + problem;
  const std::string leftovers = leftovers_of(scene, state);
  return leftovers.empty() ? "" : "the next start leaves " + leftovers;
}

bool is_about_memory(const Fault& fault) {
  return fault.befalls(Call::allocate);
}

std::string wrong_ending(const Scene& scene, const Fault& fault, const Ending& ending) {
  const test::Outcome& outcome = ending.outcome;
  if (ending.hung) return "it hangs";
  if (outcome.signal != 0) {
    if (fault.kills() && ending.recording.struck() && outcome.signal == SIGKILL) return "";
    return fmt::format("it died by signal {}: {}", outcome.signal, outcome.err);
  }
  if (outcome.exit_code == 0) {
    if (!scene.output || *scene.output == outcome.out) return "";
    return fmt::format("it printed '{}'", outcome.out);
  }
  const std::vector<std::string> lines = test::lines_of(outcome.err);
  if (std::ranges::count_if(lines, test::is_error_line) != 1) {
    return fmt::format("exit code {} without one error: {}", outcome.exit_code, outcome.err);
  }
  const bool right = is_about_memory(fault) ? (outcome.exit_code == test::kFailure ||
                                               outcome.exit_code == test::kIo) &&
                                                  outcome.err.find("memory") != std::string::npos
                                            : outcome.exit_code == test::kIo;
  return right ? "" : fmt::format("exit code {}: {}", outcome.exit_code, outcome.err);
}

}  // namespace

Scene keygen_scene(const std::string& group, bool replacing, std::size_t threads) {
  const Arguments command = on_threads(
      {"keygen", "--params", group, "--test-seed", "new", "--out", "keys", "--force"}, threads);
  Scene scene;
  scene.name = replacing ? "keygen --force" : "keygen";
  if (replacing) {
    for (const auto& [name, contents] : common_state(group)) {
      if (name.starts_with("keys")) scene.before[name] = contents;
    }
    scene.before["keys/notes"] = "kept beside the keys";
  }
  scene.command = command;
  scene.targets = {kPublic, kSecret, "keys"};
  if (!replacing) scene.between = {"keys"};
  scene.wrong = [pair = pair_of(command)](const Sandbox& sandbox) {
    return difference(pair, only(snapshot(sandbox.path()), [](const std::string& name) {
                        return name == kPublic || name == kSecret;
                      }));
  };
  scene.reading = {"inspect", kPublic};
  scene.next = again(command);
  return scene;
}

Scene encrypt_scene(const std::string& group, bool replacing, std::size_t threads) {
  const Snapshot& state = common_state(group);
  return output_scene(
      replacing ? "encrypt over a file" : "encrypt", replacing ? with_old_output(state) : state,
      on_threads({"encrypt", "--key", kPublic, "--bits", "10", "--out", kOut}, threads), "10");
}

Scene recrypt_scene(const std::string& group, std::size_t threads) {
  return output_scene("recrypt", common_state(group),
                      on_threads({"recrypt", "--key", kPublic, "x.fhe", "--out", kOut}, threads),
                      kX);
}

Scene eval_scene(const std::string& group, std::size_t threads) {
  return output_scene(
      "eval over a file", with_old_output(common_state(group)),
      on_threads({"eval", "--key", kPublic, "and", "x.fhe", "y.fhe", "--out", kOut}, threads),
      "010");
}

Scene decrypt_scene(const std::string& group) {
  Scene scene;
  scene.name = "decrypt";
  scene.before = common_state(group);
  scene.command = {"decrypt", "--key", kSecret, "x.fhe"};
  scene.wrong = [](const Sandbox&) { return ""; };
  scene.output = fmt::format("{}\n", kX);
  scene.next = again(scene.command);
  return scene;
}

Scene run_scene(const std::string& group, bool resume, std::size_t threads) {
  const Arguments start =
      on_threads({"run", "add.txt", "--key", kPublic, "--input", "x.fhe", "--input", "y.fhe",
                  "--out", kOut, "--checkpoint", kCheckpoint, "--checkpoint-interval", "0"},
                 threads);
  const auto going_on = [start](const Sandbox& sandbox) {
    Arguments command = start;
    if (fs::exists(sandbox.file(kCheckpoint))) command.emplace_back("--resume");
    return command;
  };
  Snapshot before = common_state(group);
  if (resume) {
    const Sandbox killed;
    lay_out(before, killed.path());
    static_cast<void>(
        run_under(killed, {start}, {"the first checkpoint", {Call::rename}, Action::end_after}, 1));
    before = snapshot(killed.path());
  }
  Scene scene = output_scene(resume ? "run --resume" : "run --checkpoint", before, start, kSum);
  if (resume) scene.command.emplace_back("--resume");
  scene.targets = {kOut, kCheckpoint};
  scene.kept = {kCheckpoint};
  scene.next = going_on;
  return scene;
}

std::string what_is_wrong(const Scene& scene, const Sandbox& sandbox, const Allowed& allowed) {
  if (allowed.leftovers && !scene.reading.empty()) {
    test::Process reader(sandbox, {scene.reading});
    if (end_of(reader).hung) return "a command that only reads hangs";
  }
  const Snapshot state = snapshot(sandbox.path());
  if (state == scene.before && allowed.old_state) return "";
  const std::string problem = wrong_state(scene, sandbox, allowed, state);
  if (!problem.empty()) return problem;
  const std::string leftovers = leftovers_of(scene, state);
  if (!leftovers.empty() && !allowed.leftovers) return "it left " + leftovers;
  return wrong_after_next_start(scene, sandbox);
}

std::string what_is_wrong(const Scene& scene, const Sandbox& sandbox, const Fault& fault,
                          const Ending& ending) {
  const std::string problem = wrong_ending(scene, fault, ending);
  if (!problem.empty()) return problem;
  const bool killed = ending.outcome.signal != 0;
  const bool succeeded = ending.outcome.exit_code == 0;
  Allowed allowed;
  allowed.old_state = !succeeded || scene.targets.empty();
  const auto says = [&](const char* text) {
    return ending.outcome.err.find(text) != std::string::npos;
  };
  const bool unable_to_remove = !succeeded && fault.lasting && fault.befalls(Call::unlink);
  allowed.leftovers = killed || unable_to_remove || (!succeeded && says("the next command"));
  const bool warned = says("could not be removed");
  if (!succeeded || warned) allowed.loose = scene.kept;
  if (allowed.leftovers) {
    allowed.loose.insert(scene.between.begin(), scene.between.end());
  }
  return what_is_wrong(scene, sandbox, allowed);
}

}  // namespace fhe::faults

// SPDX-License-Identifier: Apache-2.0
// No piece of a secret key is left in a process that has forgotten it: not in its writable memory,
// stacks and freed memory included, and not in the registers of its threads. secret_holder makes
// and uses keys; this program knows them, because they are of a test seed, and looks into it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/random/secret_random.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/dghv/squash.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "tests/catch.hpp"
#include "tests/secrets/secret_runs.hpp"
#include "tests/secrets/stopped_process.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

const std::string kSeed = "core image";
const std::string kPassphrase = "a passphrase that no other text holds";
constexpr ScryptCost kCost{.log_n = 10};

// What is looked for, and the names of what must be found while a key is there.
struct Wanted {
  SecretRuns runs;
  std::set<std::string> held;
};

void add_prime(Wanted& wanted, const dghv::DghvSecretMaterial& secret) {
  constexpr std::size_t kPositions = 4;
  wanted.runs.add_integer("p", secret.p());
  wanted.runs.add_integer("q0", secret.modulus() / secret.p());
  const SecretIndices& ones = secret.ones();
  wanted.runs.add<std::uint32_t>("secret subset", ones, kPositions);
  const SecretIndices selected = dghv::selected_elements(secret.parameters(), ones);
  if (selected != ones) wanted.runs.add<std::uint32_t>("selected elements", selected, kPositions);
  wanted.runs.remove_integer(secret.modulus());
  wanted.held = {"p", "secret subset"};
}

void add_ideal(Wanted& wanted, const gh::GhSecretMaterial& secret) {
  wanted.runs.add_integer("w", secret.w());
  if (secret.w() < 0) wanted.runs.add_integer("w in a file", secret.modulus() + secret.w());
  wanted.runs.remove_integer(secret.modulus());
  wanted.held = {"w"};
}

// What generate_keys() of GH draws and a secret key does not keep.
void add_lattice(Wanted& wanted, const ParameterSet& group) {
  constexpr std::size_t kElements = 4;
  TestRandom random("key generation " + kSeed);
  const gh::Parameters parameters(group);
  const gh::Lattice lattice = gh::generate_lattice(parameters, open_backend(), random, {});
  for (std::size_t i = 0; i < lattice.v.size(); ++i) wanted.runs.add_integer("v", lattice.v[i]);
  const gh::ChosenElements chosen = gh::draw_chosen_elements(parameters, random);
  std::vector<std::size_t> pairs;
  for (const std::uint32_t index : chosen) {
    const gh::Pair pair = gh::pair_at(index, parameters.c);
    pairs.insert(pairs.end(), {pair.a, pair.b});
  }
  wanted.runs.add<std::uint32_t>("chosen elements", chosen, kElements);
  wanted.runs.add<std::size_t>("chosen pairs", pairs, 2 * kElements);
  wanted.held.insert({"v", "chosen elements", "chosen pairs"});
}

void add_key(Wanted& wanted, const SecretKey& key) {
  if (const auto* prime = dynamic_cast<const dghv::DghvSecretMaterial*>(&key.material())) {
    add_prime(wanted, *prime);
  } else {
    add_ideal(wanted, dynamic_cast<const gh::GhSecretMaterial&>(key.material()));
  }
}

// The passphrase, and the key that scrypt makes of it for the file (FORMAT.md).
void add_lock(Wanted& wanted, const std::filesystem::path& path) {
  constexpr std::size_t kRunBytes = 16;
  const auto sections = summarize(path).sections;
  const std::size_t lock = 168 + 48 * sections.size() + sections.front().second;
  const std::vector<std::byte> file = read_file(path);
  std::array<unsigned char, 32> key{};
  REQUIRE(EVP_PBE_scrypt(kPassphrase.data(), kPassphrase.size(),
                         reinterpret_cast<const unsigned char*>(&file.at(lock + 44)), 16,
                         std::uint64_t{1} << kCost.log_n, kCost.r, kCost.p, 0, key.data(),
                         key.size()) == 1);
  wanted.runs.add<char>("passphrase", kPassphrase, kRunBytes);
  wanted.runs.add<unsigned char>("key of the file", key, kRunBytes);
}

// secret_holder at work, in a process of its own.
class Holder {
 public:
  explicit Holder(const std::vector<std::string>& arguments) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    REQUIRE(pipe2(in.data(), O_CLOEXEC) == 0);
    REQUIRE(pipe2(out.data(), O_CLOEXEC) == 0);
    std::vector<char*> words{const_cast<char*>(FHE_SECRET_HOLDER)};
    for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    id_ = fork();
    REQUIRE(id_ >= 0);
    if (id_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      execv(FHE_SECRET_HOLDER, words.data());
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = Descriptor(in[1]);
    out_ = Descriptor(out[0]);
  }
  ~Holder() {
    in_ = Descriptor();  // ends a process that waits
    if (!ended_) waitpid(id_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }

  void say(const std::string& text) const {
    REQUIRE(write(in_.number(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }

  // What it holds now; "" when it has ended.
  [[nodiscard]] std::string next_line() const {
    std::string line;
    for (char c = 0; read(out_.number(), &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }

  // Waits for its end; whether it did well.
  [[nodiscard]] bool ends_well() {
    int status = 0;
    waitpid(id_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t id_ = -1;
  Descriptor in_;
  Descriptor out_;
  bool ended_ = false;
};

// Pieces of a secret in one place: "p", "a stack, below its end", how many, and how far down the
// deepest lies there, in bytes.
using Place = std::pair<std::string, std::string>;
struct Pieces {
  std::size_t count = 0;
  std::uint64_t farthest = 0;
};
using Findings = std::map<Place, Pieces>;

std::string text_of(const Findings& findings) {
  std::string text;
  for (const auto& [place, pieces] : findings) {
    text += fmt::format("\n{} in {}: {} runs, up to {}", place.first, place.second, pieces.count,
                        pieces.farthest);
  }
  return text;
}

// Where in a mapping an address is: a place, and how far from the beginning of it.
std::pair<std::string, std::uint64_t> place_of(const StoppedProcess& process,
                                               const StoppedProcess::Mapping& mapping,
                                               std::uint64_t address) {
  for (const auto& thread : process.threads()) {
    if (thread.stack_pointer < mapping.first || thread.stack_pointer >= mapping.last) continue;
    if (address < thread.stack_pointer) {
      return {"a stack, below its end", thread.stack_pointer - address};
    }
    return {"a stack", address - thread.stack_pointer};
  }
  return {mapping.name.empty() ? "mapped memory" : mapping.name, address - mapping.first};
}

Findings look_into(const Holder& holder, const SecretRuns& runs) {
  const StoppedProcess process(holder.id());
  Findings findings;
  const auto note = [&](const std::string& name, const std::string& place, std::uint64_t at) {
    Pieces& pieces = findings[{name, place}];
    ++pieces.count;
    pieces.farthest = std::max(pieces.farthest, at);
  };
  for (const auto& thread : process.threads()) {
    runs.find_in(thread.registers, [&](const std::string& name, std::size_t offset) {
      note(name, "registers", offset);
    });
  }
  for (const auto& mapping : process.mappings()) {
    if (mapping.name == "[vvar]") continue;
    process.read(mapping, SecretRuns::kLongest,
                 [&](std::uint64_t address, std::span<const std::byte> bytes) {
                   runs.find_in(bytes, [&](const std::string& name, std::size_t offset) {
                     const auto [place, at] = place_of(process, mapping, address + offset);
                     note(name, place, at);
                   });
                 });
  }
  return findings;
}

// Follows a holder to its end: everything of a key is found while it is there, nothing afterwards.
void watch(Holder& holder, const Wanted& wanted) {
  std::set<std::string> held;
  int looks = 0;
  for (std::string holds = holder.next_line(); !holds.empty(); holds = holder.next_line()) {
    const Findings findings = look_into(holder, wanted.runs);
    if (holds == "nothing") {
      ++looks;
      CAPTURE(looks);
      INFO("found:" << text_of(findings));
      CHECK(findings.empty());
    } else {
      for (const auto& [place, pieces] : findings) held.insert(place.first);
    }
    holder.say("\n");
  }
  CHECK(holder.ends_well());
  CHECK(looks > 0);
  for (const std::string& name : wanted.held) {
    CAPTURE(name);
    CHECK(held.contains(name));
  }
}

// Whether this system lets a process look into its child; says so where it does not.
bool may_look() {
  try {
    const Holder holder({"generate", "cnt-mini", kSeed, "1"});
    static_cast<void>(look_into(holder, SecretRuns()));
    return true;
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::operation_not_permitted &&
        error.code() != std::errc::permission_denied) {
      throw;
    }
    WARN("SKIPPED: this system does not let a process look into its child: " << error.what());
    return false;
  }
}

void watch_generation(const std::string& group) {
  Wanted wanted;
  const ParameterSet parameters = ParameterSet::named(group);
  add_key(wanted, KeyGenerator(parameters).generate(TestSeed{kSeed}).secret_key);
  if (parameters.scheme() == "gh") add_lattice(wanted, parameters);
  for (const std::string threads : {"1", "4"}) {
    CAPTURE(group, threads);
    Holder holder({"generate", group, kSeed, threads});
    watch(holder, wanted);
  }
}

void watch_use(const std::string& group) {
  const TemporaryDirectory folder;
  const KeyPair keys = KeyGenerator(ParameterSet::named(group)).generate(TestSeed{kSeed});
  Wanted wanted;
  add_key(wanted, keys.secret_key);
  std::ofstream(folder / "passphrase") << kPassphrase;
  for (const bool sealed : {false, true}) {
    const std::filesystem::path public_path = folder / "public.fhe";
    const std::filesystem::path secret_path = folder / "secret.fhe";
    if (sealed) {
      const Passphrase passphrase{std::string(kPassphrase)};
      save(public_path, secret_path, keys, {.passphrase = passphrase, .cost = kCost});
      add_lock(wanted, secret_path);
    } else {
      save(public_path, secret_path, keys);
    }
    for (const std::string threads : {"1", "4"}) {
      CAPTURE(group, threads, sealed);
      Holder holder({"use", folder.path(), threads});
      watch(holder, wanted);
    }
  }
}

}  // namespace

TEST_CASE("a process that made keys and forgot them holds no piece of the secret",
          "[secrets][image]") {
  if (!may_look()) return;
  for (const std::string group :
       {"cnt-toy", "cnt-toy-special", "cmnt-toy", "cmnt-toy-paper", "gh-512"}) {
    watch_generation(group);
  }
}

TEST_CASE("a process that used a key of CNT and forgot it holds no piece of it",
          "[secrets][image]") {
  if (may_look()) watch_use("cnt-toy");
}

TEST_CASE("a process that used a key of CMNT and forgot it holds no piece of it",
          "[secrets][image]") {
  if (!may_look()) return;
  watch_use("cmnt-toy");
  watch_use("cmnt-toy-paper");
}

TEST_CASE("a process that used a key of GH and forgot it holds no piece of it",
          "[secrets][image]") {
  if (may_look()) watch_use("gh-mini");
}

TEST_CASE("processes forget larger keys", "[secrets][image][long]") {
  if (!may_look()) return;
  watch_use("gh-512");
  for (const std::string group : {"cnt-small", "cmnt-small"}) {
    watch_generation(group);
    watch_use(group);
  }
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Every place of the tool where a file is named and every kind of object of every family: the
// command works or says what the file is and what takes it.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/scheme/family.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/family_objects.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

// What a place takes.
struct Taken {
  ObjectKind kind;
  GroupPurpose family;
};

// An option or an operand of a command, with a command line in which @ is the file.
struct Door {
  std::string place;  // such as "decrypt --key"
  Arguments line;
  std::vector<Taken> taken;
  bool succeeds = true;  // whether one of the objects that it takes is one that it works with
};

const std::string kBitsPublic = "cnt-mini.public.fhe";
const std::string kBitsSecret = "cnt-mini.secret.fhe";
const std::string kBitsFile = "cnt-mini.bits.fhe";
const std::string kNumbersFile = "she-mini.numbers.fhe";

constexpr Taken kPublicOfBits{ObjectKind::public_key, GroupPurpose::scheme};
constexpr Taken kSecretOfBits{ObjectKind::secret_key, GroupPurpose::scheme};
constexpr Taken kOfBits{ObjectKind::ciphertexts, GroupPurpose::scheme};
constexpr Taken kCheckpoint{ObjectKind::checkpoint, GroupPurpose::scheme};
constexpr Taken kProgram{ObjectKind::program, GroupPurpose::scheme};
constexpr Taken kPublicOfSlots{ObjectKind::public_key, GroupPurpose::slots};
constexpr Taken kSecretOfSlots{ObjectKind::secret_key, GroupPurpose::slots};
constexpr Taken kOfSlots{ObjectKind::ciphertexts, GroupPurpose::slots};

std::vector<Taken> everything() {
  std::vector<Taken> all;
  for (const Family& family : families()) {
    for (const ObjectUse& use : family.objects) all.push_back({use.kind, family.purpose});
  }
  return all;
}

const std::vector<Door>& doors() {
  static const std::vector<Door> all{
      {"keygen --params", {"keygen", "--params", "@", "--out", "made"}, {}},
      {"passwd --key",
       {"passwd", "--key", "@", "--remove", "--passphrase-file", "horse"},
       {kSecretOfBits, kSecretOfSlots}},
      {"check --key", {"check", "--key", "@"}, {kPublicOfBits, kPublicOfSlots}},
      {"check --secret",
       {"check", "--secret", "@", "--passphrase-file", "horse"},
       {kSecretOfBits, kSecretOfSlots}},
      {"encrypt --key",
       {"encrypt", "--key", "@", "--bits", "1", "--out", "made"},
       {kPublicOfBits, kPublicOfSlots}},
      {"encrypt --key",
       {"encrypt", "--key", "@", "--slots", "ones", "--out", "made"},
       {kPublicOfSlots, kPublicOfBits}},
      {"encrypt --secret-key",
       {"encrypt", "--secret-key", "@", "--passphrase-file", "horse", "--slots", "ones", "--out",
        "made"},
       {kSecretOfBits, kSecretOfSlots}},
      {"expand --key",
       {"expand", "--key", "@", "cnt-mini.compressed.fhe", "--out", "made"},
       {kPublicOfBits}},
      {"expand INPUT", {"expand", "--key", kBitsPublic, "@", "--out", "made"}, {kOfBits}},
      {"eval --key", {"eval", "--key", "@", "not", kBitsFile, "--out", "made"}, {kPublicOfBits}},
      {"eval INPUT", {"eval", "--key", kBitsPublic, "not", "@", "--out", "made"}, {kOfBits}},
      {"slots INPUT", {"slots", "negate", "@", "--out", "made"}, {kOfSlots}},
      {"run CIRCUIT",
       {"run", "@", "--key", kBitsPublic, "--input", kBitsFile, "--input", kBitsFile, "--out",
        "made"},
       {kProgram}},
      {"run --key",
       {"run", "and.txt", "--key", "@", "--input", kBitsFile, "--input", kBitsFile, "--out",
        "made"},
       {kPublicOfBits}},
      {"run --input",
       {"run", "and.txt", "--key", kBitsPublic, "--input", "@", "--input", kBitsFile, "--out",
        "made"},
       {kOfBits}},
      {"run --checkpoint",
       {"run", "and.txt", "--key", kBitsPublic, "--input", kBitsFile, "--input", kBitsFile, "--out",
        "made", "--checkpoint", "@", "--resume"},
       {kCheckpoint}},
      {"run --checkpoint",
       {"run", "and.txt", "--key", kBitsPublic, "--input", kBitsFile, "--input", kBitsFile, "--out",
        "made", "--cycles", "2", "--checkpoint", "@", "--resume"},
       {kCheckpoint},
       false},
      {"circuit info FILE", {"circuit", "info", "@"}, {kProgram}},
      {"circuit info --params", {"circuit", "info", "and.txt", "--params", "@"}, {}},
      {"circuit compile FILE",
       {"circuit", "compile", "@", "--key", kBitsPublic, "--out", "made"},
       {}},
      {"circuit compile --key",
       {"circuit", "compile", "and.txt", "--key", "@", "--out", "made"},
       {kPublicOfBits}},
      {"recrypt --key", {"recrypt", "--key", "@", kBitsFile, "--out", "made"}, {kPublicOfBits}},
      {"recrypt INPUT", {"recrypt", "--key", kBitsPublic, "@", "--out", "made"}, {kOfBits}},
      {"decrypt --key",
       {"decrypt", "--key", "@", "--passphrase-file", "horse", kBitsFile},
       {kSecretOfBits, kSecretOfSlots}},
      {"decrypt INPUT", {"decrypt", "--key", kBitsSecret, "@"}, {kOfBits}},
      {"decrypt INPUT", {"decrypt", "--key", "she-mini.secret.fhe", "@"}, {kOfSlots}},
      {"inspect FILE", {"inspect", "@"}, everything()},
      {"inspect --key", {"inspect", kBitsFile, "--key", "@"}, {kPublicOfBits}},
      {"inspect --key", {"inspect", "tally.numbers.fhe", "--key", "@"}, {kPublicOfSlots}},
      {"inspect --secret",
       {"inspect", kBitsFile, "--secret", "@", "--passphrase-file", "horse"},
       {kSecretOfBits}},
      {"inspect --secret",
       {"inspect", kNumbersFile, "--secret", "@", "--passphrase-file", "horse"},
       {kSecretOfSlots}},
      {"attack KEY",
       {"attack", "@", "--method", "exhaustive-noise-search"},
       {kPublicOfBits, kSecretOfSlots}},
      {"attack --secret",
       {"attack", kBitsPublic, "--secret", "@", "--passphrase-file", "horse", "--method",
        "exhaustive-noise-search"},
       {kSecretOfBits}},
      {"params show NAME", {"params", "show", "@"}, {}},
      {"params estimate NAME", {"params", "estimate", "@"}, {}}};
  return all;
}

// Where a file is no object of the library: results, and texts that people write.
bool is_no_door(const std::string& place) {
  static const std::set<std::string> texts{"encrypt --in", "encrypt --slots", "eval --slots"};
  return place.ends_with(" --out") || place.ends_with("passphrase-file") || texts.contains(place);
}

// The words of a help text that this expression finds, one to a line.
std::vector<std::string> words_of(const std::string& help, const std::string& expression) {
  const std::regex wanted(expression);
  std::vector<std::string> words;
  for (const std::string& line : lines_of(help)) {
    std::smatch found;
    if (std::regex_search(line, found, wanted)) words.push_back(found[1].str());
  }
  return words;
}

std::string section_of(const std::string& help, const std::string& title) {
  const std::size_t start = help.find("\n" + title + ":\n");
  if (start == std::string::npos) return "";
  return help.substr(start + 1, help.find("\n\n", start + 1) - start);
}

// The places of a command, and of those behind it, where a file or a group is named.
void add_places(const Workplace& place, const Arguments& command, std::set<std::string>& places) {
  Arguments line = command;
  line.emplace_back("--help");
  const std::string help = place.succeed(line).out;
  const std::string name = fmt::format("{}", fmt::join(command, " "));
  for (const std::string& option :
       words_of(section_of(help, "Options"), "^  (--[a-z-]+) (FILE|GROUP)\\b")) {
    places.insert(name + " " + option);
  }
  for (const std::string& operand :
       words_of(section_of(help, "Positionals"), "^  (FILE|INPUT|CIRCUIT|KEY|NAME)\\b")) {
    places.insert(name + " " + operand);
  }
  for (const std::string& next : words_of(section_of(help, "Subcommands"), "^  ([a-z]+) ")) {
    Arguments behind = command;
    behind.push_back(next);
    add_places(place, behind, places);
  }
}

// A door and an object that is given there.
struct Try {
  const Door& door;
  const FamilyObject& object;
  Outcome outcome = {};

  [[nodiscard]] bool is_taken() const {
    return std::ranges::any_of(
        door.taken, [&](const Taken& taken) { return object.is(taken.kind, taken.family); });
  }
};

// Runs the command on a copy of the object, which it may change, in a folder of its own.
void run_try(const Workplace& place, std::size_t number, Try& one) {
  const std::string given = fmt::format("{}.{}", number, one.object.file);
  std::filesystem::copy_file(place.file(one.object.file), place.file(given));
  Arguments line = one.door.line;
  std::ranges::replace(line, "@", given);
  std::ranges::replace(line, "made", fmt::format("{}.made", number));
  one.outcome = place.run({line});
}

// What is taken may be of another key, or of a form that the command has no use for.
void check_try(const Try& one) {
  const std::string said = one.outcome.out + one.outcome.err;
  CAPTURE(one.door.place, one.object.file, one.outcome.exit_code, said);
  const bool is_named = names_object(said, one.object);
  if (one.is_taken()) return;
  CHECK(one.outcome.exit_code == kBadFile);
  CHECK(is_named);
}

// A folder with an object of every kind, and what the command lines of the doors name.
class FamilyPlace : public Workplace {
 public:
  FamilyPlace() : objects_(path()) {
    write("horse", std::string(kFamilyPassphrase) + "\n");
    write("ones", "1\n");
    save_bristol(file("and.txt"), small_circuit());
  }
  [[nodiscard]] const std::vector<FamilyObject>& objects() const { return objects_.all(); }

 private:
  FamilyObjects objects_;
};

}  // namespace

TEST_CASE("every place for a file takes or names objects of every family", "[cli][family]") {
  const FamilyPlace place;
  std::vector<Try> tries;
  for (const Door& door : doors()) {
    for (const FamilyObject& object : place.objects()) tries.push_back({door, object});
  }
  parallel_for(tries.size(), [&](std::size_t i) { run_try(place, i, tries[i]); });
  for (const Try& one : tries) check_try(one);
  for (const Door& door : doors()) {
    CAPTURE(door.place, fmt::format("{}", fmt::join(door.line, " ")));
    const bool works = std::ranges::any_of(
        tries, [&](const Try& one) { return &one.door == &door && one.outcome.exit_code == 0; });
    CHECK(works == (door.succeeds && !door.taken.empty()));
  }
}

TEST_CASE("every place of the tool where a file is named is tried with all families",
          "[cli][family]") {
  const Workplace place;
  std::set<std::string> places;
  for (const std::string& command :
       words_of(section_of(place.succeed({"--help"}).out, "Subcommands"), "^  ([a-z]+) ")) {
    add_places(place, {command}, places);
  }
  std::erase_if(places, is_no_door);
  std::set<std::string> tried;
  for (const Door& door : doors()) tried.insert(door.place);
  CHECK(tried == places);
}

TEST_CASE("every command that the table of families names is one of the tool", "[cli][family]") {
  const Workplace place;
  std::set<std::string> commands;
  const auto add = [&](const Takers& takers) {
    const std::string list(takers.commands);
    const std::regex command("fhe ([a-z]+( [a-z]+)?)");
    for (std::sregex_iterator found(list.begin(), list.end(), command), end; found != end;
         ++found) {
      commands.insert((*found)[1].str());
    }
  };
  for (const Family& family : families()) {
    add(family.takers);
    for (const ObjectUse& use : family.objects) add(use.takers);
  }
  CHECK(commands.size() > 8);
  for (const std::string& command : commands) {
    Arguments line;
    std::istringstream words(command);
    for (std::string word; words >> word;) line.push_back(word);
    line.emplace_back("--help");
    CHECK_THAT(place.succeed(line).out,
               Catch::Matchers::ContainsSubstring("Usage: fhe " + command));
  }
}

TEST_CASE("groups of the other family and for benchmarks are named", "[cli][family]") {
  const Workplace place;
  save_bristol(place.file("and.txt"), small_circuit());
  place.write("tally.toml", tiny_tally().text());
  const std::string of_slots = "its keys encrypt numbers in slots; needed here: a group whose keys";
  for (const std::string group : {"she-mini", "she-128-d0", "tally.toml"}) {
    check_failure(place, {"circuit", "info", "and.txt", "--params", group}, kBadFile, of_slots);
  }
  check_failure(place, {"circuit", "info", "and.txt", "--params", "cnt-toy-paper"}, kBadFile,
                "only gives sizes to benchmarks");
  place.succeed({"circuit", "info", "and.txt", "--params", "cnt-mini"});
}

TEST_CASE("keys of every family come through pipes", "[cli][family]") {
  const FamilyPlace place;
  const Arguments encrypt{"encrypt", "--key", "-", "--slots", "ones", "--out", "piped.fhe"};
  place.succeed(encrypt, place.read("tally.public.fhe"));
  CHECK(place.succeed({"decrypt", "--key", "tally.secret.fhe", "piped.fhe"}).out == "1\n");
  place.succeed(encrypt, place.read(kBitsPublic));
  CHECK(place.succeed({"decrypt", "--key", "-", "piped.fhe"}, place.read(kBitsSecret)).out ==
        "1\n");
  check_failure(place, Launch{encrypt, place.read("she-mini.secret.fhe")}, kBadFile,
                "a secret key of numbers in slots (she-mini)");
}

TEST_CASE("fhe check tells sound keys of slots from others", "[cli][family]") {
  const FamilyPlace place;
  const auto sound = [&](const Arguments& line) {
    CHECK_THAT(place.succeed(line).out, Catch::Matchers::EndsWith("\nsound\n"));
  };
  const Arguments pair{"check", "--key", "tally.public.fhe", "--secret", "tally.secret.fhe"};
  sound(pair);
  sound({"check", "--secret", "she-mini.sealed.fhe", "--passphrase-file", "horse"});

  const auto unsound = [&](const Arguments& line, const std::string& what) {
    const Outcome outcome = place.run({line});
    CAPTURE(outcome.out, outcome.err);
    CHECK(outcome.exit_code == kBadFile);
    CHECK_THAT(outcome.out, Catch::Matchers::ContainsSubstring("FAILED  " + what) &&
                                Catch::Matchers::ContainsSubstring("NOT SOUND"));
  };
  place.write("tally.toml", tiny_tally().text());
  place.succeed({"keygen", "--params", "tally.toml", "--out", "other"});
  unsound({"check", "--key", "other/public.fhe", "--secret", "tally.secret.fhe"}, "one pair");
  const auto altered = [&](const std::string& name) {
    std::string bytes = place.read(name);
    bytes.back() ^= 1;
    place.write("altered.fhe", bytes);
  };
  altered("she-mini.secret.fhe");
  unsound({"check", "--secret", "altered.fhe"}, "file");
  altered("tally.public.fhe");
  unsound({"check", "--key", "altered.fhe"}, "file");
  check_failure(place, {"check", "--key", kBitsPublic, "--secret", "she-mini.secret.fhe"}, kBadFile,
                "a public key of bits (cnt-mini) and a secret key of numbers in slots (she-mini) "
                "are no pair");
}

}  // namespace fhe::test

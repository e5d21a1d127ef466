// SPDX-License-Identifier: Apache-2.0
// Every reader of the library and every kind of object of every family: it is read where it belongs
// and named everywhere else.
#include "libfhe/scheme/family.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "libfhe/circuit/checkpoint.hpp"
#include "libfhe/circuit/netlist_files.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/family_objects.hpp"
#include "tests/support/key_fixtures.hpp"

namespace fhe::test {

namespace {

using Path = std::filesystem::path;

// A function that reads objects.
struct Reader {
  std::string name;                // with its namespace
  std::optional<ObjectKind> kind;  // of what it takes; a circuit is no object
  GroupPurpose family;
  std::function<void(const Path&)> read;
};

Passphrase horse() {
  return Passphrase(kFamilyPassphrase);
}

template <class Read>
Reader reader(std::string name, std::optional<ObjectKind> kind, GroupPurpose family, Read read) {
  return {std::move(name), kind, family,
          [read](const Path& path) { static_cast<void>(read(path)); }};
}

const std::vector<Reader>& readers() {
  static const KeyPair& keys = test_keys("cnt-mini");
  static const PublicKey& key = keys.public_key;
  constexpr auto kBits = GroupPurpose::scheme;
  constexpr auto kSlots = GroupPurpose::slots;
  using enum ObjectKind;
  static const std::vector<Reader> all{
      reader("load_public_key", public_key, kBits,
             [](const Path& p) { return load_public_key(p); }),
      reader("load_secret_key", secret_key, kBits,
             [](const Path& p) { return load_secret_key(p, horse); }),
      reader("load_ciphertexts", ciphertexts, kBits,
             [](const Path& p) { return load_ciphertexts(p, key); }),
      reader("load_ciphertexts", ciphertexts, kBits,
             [](const Path& p) { return load_ciphertexts(p, keys.secret_key); }),
      reader("load_compressed_ciphertexts", ciphertexts, kBits,
             [](const Path& p) { return load_compressed_ciphertexts(p, key); }),
      reader("load_program", program, kBits, [](const Path& p) { return load_program(p); }),
      reader("load_checkpoint", checkpoint, kBits,
             [](const Path& p) { return load_checkpoint(p, {}, 3, key); }),
      reader("load_clocked_checkpoint", checkpoint, kBits,
             [](const Path& p) { return load_clocked_checkpoint(p, {}, 0, 1, key, {}); }),
      reader("dghv::load_modulus_switch", switching_key, kBits,
             [](const Path& p) {
               return dghv::load_modulus_switch(
                   p, key, load_public_key(p.parent_path() / "rung.public.fhe"));
             }),
      reader("load_circuit", std::nullopt, kBits, [](const Path& p) { return load_circuit(p); }),
      reader("load_circuit", std::nullopt, kBits,
             [](const Path& p) {
               std::ifstream stream(p, std::ios::binary);
               return load_circuit({stream, p.string()});
             }),
      reader("load_netlist", std::nullopt, kBits, [](const Path& p) { return load_netlist(p); }),
      reader("from_file", std::nullopt, kBits,
             [](const Path& p) { return ParameterSet::from_file(p); }),
      reader("she::load_public_key", public_key, kSlots,
             [](const Path& p) { return she::load_public_key(p); }),
      reader("she::load_secret_key", secret_key, kSlots,
             [](const Path& p) { return she::load_secret_key(p, horse); }),
      reader("she::load_slots", ciphertexts, kSlots,
             [](const Path& p) { return she::load_slots(p); })};
  return all;
}

// The functions of libfhe's headers that read objects, with their namespaces below fhe.
std::set<std::string> readers_of_headers() {
  std::set<std::string> names;
  const Path root = Path(FHE_TEST_DATA_DIR).parent_path().parent_path() / "libfhe";
  const std::regex named("[^_a-zA-Z:\"](load_[a-z_]+|from_file)\\(const (Source|std::filesystem)");
  const std::regex inner("\nnamespace fhe::([a-z]+) \\{");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".hpp") continue;
    std::ifstream in(entry.path());
    std::string text(std::istreambuf_iterator<char>(in), {});
    text = std::regex_replace(text, std::regex("\\(\\s+"), "(");
    std::smatch space;
    const bool has_space = std::regex_search(text, space, inner);
    for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end; ++found) {
      names.insert((has_space ? space[1].str() + "::" : "") + (*found)[1].str());
    }
  }
  return names;
}

// An object that a reader takes is read, or belongs to another key, or is of another form.
void check_taken(const Error& error, const FamilyObject& object) {
  CAPTURE(error.what());
  CHECK(error.code() != ErrorCode::malformed_file);
  CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(object.file));
}

// Returns whether the object was read.
bool check_read(const Reader& reader, const Path& folder, const FamilyObject& object) {
  CAPTURE(reader.name, object.file);
  const bool is_taken = reader.kind && object.is(*reader.kind, reader.family);
  try {
    reader.read(folder / object.file);
    CHECK(is_taken);
    return true;
  } catch (const Error& error) {
    if (is_taken) {
      check_taken(error, object);
      return false;
    }
    CAPTURE(error.what());
    CHECK(error.code() == ErrorCode::wrong_key);
    CHECK(names_object(error.what(), object));
    return false;
  }
}

}  // namespace

TEST_CASE("readers take objects of their kind and family, and name all others", "[family]") {
  const TemporaryDirectory folder;
  const FamilyObjects objects(folder.path());
  std::set<std::string> with_a_success;
  for (const Reader& reader : readers()) {
    for (const FamilyObject& object : objects.all()) {
      if (check_read(reader, folder.path(), object)) with_a_success.insert(reader.name);
    }
  }
  // The others have no object of theirs here, or one of another key or run.
  for (const std::string name :
       {"load_public_key", "load_secret_key", "load_ciphertexts", "load_compressed_ciphertexts",
        "load_program", "dghv::load_modulus_switch", "she::load_public_key", "she::load_secret_key",
        "she::load_slots"}) {
    CAPTURE(name);
    CHECK(with_a_success.contains(name));
  }
}

TEST_CASE("all readers of the headers are tried with all families", "[family]") {
  std::set<std::string> tried;
  for (const Reader& reader : readers()) tried.insert(reader.name);
  CHECK(tried == readers_of_headers());
}

TEST_CASE("a checkpoint of the other kind of run is named, not called damaged", "[family]") {
  const TemporaryDirectory folder;
  const FamilyObjects objects(folder.path());
  const PublicKey& key = test_keys("cnt-mini").public_key;
  CHECK_THROWS_MATCHES(load_checkpoint(folder / "cnt-mini.cycles.fhe", {}, 3, key), Error,
                       HasCode(ErrorCode::wrong_key, "a run without clock cycles"));
  CHECK_THROWS_MATCHES(
      load_clocked_checkpoint(folder / "cnt-mini.checkpoint.fhe", {}, 0, 1, key, {}), Error,
      HasCode(ErrorCode::wrong_key, "fhe run --cycles"));
}

TEST_CASE("an object of a scheme or a kind that there is not is called damaged", "[family]") {
  const TemporaryDirectory folder;
  const FamilyObjects objects(folder.path());
  const auto refused = [&](const std::string& part, const auto& alter) {
    Draft draft(folder / "she-mini.secret.fhe");
    alter(draft.header);
    draft.write(folder / "forged.fhe");
    CHECK_THROWS_MATCHES(load_secret_key(folder / "forged.fhe"), Error,
                         HasCode(ErrorCode::malformed_file, part));
  };
  refused("no secret key of the scheme 'lattice'",
          [](ObjectHeader& header) { header.scheme = "lattice"; });
  refused("no program of the scheme 'she'",
          [](ObjectHeader& header) { header.kind = ObjectKind::program; });
}

TEST_CASE("key generators name groups of the other family, and those for benchmarks", "[family]") {
  const ParameterSet of_bits = ParameterSet::named("cnt-mini");
  const ParameterSet of_slots = ParameterSet::named("she-mini");
  const ParameterSet sizes = ParameterSet::named("cnt-toy-paper");
  const auto refused = [](const std::string& part) {
    return HasCode(ErrorCode::invalid_parameters, part);
  };
  CHECK_THROWS_MATCHES(
      KeyGenerator(of_slots), Error,
      refused("she-mini: its keys encrypt numbers in slots; needed here: a group whose keys "
              "encrypt bits. Use it with: fhe keygen; in C++ fhe::she::KeyGenerator"));
  CHECK_THROWS_MATCHES(she::KeyGenerator(of_bits), Error, refused("fhe::KeyGenerator"));
  CHECK_THROWS_MATCHES(she::Arithmetic(of_bits), Error, refused("its keys encrypt bits"));
  CHECK_THROWS_MATCHES(KeyGenerator(sizes), Error, refused("of purpose 'scheme'"));
  CHECK_THROWS_MATCHES(she::KeyGenerator(sizes), Error, refused("of purpose 'slots'"));
}

// One more family needs a line in the table, and nothing else here.
TEST_CASE("every group that makes keys is of one family, with objects of every kind", "[family]") {
  for (const std::string& name : ParameterSet::names()) {
    CAPTURE(name);
    const ParameterSet group = ParameterSet::named(name);
    const auto is_own = [&](const Family& family) {
      return is_of_family(group.scheme(), family.purpose);
    };
    CHECK(std::ranges::count_if(families(), is_own) == 1);
    if (group.purpose() == GroupPurpose::benchmark) continue;
    const auto own = std::ranges::find_if(families(), is_own);
    CHECK(own->purpose == group.purpose());
    CHECK_THAT(object_text(ObjectKind::secret_key, group),
               Catch::Matchers::ContainsSubstring(std::string(own->contents)) &&
                   Catch::Matchers::ContainsSubstring(name));
  }
  CHECK_FALSE(is_of_family("lattice", GroupPurpose::scheme));
}

}  // namespace fhe::test

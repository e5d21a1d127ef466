// SPDX-License-Identifier: Apache-2.0
// Files of numbers in slots: what is written is read, and what nobody wrote is refused.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "tests/catch.hpp"
#include "tests/support/container_draft.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/key_fixtures.hpp"
#include "tests/support/test_files.hpp"

namespace fhe::test {

namespace {

using she::LoadedSlots;
using she::Slots;

const std::vector<she::SlotNumbers> kRows{{1, 2, 3, 4, 5}, {9, 0, 9, 0, 9}, {}};

// A key and ciphertexts of it: new, negative, of a product, and 0.
class SlotFiles {
 public:
  SlotFiles()
      : key(she::KeyGenerator(ParameterSet::named("she-mini")).generate(TestSeed{"files"})),
        arithmetic(key.group()) {
    const she::Encryptor encryptor(key, std::make_shared<TestRandom>("files"));
    compressed = std::make_unique<she::CompressedSlots>(encryptor.encrypt_compressed(kRows));
    slots = compressed->expand(key.group());
    slots.push_back(arithmetic.negate(slots[0]));
    slots.push_back(arithmetic.multiply(slots[0], slots[1]));
    slots.push_back(arithmetic.multiply_constant(slots[0], 0));
  }

  TemporaryDirectory folder;
  she::SecretKey key;
  she::Arithmetic arithmetic;
  std::unique_ptr<she::CompressedSlots> compressed;
  std::vector<Slots> slots;
};

void check_same(const std::vector<Slots>& xs, const std::vector<Slots>& ys) {
  REQUIRE(xs.size() == ys.size());
  for (std::size_t i = 0; i < xs.size(); ++i) {
    CHECK(xs[i].value() == ys[i].value());
    CHECK(xs[i].noise() == ys[i].noise());
    CHECK(xs[i].key() == ys[i].key());
  }
}

// Writes an altered copy of a file and gives its path.
template <class Alter>
std::filesystem::path altered(const SlotFiles& files, const std::string& name, const Alter& alter) {
  Draft draft(files.folder / name);
  alter(draft);
  const std::filesystem::path path = files.folder / "altered.fhe";
  draft.write(path);
  return path;
}

void put_number(std::vector<std::byte>& bytes, std::size_t at, std::uint64_t number,
                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    bytes[at + i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
  }
}

std::filesystem::path frozen_slots(const std::string& name) {
  return std::filesystem::path(FHE_TEST_DATA_DIR) / "frozen" / name;
}

}  // namespace

// What is frozen is never written again.
TEST_CASE("freeze the samples of files of slots", "[.freeze]") {
  if (exists(frozen_slots("she-secret.fhe"))) return;
  const SlotFiles files;
  she::save(frozen_slots("she-secret.fhe"), files.key);
  she::save(frozen_slots("she-slots.fhe"), files.slots, files.key.group());
  she::save(frozen_slots("she-compressed.fhe"), *files.compressed, files.key.group());
}

TEST_CASE("frozen slots of this format version are read", "[slots][files]") {
  const she::SecretKey key = she::load_secret_key(frozen_slots("she-secret.fhe"));
  const LoadedSlots whole = she::load_slots(frozen_slots("she-slots.fhe"));
  const she::SlotNumbers first = kRows[0];
  CHECK(key.id().test_key);
  CHECK(she::Decryptor(key).decrypt_all(whole.slots) ==
        std::vector<she::SlotNumbers>{
            first, kRows[1], {0, 0, 0, 0, 0}, {9, 8, 7, 6, 5}, {9, 0, 7, 0, 5}, {0, 0, 0, 0, 0}});
  const LoadedSlots compressed = she::load_slots(frozen_slots("she-compressed.fhe"));
  CHECK(she::Decryptor(key).decrypt(compressed.slots[0]) == first);
  const TemporaryDirectory folder;
  she::save(folder / "secret.fhe", key);
  she::save(folder / "slots.fhe", whole.slots, whole.group);
  CHECK(read_file(folder / "secret.fhe") == read_file(frozen_slots("she-secret.fhe")));
  CHECK(read_file(folder / "slots.fhe") == read_file(frozen_slots("she-slots.fhe")));
}

TEST_CASE("keys of slots are read as they were written", "[slots][files]") {
  const SlotFiles files;
  const std::filesystem::path path = files.folder / "secret.fhe";
  she::save(path, files.key);
  CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  const auto check = [&](const she::SecretKey& read) {
    CHECK(read.id() == files.key.id());
    CHECK(read.group() == files.key.group());
    CHECK(std::ranges::equal(read.contents()->primes(), files.key.contents()->primes()));
    CHECK(she::Decryptor(read).decrypt(files.slots[0]) == kRows[0]);
  };
  check(she::load_secret_key(path));
  check(she::load_secret_key(she::to_bytes(files.key)));
  CHECK(summarize(path).header.scheme == "she");

  const Passphrase passphrase("correct horse");
  she::save(path, files.key, PassphraseLock{passphrase, ScryptCost{.log_n = 4}});
  check(she::load_secret_key(path, [] { return Passphrase("correct horse"); }));
  CHECK_THROWS_MATCHES(she::load_secret_key(path), Error,
                       HasCode(ErrorCode::invalid_argument, "under a passphrase"));
  CHECK_THROWS_MATCHES(she::load_secret_key(path, [] { return Passphrase("wrong"); }), Error,
                       HasCode(ErrorCode::wrong_key));
}

TEST_CASE("slots are read as they were written, in files, bytes and streams", "[slots][files]") {
  const SlotFiles files;
  const ParameterSet& group = files.key.group();
  const std::filesystem::path path = files.folder / "slots.fhe";
  const auto check = [&](const LoadedSlots& read, bool compressed) {
    CHECK(read.group == group);
    CHECK(read.compressed == compressed);
    check_same(read.slots, compressed ? files.compressed->expand(group) : files.slots);
  };
  she::save(path, files.slots, group);
  check(she::load_slots(path), false);
  CHECK(summarize(path).header.kind == ObjectKind::ciphertexts);
  CHECK(summarize(path).noise.empty());
  check(she::load_slots(she::to_bytes(files.slots, group)), false);
  she::save(path, *files.compressed, group);
  check(she::load_slots(path), true);
  check(she::load_slots(she::to_bytes(*files.compressed, group)), true);
  std::stringstream stream;
  she::save(stream, files.slots, group);
  she::save(stream, *files.compressed, group);
  check(she::load_slots(stream), false);
  check(she::load_slots(stream), true);
  CHECK(std::filesystem::file_size(path) <
        she::to_bytes(files.compressed->expand(group), group).size());
}

TEST_CASE("what is no list of slots of a group is not written", "[slots][files]") {
  const SlotFiles files;
  const ParameterSet other = ParameterSet::named("she-128-d0");
  const std::filesystem::path path = files.folder / "slots.fhe";
  CHECK_THROWS_MATCHES(she::save(path, std::vector<Slots>{}, files.key.group()), Error,
                       HasCode(ErrorCode::invalid_argument, "none was given"));
  CHECK_THROWS_MATCHES(she::save(path, files.slots, other), Error, HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(she::save(path, *files.compressed, other), Error,
                       HasCode(ErrorCode::wrong_key));
  const she::SecretKey second =
      she::KeyGenerator(files.key.group()).generate(TestSeed{"another key"});
  const std::vector<Slots> mixed{files.slots[0], she::Encryptor(second).encrypt({1})};
  CHECK_THROWS_MATCHES(she::save(path, mixed, files.key.group()), Error,
                       HasCode(ErrorCode::wrong_key));
  CHECK_THROWS_MATCHES(she::save(path, {Slots(1, -1, files.key.id())}, files.key.group()), Error,
                       HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(she::save(path, files.slots, files.key.group(), {.max_ciphertexts = 2}),
                       Error, HasCode(ErrorCode::invalid_argument, "6 ciphertexts"));
  const she::SecretKey large = she::KeyGenerator(other).generate(TestSeed{"files"});
  const she::CompressedSlots some =
      she::Encryptor(large, std::make_shared<TestRandom>("files")).encrypt_compressed(kRows);
  CHECK_THROWS_MATCHES(she::save(path, some, other, {.max_file_bytes = 70'000}), Error,
                       HasCode(ErrorCode::invalid_argument, "expanded"));
  CHECK_FALSE(std::filesystem::exists(path));
  she::save(path, some, other);
  const ReadLimits limits{.max_file_bytes = std::filesystem::file_size(path)};
  CHECK_THROWS_MATCHES(she::load_slots(path, limits), Error,
                       HasCode(ErrorCode::invalid_argument, "expanded"));
}

TEST_CASE("altered files of slots are refused", "[slots][files]") {
  const SlotFiles files;
  she::save(files.folder / "slots.fhe", files.slots, files.key.group());
  she::save(files.folder / "short.fhe", *files.compressed, files.key.group());
  const auto refused = [&](const std::string& name, const std::string& section, std::size_t at,
                           std::uint64_t number, std::size_t bytes, const std::string& what) {
    CAPTURE(name, section, at, number);
    const auto path =
        altered(files, name, [&](Draft& draft) { put_number(draft[section], at, number, bytes); });
    CHECK_THROWS_MATCHES(she::load_slots(path), Error, HasCode(ErrorCode::malformed_file, what));
  };
  const std::string whole = "slots.fhe";
  refused(whole, "meta", 0, 0, 8, "there must be at least one");
  refused(whole, "meta", 0, 7, 8, "7 ciphertexts in 96 bytes");
  refused(whole, "meta", 0, std::uint64_t{1} << 60, 8, "1152921504606846976 ciphertexts");
  refused(whole, "meta", 8, 2, 4, "a sign is not 0 or 1");
  refused(whole, "meta", 8 + 5 * 16, 1, 4, "a sign is not 0 or 1");
  refused(whole, "meta", 12, 0xffffffff, 4, "is longer than the");
  refused(whole, "meta", 8 + 4 * 16 + 4, 1024, 4, "ciphertext 4 does not have the 1024 bits");
  refused(whole, "meta", 12, 64, 4, "values");
  refused(whole, "meta", 16, (std::uint64_t{1} << 58) + 1, 8, "above the limit");
  refused(whole, "meta", 16, ~std::uint64_t{0}, 8, "");
  refused("short.fhe", "seeded", 0, 0, 8, "at least one");
  refused("short.fhe", "seeded", 0, 2, 8, "delta");
  refused("short.fhe", "seeded", 8, 'x', 1, "");

  const auto missing = altered(files, whole, [](Draft& draft) { draft.sections.resize(1); });
  CHECK_THROWS_MATCHES(she::load_slots(missing), Error, HasCode(ErrorCode::malformed_file));
  const auto count = altered(files, "short.fhe", [](Draft& draft) {
    put_number(draft["seeded"], 0, std::uint64_t{1} << 62, 8);
  });
  CHECK_THROWS_MATCHES(she::load_slots(count), Error, HasCode(ErrorCode::invalid_argument));
  CHECK_THROWS_MATCHES(she::load_slots(files.folder / "short.fhe", {.max_ciphertexts = 2}), Error,
                       HasCode(ErrorCode::invalid_argument, "3 ciphertexts"));
}

TEST_CASE("altered keys of slots are refused", "[slots][files]") {
  const SlotFiles files;
  she::save(files.folder / "secret.fhe", files.key);
  constexpr std::size_t kPrimeBytes = 8;
  const auto refused = [&](const std::string& what, const auto& alter) {
    CAPTURE(what);
    CHECK_THROWS_MATCHES(she::load_secret_key(altered(files, "secret.fhe", alter)), Error,
                         HasCode(ErrorCode::malformed_file, what));
  };
  refused("odd number of 60 bits", [](Draft& draft) { draft["p"][0] &= std::byte{0xfe}; });
  refused("odd number of 60 bits", [](Draft& draft) { draft["p"][7] = std::byte{0x07}; });
  refused("", [](Draft& draft) { draft["p"][7] = std::byte{0x17}; });
  refused("have a factor in common", [](Draft& draft) {
    std::copy_n(draft["p"].begin(), kPrimeBytes, draft["p"].begin() + kPrimeBytes);
  });
  refused("not the one of the key", [](Draft& draft) {
    std::swap_ranges(draft["p"].begin(), draft["p"].begin() + kPrimeBytes,
                     draft["p"].begin() + kPrimeBytes);
  });
  refused("not the one of the key", [](Draft& draft) { draft.header.key_id[3] ^= std::byte{1}; });
  refused("", [](Draft& draft) { draft["p"].pop_back(); });
  refused("unknown field", [](Draft& draft) { draft.replace_in_parameters("eta", "ate"); });
  refused("another parameter group", [](Draft& draft) { draft.header.parameters = "she-x"; });
}

TEST_CASE("files of slots with any byte altered are read or refused", "[slots][files]") {
  const SlotFiles files;
  she::save(files.folder / "slots.fhe", files.slots, files.key.group());
  she::save(files.folder / "short.fhe", *files.compressed, files.key.group());
  she::save(files.folder / "secret.fhe", files.key);
  std::mt19937 draws(19);
  std::size_t refusals = 0;
  for (int trial = 0; trial < 100; ++trial) {
    for (const std::string name : {"slots.fhe", "short.fhe", "secret.fhe"}) {
      const auto path = altered(files, name, [&](Draft& draft) {
        auto& contents = draft.sections[draws() % draft.sections.size()].contents;
        contents[draws() % contents.size()] ^= static_cast<std::byte>(1U << draws() % 8);
        if (draws() % 4 == 0) contents.resize(draws() % (contents.size() + 1));
      });
      try {
        if (name == "secret.fhe") {
          static_cast<void>(she::load_secret_key(path));
        } else {
          for (const Slots& x : she::load_slots(path).slots) {
            static_cast<void>(files.arithmetic.negate(x));
          }
        }
      } catch (const Error& error) {
        INFO(error.what());
        CHECK((error.code() == ErrorCode::malformed_file ||
               error.code() == ErrorCode::invalid_argument));
        ++refusals;
      }
    }
  }
  CHECK(refusals > 100);
}

}  // namespace fhe::test

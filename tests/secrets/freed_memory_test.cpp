// SPDX-License-Identifier: Apache-2.0
// No copy of a secret key is left in freed memory: free() of this program looks at every block
// before it goes back to the heap.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <gmp.h>
#include <malloc.h>

#include "libfhe/scheme/dghv/encrypt.hpp"
#include "libfhe/scheme/dghv/secret_material.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/gh/lattice.hpp"
#include "libfhe/scheme/gh/secret_material.hpp"
#include "libfhe/scheme/gh/squash.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "libfhe/scheme/she/secret_slots.hpp"
#include "libfhe/secret/integers.hpp"
#include "libfhe/storage/passphrase.hpp"
#include "tests/catch.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/test_files.hpp"

extern "C" void __libc_free(void* block);

namespace {

// Two limbs or four positions that follow each other in a secret would hardly be found elsewhere.
constexpr std::size_t kRunBytes = 2 * sizeof(fhe::Limb);

// The secret that is looked for, outside the heap, the size of its words, and how much of it that
// is found counts as a copy.
std::array<std::byte, 2048> secret;
std::size_t word_bytes = 1;
std::size_t run_bytes = kRunBytes;
std::atomic<std::size_t> secret_bytes = 0;  // 0: nothing is looked for
std::atomic<std::size_t> copies = 0;

// How many calls of operator new succeed before one fails; negative: all of them.
std::atomic<long> calls_until_failure = -1;

void look_at(const void* block) {
  const std::size_t wanted = secret_bytes;
  if (wanted == 0) return;
  const std::size_t bytes = malloc_usable_size(const_cast<void*>(block));
  for (std::size_t i = 0; i + run_bytes <= wanted; i += word_bytes) {
    if (memmem(block, bytes, &secret[i], run_bytes) != nullptr) {
      ++copies;
      return;
    }
  }
}

}  // namespace

// What was looked at is wiped: the next owner of the block may write over a part of it only, and
// would be blamed for the rest, such as what the test itself had read from a file of keys.
extern "C" void free(void* block) {
  if (block != nullptr) {
    look_at(block);
    explicit_bzero(block, malloc_usable_size(block));
  }
  __libc_free(block);
}

extern "C" void* realloc(void* block, std::size_t bytes) {
  void* const moved = std::malloc(bytes);
  if (block == nullptr || moved == nullptr) return moved;
  std::memcpy(moved, block, std::min(bytes, malloc_usable_size(block)));
  std::free(block);
  return moved;
}

void* operator new(std::size_t bytes) {
  if (calls_until_failure >= 0 && calls_until_failure-- == 0) throw std::bad_alloc();
  void* const block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace fhe::test {

namespace {

// Looks for the secret of a key as long as it lives.
class Watch {
 public:
  template <class Word>
  explicit Watch(std::span<const Word> words, std::size_t run = kRunBytes) {
    const auto bytes = std::as_bytes(words);
    const std::size_t count = std::min(bytes.size(), secret.size());
    std::copy_n(bytes.begin(), count, secret.begin());
    word_bytes = sizeof(Word);
    run_bytes = run;
    copies = 0;
    secret_bytes = count;
  }
  explicit Watch(const Integer& wanted) : Watch(limbs_of(wanted)) {}
  ~Watch() { secret_bytes = 0; }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  [[nodiscard]] std::size_t found() const { return copies; }
};

struct Files {
  std::filesystem::path secret;
  std::filesystem::path ciphertexts;
};

Files frozen(const std::string& prefix) {
  const std::filesystem::path folder = std::filesystem::path(FHE_TEST_DATA_DIR) / "frozen";
  return {folder / (prefix + "secret.fhe"), folder / (prefix + "ciphertexts.fhe")};
}

const std::vector<std::string> kPrefixes{"", "cmnt-", "cmnt-paper-", "bdghv-", "gh-"};

// p or w.
const Integer& secret_of(const SecretKey& key) {
  if (const auto* prime = dynamic_cast<const dghv::DghvSecretMaterial*>(&key.material()))
    return prime->p();
  return dynamic_cast<const gh::GhSecretMaterial&>(key.material()).w();
}

// All that tells the key: p and q0 = x0 / p, and each prime where p is a product; or w.
std::vector<Integer> secrets_of(const SecretKey& key) {
  std::vector<Integer> secrets{secret_of(key)};
  if (const auto* own = dynamic_cast<const dghv::DghvSecretMaterial*>(&key.material())) {
    secrets.emplace_back(key.material().modulus() / secrets.front());
    if (own->slots() > 1) std::ranges::copy(own->primes().span(), std::back_inserter(secrets));
  }
  return secrets;
}

// Makes GMP use functions that leave freed memory as it is, as those of another program may.
class PlainGmpMemory {
 public:
  PlainGmpMemory() {
    mp_get_memory_functions(&allocate_, &reallocate_, &free_);
    mp_set_memory_functions(
        std::malloc,
        [](void* block, std::size_t, std::size_t bytes) { return realloc(block, bytes); },
        [](void* block, std::size_t) { free(block); });
  }
  ~PlainGmpMemory() { mp_set_memory_functions(allocate_, reallocate_, free_); }
  PlainGmpMemory(const PlainGmpMemory&) = delete;
  PlainGmpMemory& operator=(const PlainGmpMemory&) = delete;

 private:
  void* (*allocate_)(std::size_t) = nullptr;
  void* (*reallocate_)(void*, std::size_t, std::size_t) = nullptr;
  void (*free_)(void*, std::size_t) = nullptr;
};

// The positions of the ones of a key of CNT or CMNT.
std::span<const std::uint32_t> ones_of(const SecretKey& key) {
  return dynamic_cast<const dghv::DghvSecretMaterial&>(key.material()).ones();
}

}  // namespace

TEST_CASE("a freed copy of a secret is found", "[secrets]") {
  const SecretKey key = load_secret_key(frozen("").secret);
  const Integer& wanted = secret_of(key);
  const Watch watch(wanted);
  { const std::vector<Limb> kept(limbs_of(wanted).begin(), limbs_of(wanted).end()); }
  CHECK(watch.found() == 1);
  { const SecretLimbs wiped(wanted, limbs_of(wanted).size() + 3); }
  CHECK(watch.found() == 1);
}

TEST_CASE("reading, decrypting and forgetting a key leaves no copy of it", "[secrets]") {
  for (const std::string& prefix : kPrefixes) {
    CAPTURE(prefix);
    const Files files = frozen(prefix);
    const SecretKey kept = load_secret_key(files.secret);
    for (const Integer& wanted : secrets_of(kept)) {
      const Watch watch(wanted);
      {
        const SecretKey key = load_secret_key(files.secret);
        const std::vector<Ciphertext> ciphertexts = load_ciphertexts(files.ciphertexts, key);
        CHECK_FALSE(Decryptor(key).decrypt(ciphertexts).empty());
        CHECK(measure_noise(key, ciphertexts.front()) <= ciphertexts.front().noise());
        const Ciphertext altered(key.material().modulus() / 3, NoiseBound(), key.id());
        CHECK_THROWS_MATCHES(Decryptor(key).decrypt(altered), Error,
                             HasCode(ErrorCode::noise_exceeded));
      }
      CHECK(watch.found() == 0);
    }
  }
}

TEST_CASE("encrypting as the owner leaves no copy of the key and of the noise", "[secrets]") {
  for (const std::string prefix : {"", "cmnt-", "cmnt-paper-", "bdghv-"}) {
    CAPTURE(prefix);
    const SecretKey key = load_secret_key(frozen(prefix).secret);
    const auto encrypt = [&](const Monitor& monitor) {
      const SecretEncryptor owner(key, open_backend(), std::make_shared<TestRandom>("twice"));
      return owner.encrypt({true, false, true, true}, monitor);
    };
    const CompressedCiphertexts made = encrypt({});
    std::vector<Integer> secrets = secrets_of(key);
    for (const Ciphertext& c : expand(made, key)) secrets.emplace_back(c.value() % secrets.front());
    for (const Integer& wanted : secrets) {
      if (limbs_of(wanted).size() * sizeof(Limb) < kRunBytes) continue;
      const Watch watch(wanted);
      CHECK(encrypt({}).size() == made.size());
      CHECK(watch.found() == 0);
    }
    const Watch watch(secrets.front());
    std::stop_source stop;
    const Monitor monitor{.stop = stop.get_token(),
                          .progress = [&](std::string_view, double) { stop.request_stop(); }};
    CHECK_THROWS_MATCHES(encrypt(monitor), Error, HasCode(ErrorCode::stopped));
    long failures = 0;
    for (bool done = false; !done; ++failures) {
      calls_until_failure = failures;
      try {
        static_cast<void>(encrypt({}));
        done = true;
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::out_of_memory);
      } catch (const std::bad_alloc&) {  // of what this test itself makes
      }
      calls_until_failure = -1;
    }
    CHECK(failures > 3);
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("making and forgetting a pair of keys leaves no copy of the secret", "[secrets]") {
  for (const std::string group :
       {"cnt-mini", "cmnt-mini", "cmnt-mini-paper", "bdghv-mini", "gh-mini"}) {
    CAPTURE(group);
    const KeyGenerator generator(ParameterSet::named(group));
    const KeyPair kept = generator.generate(TestSeed{"twice"});
    for (const Integer& wanted : secrets_of(kept.secret_key)) {
      const Watch watch(wanted);
      { const KeyPair same = generator.generate(TestSeed{"twice"}); }
      CHECK(watch.found() == 0);
    }
  }
}

TEST_CASE("secret integers leave no copy in a program with its own memory functions of GMP",
          "[secrets]") {
  const PlainGmpMemory plain;
  TestRandom random("secret integers");
  const auto draw = [&] { return uniform_bits(random, 500); };
  const auto check_forgotten = [](auto& secrets, const Integer& wanted) {
    const Watch watch(wanted);
    secrets.reset();
    CHECK(watch.found() == 0);
  };
  auto weights = std::make_unique<dghv::SecretWeights>(2, 3, 500, random);
  check_forgotten(weights, weights->sets()[1][2]);
  auto list = std::make_unique<SecretIntegers>(3);
  for (Integer& value : list->span()) value = draw();
  check_forgotten(list, (*list)[2]);
  auto shrunk = std::make_unique<SecretInteger>(draw());
  const Watch watch(shrunk->value());
  shrunk->value() = 1;  // the limbs above stay
  shrunk.reset();
  CHECK(watch.found() == 0);
}

TEST_CASE("a passphrase leaves no copy, nor does the text that it was given as", "[secrets]") {
  const std::string_view wanted = "a passphrase that is longer than what a string holds in itself";
  const Watch watch{std::span(wanted)};
  {
    std::string text(wanted);
    const Passphrase passphrase(std::move(text));
  }
  CHECK(watch.found() == 0);
}

TEST_CASE("work with numbers in slots leaves no copy of the primes", "[secrets]") {
  const she::KeyGenerator generator(ParameterSet::named("she-128-d0"));
  const she::SecretKey kept = generator.generate(TestSeed{"twice"});
  const she::SecretSlots& secret = *kept.contents();
  const SecretBytes file = she::to_bytes(kept);
  const she::SlotNumbers numbers(secret.parameters().slots, 12345);
  // Also the noise, as the integer that has it modulo every prime.
  const auto encrypt = [&](const she::SecretKey& key) {
    return she::Encryptor(key, std::make_shared<TestRandom>("twice")).encrypt(numbers);
  };
  const Integer noise = encrypt(kept).value() % secret.product();
  for (const Integer& wanted :
       {secret.product(), secret.primes()[0], secret.primes()[700], noise}) {
    const Watch watch(wanted);
    {
      const she::SecretKey same = generator.generate(TestSeed{"twice"});
      const she::SecretKey read = she::load_secret_key(file);
      const she::Slots x = encrypt(read);
      CHECK(she::Decryptor(read).decrypt(x) == numbers);
      CHECK(she::measure_noise(read, x) <= x.noise());
      CHECK_THROWS_MATCHES(she::Decryptor(read).decrypt(she::Slots(x.value() / 3, 1, x.key())),
                           Error, HasCode(ErrorCode::noise_exceeded));
    }
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("making a pair of keys of GH leaves no copy of the generator and the choice",
          "[secrets]") {
  const ParameterSet group = ParameterSet::named("gh-mini");
  const gh::Parameters parameters(group);
  TestRandom random(
      "key generation twice");  // as generate() below, in the order of gh::generate_keys
  const gh::Lattice lattice = gh::generate_lattice(parameters, open_backend(), random, {});
  std::vector<std::size_t> pairs;
  for (const std::uint32_t index : gh::draw_chosen_elements(parameters, random)) {
    const gh::Pair pair = gh::pair_at(index, parameters.c);
    pairs.insert(pairs.end(), {pair.a, pair.b});
  }
  const KeyGenerator generator(group);
  {
    const Watch watch(std::span<const std::size_t>(pairs), pairs.size() * sizeof(std::size_t));
    static_cast<void>(generator.generate(TestSeed{"twice"}));
    CHECK(watch.found() == 0);
  }
  for (const std::size_t i : {std::size_t{0}, parameters.n / 2, parameters.n - 1}) {
    const Watch watch(lattice.v[i]);
    static_cast<void>(generator.generate(TestSeed{"twice"}));
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("the positions of the ones of a squashed key leave no copy", "[secrets]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper", "bdghv-mini"}) {
    CAPTURE(group);
    const TemporaryDirectory folder;
    const KeyGenerator generator(ParameterSet::named(group));
    const KeyPair kept = generator.generate(TestSeed{"twice"});
    save(folder / "public.fhe", folder / "secret.fhe", kept);
    const Watch watch(ones_of(kept.secret_key));
    { const KeyPair same = generator.generate(TestSeed{"twice"}); }
    CHECK(watch.found() == 0);
    { const SecretKey same = load_secret_key(folder / "secret.fhe"); }
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("a key generation that is stopped leaves no copy of the positions", "[secrets]") {
  for (const std::string group : {"cnt-mini", "cmnt-mini", "cmnt-mini-paper", "bdghv-mini"}) {
    CAPTURE(group);
    const KeyGenerator generator(ParameterSet::named(group));
    const KeyPair kept = generator.generate(TestSeed{"twice"});
    std::stop_source stop;
    const Monitor monitor{.stop = stop.get_token(),
                          .progress = [&](std::string_view phase, double) {
                            // The positions are drawn.
                            if (phase == "residues" || phase == "elements of all slots") {
                              stop.request_stop();
                            }
                          }};
    const Watch watch(ones_of(kept.secret_key));
    CHECK_THROWS_MATCHES(generator.generate(TestSeed{"twice"}, monitor), Error,
                         HasCode(ErrorCode::stopped));
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("a damaged section of positions leaves no copy of them", "[secrets]") {
  const TemporaryDirectory folder;
  for (const std::string prefix : {"", "cmnt-", "cmnt-paper-", "bdghv-"}) {
    CAPTURE(prefix);
    const Files files = frozen(prefix);
    const FileSummary summary = summarize(files.secret);
    REQUIRE(summary.sections.back().first == "x0");  // the positions stand before it
    std::vector<std::byte> bytes = read_file(files.secret);
    bytes[bytes.size() - summary.sections.back().second - 1] ^= std::byte{0xFF};
    write_file(folder / "damaged", bytes);
    const SecretKey kept = load_secret_key(files.secret);
    const Watch watch(ones_of(kept));
    CHECK_THROWS_MATCHES(load_secret_key(folder / "damaged"), Error,
                         HasCode(ErrorCode::malformed_file, "section 's'"));
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("a decryption that runs out of memory leaves no copy of the key", "[secrets]") {
  for (const std::string& prefix : kPrefixes) {
    CAPTURE(prefix);
    const Files files = frozen(prefix);
    const SecretKey key = load_secret_key(files.secret);
    const Watch watch(secret_of(key));
    const Ciphertext c = load_ciphertexts(files.ciphertexts, key).front();
    long failures = 0;
    for (bool done = false; !done; ++failures) {
      calls_until_failure = failures;
      try {
        static_cast<void>(Decryptor(key).decrypt(c));
        done = true;
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::out_of_memory);
      }
      calls_until_failure = -1;
    }
    CHECK(failures > 3);
    CHECK(watch.found() == 0);
  }
}

TEST_CASE("a key file that turns out damaged leaves no copy of the key", "[secrets]") {
  const TemporaryDirectory folder;
  for (const std::string& prefix : kPrefixes) {
    CAPTURE(prefix);
    const Files files = frozen(prefix);
    std::vector<std::filesystem::path> damaged;  // written before the watch: tests do not wipe
    for (const std::size_t quarter : {1U, 2U, 3U, 4U}) {
      damaged.push_back(folder / (prefix + std::to_string(quarter)));
      std::vector<std::byte> bytes = read_file(files.secret);
      bytes[bytes.size() * quarter / 4 - 1] ^= std::byte{0xFF};
      write_file(damaged.back(), bytes);
    }
    const SecretKey kept = load_secret_key(files.secret);
    for (const Integer& wanted : secrets_of(kept)) {
      const Watch watch(wanted);
      for (const std::filesystem::path& path : damaged) {
        CHECK_THROWS_MATCHES(load_secret_key(path), Error, HasCode(ErrorCode::malformed_file));
      }
      CHECK(watch.found() == 0);
    }
  }
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
// Files of keys and ciphertexts: refused, or read and written with the same contents; keys that
// were accepted encrypt and recrypt, ciphertexts recrypt and decrypt. The same bytes in memory and
// in a stream are refused where the file is, and accepted where it is.
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/hostile/target.hpp"
#include "tests/support/test_files.hpp"

using namespace fhe;
using namespace fhe::hostile;

namespace {

// Larger keys, which hostile parameters can ask for, are read but not used.
constexpr std::size_t kMostModulusBits = 20'000;
constexpr std::size_t kMostCiphertexts = 4;

// Where the material of a key writes its sections to.
class Sections final : public SectionWriter {
 public:
  void begin_section(std::string_view name) override {
    open_ = &sections_[std::string(name)];
    demand(open_->empty(), "a section is written twice");
  }
  void write(std::span<const std::byte> bytes) override {
    open_->insert(open_->end(), bytes.begin(), bytes.end());
  }
  [[nodiscard]] const auto& sections() const { return sections_; }

 private:
  std::map<std::string, std::vector<std::byte>> sections_;
  std::vector<std::byte>* open_ = nullptr;
};

// The sections of a file but for `params`, whose text may be laid out in another way.
std::map<std::string, std::vector<std::byte>> sections_in(const std::filesystem::path& path) {
  std::map<std::string, std::vector<std::byte>> found;
  ContainerReader in(path);
  for (const SectionEntry& entry : in.sections()) {
    if (entry.name == "params") continue;
    in.open_section(entry.name, 0, std::numeric_limits<std::uint64_t>::max());
    std::vector<std::byte>& bytes = found[entry.name];
    bytes.resize(in.section_bytes());
    in.read(bytes);
    in.close_section();
  }
  return found;
}

template <class Key>
void check_written(const Key& key, const std::filesystem::path& path) {
  Sections written;
  key.material().write(written);
  demand(written.sections() == sections_in(path), "a key is written with other contents");
}

bool is_small(const Integer& modulus) {
  return mpz_sizeinbase(modulus.get_mpz_t(), 2) <= kMostModulusBits;
}

void check_range(const Ciphertext& c, const Integer& modulus) {
  demand(c.value() >= 0 && c.value() < modulus, "a ciphertext is out of its range");
}

void check_public(const PublicKey& key, bool with_recryption) {
  if (!is_small(key.modulus())) return;
  std::optional<Ciphertext> fresh;
  // Elements that were forged may hide nothing, and keys of rungs have none: then there is no
  // encryption.
  if (!accepts({ErrorCode::wrong_result, ErrorCode::unsupported},
               [&] { fresh = Encryptor(key).encrypt(true); }))
    return;
  check_range(*fresh, key.modulus());
  if (with_recryption) check_range(Evaluator(key).recrypt(*fresh), key.modulus());
}

void check_secret(const SecretKey& key) {
  const SecretMaterial& material = key.material();
  demand(material.modulus() > 1, "a secret key has no modulus");
  if (!is_small(material.modulus())) return;
  for (const Integer& value :
       {Integer(0), Integer(1), Integer(material.modulus() - 1), Integer(material.modulus() / 2)}) {
    const NoiseBound noise = material.measure_noise(value);
    demand(material.decrypt(value, noise).within_claim, "noise is not within its own bound");
  }
}

void check_ciphertexts(const std::vector<Ciphertext>& read, const KeyPair& keys,
                       bool with_recryption) {
  static const fhe::test::TemporaryDirectory folder;
  const PublicKey& key = keys.public_key;
  save(folder / "written.fhe", read, key);
  const std::vector<Ciphertext> again = load_ciphertexts(folder / "written.fhe", key);
  demand(again.size() == read.size(), "written, they are more or fewer ciphertexts");
  const Evaluator evaluator(key);
  for (std::size_t i = 0; i < read.size(); ++i) {
    check_range(read[i], key.modulus());
    demand(again[i].value() == read[i].value() && again[i].noise() == read[i].noise(),
           "written, it is another ciphertext");
    if (i >= kMostCiphertexts) continue;
    accepts({ErrorCode::noise_exceeded},
            [&] { static_cast<void>(Decryptor(keys.secret_key).decrypt(read[i])); });
    if (!with_recryption) continue;
    accepts({ErrorCode::noise_exceeded},
            [&] { check_range(evaluator.recrypt(read[i]), key.modulus()); });
  }
}

void check_compressed(const CompressedCiphertexts& read, const KeyPair& keys) {
  static const fhe::test::TemporaryDirectory folder;
  save(folder / "written.fhe", read, keys.secret_key);
  const CompressedCiphertexts again =
      load_compressed_ciphertexts(folder / "written.fhe", keys.secret_key);
  demand(again.seed() == read.seed() && again.corrections() == read.corrections() &&
             again.noise() == read.noise(),
         "written, they are other compressed ciphertexts");
  for (const Ciphertext& c : expand(read, keys.public_key)) {
    check_range(c, keys.public_key.modulus());
  }
}

// Whether keys and ciphertexts of a group of slots are small enough to be used.
bool is_small(const ParameterSet& group) {
  const she::Parameters p(group);
  return p.most_bits() <= kMostModulusBits && p.tau * p.gamma <= 10 * kMostModulusBits;
}

template <class Key>
void check_written_slots_key(const Key& key, const std::filesystem::path& path) {
  static const fhe::test::TemporaryDirectory folder;
  save(folder / "written.fhe", key);
  demand(sections_in(folder / "written.fhe") == sections_in(path),
         "a key of slots is written with other contents");
}

// Primes that are none, but have no factor in common, decrypt as well.
void check_secret(const she::SecretKey& key) {
  if (!is_small(key.group())) return;
  const she::Slots zeros(0, 0, key.id());
  demand(she::Decryptor(key).decrypt(zeros) == she::SlotNumbers(she::Parameters(key.group()).slots),
         "a secret key of slots does not decrypt zeros");
  if (she::Parameters(key.group()).has_public_keys()) return;
  const she::Slots one = she::Encryptor(key).encrypt({1});
  demand(she::Decryptor(key).decrypt(one).front() == 1, "a secret key of slots decrypts no 1");
}

void check_public(const she::PublicKey& key) {
  if (!is_small(key.group())) return;
  accepts({ErrorCode::wrong_result},
          [&] { static_cast<void>(she::PublicEncryptor(key).encrypt(1)); });
}

void check_slots(const she::LoadedSlots& read) {
  static const fhe::test::TemporaryDirectory folder;
  save(folder / "written.fhe", read.slots, read.group);
  const she::LoadedSlots again = she::load_slots(folder / "written.fhe");
  demand(again.slots.size() == read.slots.size(), "written, they are more or fewer slots");
  const she::Arithmetic arithmetic(read.group);
  for (std::size_t i = 0; i < read.slots.size(); ++i) {
    const she::Slots& x = read.slots[i];
    demand(again.slots[i].value() == x.value() && again.slots[i].noise() == x.noise() &&
               again.slots[i].key() == x.key(),
           "written, it is another ciphertext of slots");
    if (i >= kMostCiphertexts || !is_small(read.group)) continue;
    accepts({ErrorCode::noise_exceeded}, [&] { static_cast<void>(arithmetic.add(x, x)); });
    accepts({ErrorCode::noise_exceeded, ErrorCode::invalid_argument},
            [&] { static_cast<void>(arithmetic.square(x)); });
    for (const she::SecretKey* const key :
         {&hostile_slots_key(), &hostile_tally_keys().secret_key}) {
      accepts({ErrorCode::wrong_key, ErrorCode::noise_exceeded, ErrorCode::invalid_argument},
              [&] { static_cast<void>(she::Decryptor(*key).decrypt(x)); });
    }
  }
}

constexpr auto kRefusals = {ErrorCode::malformed_file, ErrorCode::wrong_key,
                            ErrorCode::invalid_argument};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fhe::test::TemporaryDirectory folder;
  static const ThreadLimit one_thread(1);
  const bool with_recryption = is_drawn(data, size);
  const std::filesystem::path path = folder / "read.fhe";
  const auto bytes = std::as_bytes(std::span(data, size));
  fhe::test::write_file(path, {bytes.begin(), bytes.end()});

  // What `read` makes of the file, if it takes it; it takes the same bytes in memory and in a
  // stream then, and only then. In a stream more may follow, and behind a checkpoint everywhere.
  const bool more_may_follow = announced_kind(bytes) == ObjectKind::checkpoint;
  const auto read_everywhere = [&](const auto& read, const char* what) {
    std::optional<decltype(read(path))> object;
    const bool accepted = accepts(kRefusals, [&] { object = read(path); });
    demand(accepted == accepts(kRefusals, [&] { static_cast<void>(read(bytes)); }), what);
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    const bool streamed = accepts(kRefusals, [&] { static_cast<void>(read(in)); });
    const bool is_all = in.peek() == std::istringstream::traits_type::eof();
    demand(accepted == (streamed && (is_all || more_may_follow)), what);
    return object;
  };
  read_everywhere([](const Source& source) { return summarize(source); },
                  "a summary depends on where the bytes are");
  if (const auto key = read_everywhere([](const Source& source) { return load_public_key(source); },
                                       "a public key depends on where its bytes are")) {
    check_written(*key, path);
    check_public(*key, with_recryption);
  }
  if (const auto key = read_everywhere([](const Source& source) { return load_secret_key(source); },
                                       "a secret key depends on where its bytes are")) {
    check_written(*key, path);
    check_secret(*key);
  }
  for (const KeyPair& keys : hostile_keys()) {
    if (const auto read = read_everywhere(
            [&](const Source& source) { return load_ciphertexts(source, keys.public_key); },
            "ciphertexts depend on where their bytes are")) {
      check_ciphertexts(*read, keys, with_recryption);
    }
    accepts(kRefusals,
            [&] { check_compressed(load_compressed_ciphertexts(path, keys.public_key), keys); });
  }
  if (const auto key =
          read_everywhere([](const Source& source) { return she::load_public_key(source); },
                          "a public key of slots depends on where its bytes are")) {
    check_written_slots_key(*key, path);
    check_public(*key);
  }
  if (const auto key =
          read_everywhere([](const Source& source) { return she::load_secret_key(source); },
                          "a secret key of slots depends on where its bytes are")) {
    check_written_slots_key(*key, path);
    check_secret(*key);
  }
  if (const auto read =
          read_everywhere([](const Source& source) { return she::load_slots(source); },
                          "slots depend on where their bytes are")) {
    check_slots(*read);
  }
  return 0;
}

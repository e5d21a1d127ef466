// SPDX-License-Identifier: Apache-2.0
// The process that core_image_test looks into: it makes or uses a secret key and forgets it.
//
//   secret_holder generate GROUP SEED THREADS
//   secret_holder use FOLDER THREADS
//
// `use` works with public.fhe and secret.fhe, once for each operation. At each point where it can
// be looked at it writes a line that says what it holds, and goes on for a byte. A passphrase is
// what the file `passphrase` holds.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include "libfhe/fhe.hpp"
#include "libfhe/scheme/noise_meter.hpp"
#include "libfhe/storage/temporary_file.hpp"

namespace {

using fhe::Ciphertext;

constexpr fhe::ScryptCost kQuickCost{.log_n = 10, .r = 8, .p = 1};

void require(bool ok, const char* what) {
  if (ok) return;
  fmt::print(stderr, "secret_holder: {}\n", what);
  std::_Exit(1);
}

// Without a stream, which would keep a copy.
fhe::Passphrase read_passphrase(const std::filesystem::path& path) {
  const fhe::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(fhe::Passphrase::kMostBytes, '\0');
  const ssize_t bytes = read(file.number(), text.data(), text.size());
  require(bytes > 0, "no passphrase");
  text.resize(static_cast<std::size_t>(bytes));
  return fhe::Passphrase(std::move(text));
}

void be_looked_at(std::string_view holding) {
  const std::string line = fmt::format("{}\n", holding);
  require(write(STDOUT_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size()),
          "nobody listens");
  char go_on = 0;
  if (read(STDIN_FILENO, &go_on, 1) != 1) std::_Exit(1);  // nobody looks any more
}

void generate_key(const std::string& group, const std::string& seed) {
  bool looked_at = false;
  // In this phase the lattice of GH is there; CNT and CMNT have none.
  const fhe::Monitor monitor{.stop = {}, .progress = [&](std::string_view phase, double) {
                               if (looked_at || phase != "trial recryptions") return;
                               looked_at = true;
                               be_looked_at("lattice");
                             }};
  const fhe::KeyPair keys =
      fhe::KeyGenerator(fhe::ParameterSet::named(group)).generate(fhe::TestSeed{seed}, monitor);
  be_looked_at("key");
}

// What is done with a key: each time with another one, so that no use wipes what another left.
class KeyUse {
 public:
  explicit KeyUse(const std::filesystem::path& folder)
      : folder_(folder),
        public_key_(fhe::load_public_key(folder / "public.fhe")),
        bits_(fhe::Encryptor(public_key_).encrypt({true, false, true})) {}

  void decrypt() const {
    const fhe::SecretKey key = load();
    const fhe::Decryptor decryptor(key);
    const fhe::Evaluator evaluator(public_key_);
    const Ciphertext refreshed = evaluator.recrypt(evaluator.and_gate(bits_[0], bits_[2]));
    require(decryptor.decrypt(bits_) == std::vector<bool>{true, false, true} &&
                decryptor.decrypt(refreshed),
            "a wrong bit");
    be_looked_at("key");
  }
  void encrypt() const {
    if (public_key_.parameters().scheme() == "gh") return;  // has no such encryption
    const fhe::SecretKey key = load();
    const fhe::SecretEncryptor encryptor(key);
    require(expand(encryptor.encrypt({true, false}), public_key_).size() == 2, "no ciphertexts");
  }
  void measure() const { static_cast<void>(measure_noise(load(), bits_.front())); }
  void check() const {
    require(all_passed(check_key_pair(public_key_, load())), "a wrong pair of keys");
  }
  void save() const { fhe::save(folder_ / "again.fhe", load()); }
  void seal() const {
    const fhe::Passphrase passphrase = ask();
    fhe::save(folder_ / "sealed.fhe", load(), {.passphrase = passphrase, .cost = kQuickCost});
  }

 private:
  [[nodiscard]] fhe::SecretKey load() const {
    return fhe::load_secret_key(folder_ / "secret.fhe", [this] { return ask(); });
  }
  [[nodiscard]] fhe::Passphrase ask() const { return read_passphrase(folder_ / "passphrase"); }

  std::filesystem::path folder_;
  fhe::PublicKey public_key_;
  std::vector<Ciphertext> bits_;
};

void use_key(const std::filesystem::path& folder) {
  const KeyUse use(folder);
  for (const auto operation : {&KeyUse::decrypt, &KeyUse::encrypt, &KeyUse::measure, &KeyUse::check,
                               &KeyUse::save, &KeyUse::seal}) {
    (use.*operation)();
    be_looked_at("nothing");
  }
}

void work(const std::vector<std::string>& arguments) {
  const std::size_t threads = std::stoul(arguments.back());
  const fhe::ThreadLimit limit(threads);
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    if (arguments.front() == "generate") {
      generate_key(arguments.at(1), arguments.at(2));
      be_looked_at("nothing");
    } else {
      use_key(arguments.at(1));
    }
  });
}

}  // namespace

int main(int count, char** arguments) {
  try {
    require(count > 3, "wrong arguments");
    work({arguments + 1, arguments + count});
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "secret_holder: {}\n", error.what());
    return 1;
  }
}

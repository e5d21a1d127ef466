// SPDX-License-Identifier: Apache-2.0
// Writes the seeds that are containers: fhe_hostile_write_seeds FOLDER, with tests/data/hostile for
// those that are kept. To be used again when the format changes.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "tests/hostile/checkpoint_run.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/support/test_files.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fhe;
using namespace fhe::hostile;

// A public key whose section `params` holds this text.
void write_with_parameters(const fs::path& key, const std::string& text, const fs::path& path) {
  const std::vector<std::byte> bytes = fhe::test::read_file(key);
  auto image =
      *ContainerImage::parse({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  image.find("params")->contents.assign(text.begin(), text.end());
  image.fit_head();
  const ContainerImage::Bytes altered = image.bytes();
  const auto view = std::as_bytes(std::span(altered));
  fhe::test::write_file(path, {view.begin(), view.end()});
}

void write_containers(const fs::path& folder) {
  for (const KeyPair& keys : hostile_keys()) {
    const std::string name = keys.public_key.parameters().name();
    const Encryptor encryptor(keys.public_key, open_backend(),
                              std::make_shared<TestRandom>("hostile"));
    if (name != "gh-mini") save(folder / (name + "-public.fhe"), keys.public_key);  // 300 kB
    save(folder / (name + "-secret.fhe"), keys.secret_key);
    save(folder / (name + "-ciphertexts.fhe"), encryptor.encrypt({true, false}), keys.public_key);
    if (name == "gh-mini") continue;  // no compressed ciphertexts
    const SecretEncryptor owner(keys.secret_key, open_backend(),
                                std::make_shared<TestRandom>("hostile"));
    save(folder / (name + "-compressed.fhe"), owner.encrypt({true, false}), keys.secret_key);
  }
  const fs::path key = folder / "cnt-mini-public.fhe";
  write_with_parameters(key, "\xC2\xB5=1", folder / "parameters-letter.fhe");
  write_with_parameters(key, "[[[5", folder / "parameters-brackets.fhe");
  write_with_parameters(key, "x=[ }", folder / "parameters-array.fhe");
  write_with_parameters(key, "[=]", folder / "parameters-header.fhe");
}

void write_numbers(const fs::path& folder) {
  const auto random = std::make_shared<TestRandom>("hostile");
  const she::SecretKey& key = hostile_slots_key();
  const she::CompressedSlots made =
      she::Encryptor(key, random).encrypt_compressed({{1, 2, 3, 4, 5}, {9}});
  save(folder / "she-mini-secret.fhe", key);
  save(folder / "she-mini-compressed.fhe", made, key.group());
  save(folder / "she-mini-ciphertexts.fhe", made.expand(key.group()), key.group());
  const she::KeyPair& keys = hostile_tally_keys();
  const she::PublicEncryptor encryptor(keys.public_key, open_backend(), random);
  save(folder / "tally-mini-public.fhe", keys.public_key);
  save(folder / "tally-mini-secret.fhe", keys.secret_key);
  save(folder / "tally-mini-ciphertexts.fhe", encryptor.encrypt_all({1, 0}),
       keys.public_key.group());
}

void write_checkpoint(const fs::path& path) {
  const CheckpointRun& run = checkpoint_run();
  const Evaluator evaluator(run.keys.public_key);
  static_cast<void>(run_circuit(run.circuit, evaluator, run.inputs, {.checkpoint = path}));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: fhe_hostile_write_seeds FOLDER\n", stderr);
    return 2;
  }
  try {
    const fs::path folder = argv[1];
    fs::create_directories(folder / "container");
    fs::create_directories(folder / "checkpoint");
    write_containers(folder / "container");
    write_numbers(folder / "container");
    write_checkpoint(folder / "checkpoint" / "run.cp");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fhe_hostile_write_seeds: %s\n", error.what());
    return 1;
  }
}

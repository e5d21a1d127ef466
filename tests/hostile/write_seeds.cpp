// SPDX-License-Identifier: Apache-2.0
// Writes the seeds that are containers: fhe_hostile_write_seeds FOLDER, with tests/data/hostile for
// those that are kept. To be used again when the format changes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/arith/registry.hpp"
#include "libfhe/circuit/program_files.hpp"
#include "libfhe/circuit/run.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/dghv/modulus_switch_files.hpp"
#include "libfhe/scheme/files.hpp"
#include "libfhe/scheme/she/files.hpp"
#include "tests/hostile/checkpoint_run.hpp"
#include "tests/hostile/container_image.hpp"
#include "tests/support/test_files.hpp"

namespace {

namespace fs = std::filesystem;
using namespace fhe;
using namespace fhe::hostile;

ContainerImage image_of(std::span<const std::byte> bytes) {
  return *ContainerImage::parse(
      {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void write_image(const fs::path& path, const ContainerImage& image) {
  const ContainerImage::Bytes bytes = image.bytes();
  const auto view = std::as_bytes(std::span(bytes));
  fhe::test::write_file(path, {view.begin(), view.end()});
}

// A public key whose section `params` holds this text.
void write_with_parameters(const fs::path& key, const std::string& text, const fs::path& path) {
  ContainerImage image = image_of(fhe::test::read_file(key));
  image.find("params")->contents.assign(text.begin(), text.end());
  image.fit_head();
  write_image(path, image);
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

// The keys of a rung, and the key that leads to it.
void write_rung(const fs::path& folder) {
  const dghv::Rung& rung = hostile_rung();
  save(folder / "container" / "rung-public.fhe", rung.public_key);
  save(folder / "container" / "rung-secret.fhe", rung.secret_key);
  save(folder / "switching_key" / "cnt-mini.fhe", rung.switch_key,
       hostile_keys().front().public_key);
}

// A secret key under a passphrase, with what is sealed in the clear (sealed_key.cpp), and its salt
// and nonce 0, so that it is the same in every run.
template <class Key>
void write_sealed(const fs::path& path, const Key& key) {
  constexpr std::size_t kSaltAt = 44;
  const Passphrase passphrase = hostile_passphrase();
  save(path, key, PassphraseLock{passphrase, {.log_n = 1, .r = 1, .p = 1}});
  ContainerImage image = image_of(fhe::test::read_file(path));
  ContainerImage::Bytes& lock = image.find("lock")->contents;
  std::fill(lock.begin() + kSaltAt, lock.end(), 0);
  image.find("sealed")->contents = sealed_contents(to_bytes(key));
  write_image(path, image);
}

void write_sealed_keys(const fs::path& folder) {
  write_sealed(folder / "cnt-mini.fhe", hostile_keys().front().secret_key);
  write_sealed(folder / "rung.fhe", hostile_rung().secret_key);
  write_sealed(folder / "she-mini.fhe", hostile_slots_key());
}

void write_programs(const fs::path& folder) {
  const CheckpointRun& run = checkpoint_run();
  const Evaluator evaluator(run.keys.public_key);
  save(folder / "products.fhe", CircuitProgram::compile(run.circuit, evaluator));
  // Every kind of gate, and every wire recrypted.
  std::vector<Gate> gates;
  for (std::size_t kind = 0; kind < kGateKinds; ++kind) {
    gates.push_back({static_cast<GateKind>(kind), {0, 1, 2}});
  }
  std::vector<Wire> outputs;
  for (std::size_t i = 0; i < gates.size(); ++i) outputs.push_back(static_cast<Wire>(3 + i));
  const Netlist every({{"in", 3}}, std::move(gates), {{"out", std::move(outputs)}});
  const std::vector<NoiseBound> fresh(3, evaluator.key().fresh_noise());
  save(folder / "every-gate.fhe", CircuitProgram::planned(every, ProgramKeys::of(evaluator), fresh,
                                                          std::vector<bool>(every.wires(), true),
                                                          every.wires(), every.wires()));
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
    for (const char* const own : {"checkpoint", "program", "sealed_key", "switching_key"}) {
      fs::create_directories(folder / own);
    }
    write_containers(folder / "container");
    write_numbers(folder / "container");
    write_checkpoint(folder / "checkpoint" / "run.cp");
    write_programs(folder / "program");
    write_rung(folder);
    write_sealed_keys(folder / "sealed_key");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fhe_hostile_write_seeds: %s\n", error.what());
    return 1;
  }
}

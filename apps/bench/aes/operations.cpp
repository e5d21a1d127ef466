// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/aes/operations.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "apps/bench/aes/byte_wise.hpp"
#include "apps/bench/aes/circuits.hpp"
#include "libfhe/fhe.hpp"

namespace fhe::bench {

namespace {

using Ciphertexts = std::vector<Ciphertext>;

// Key and first plaintext block of FIPS 197, appendix C.1.
constexpr AesBlock kKey{0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                        0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f};
constexpr AesBlock kPlain{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
                          0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff};

// Keys of the group and who uses them.
struct Actors {
  BackendPtr backend;
  KeyPair keys;
  Evaluator evaluator;

  Actors(const ParameterSet& group, const BackendPtr& used, KeyOptions options)
      : backend(used),
        keys(KeyGenerator(group, used, std::move(options)).generate()),
        evaluator(keys.public_key, used) {}

  [[nodiscard]] std::size_t slots() const { return keys.public_key.slots(); }

  // Ciphertexts of these rows of slots: the owner's, where there are such.
  [[nodiscard]] Ciphertexts encrypt(const std::vector<SlotBits>& rows) const {
    if (!sizes_of(keys.public_key.parameters())->compressed_bits) {
      return Encryptor(keys.public_key, backend).encrypt_slots(rows);
    }
    return expand(SecretEncryptor(keys.secret_key, backend).encrypt_slots(rows), keys.public_key);
  }

  // So many recrypted ciphertexts of a 1 in each slot.
  [[nodiscard]] Ciphertexts recrypted(std::size_t count) const {
    return {count, evaluator.recrypt(encrypt({SlotBits(slots(), true)}).front())};
  }
};

// The bits in all slots alike.
std::vector<SlotBits> in_all_slots(const std::vector<bool>& bits, std::size_t slots) {
  std::vector<SlotBits> rows;
  rows.reserve(bits.size());
  for (const bool bit : bits) rows.emplace_back(slots, bit);
  return rows;
}

// A block in each slot.
class StateWise {
 public:
  StateWise(const ParameterSet& group, const BackendPtr& backend)
      : actors_(group, backend, {}),
        inputs_(actors_.encrypt(in_all_slots(aes_inputs(kKey, kPlain), actors_.slots()))),
        two_states_(actors_.recrypted(2 * kStateBits)),
        state_(two_states_.begin(), two_states_.begin() + kStateBits),
        all_(program(aes_circuit(), inputs_)),
        add_round_key_(program(add_round_key_circuit(), two_states_)),
        sub_bytes_(program(sub_bytes_circuit(), state_)),
        mix_columns_(program(mix_columns_circuit(), state_)) {}

  void all() const { run(all_, inputs_); }
  void add_round_key() const { run(add_round_key_, two_states_); }
  void sub_bytes() const {
    static_cast<void>(actors_.evaluator.recrypt(run(sub_bytes_, state_).outputs));
  }
  void mix_columns() const { run(mix_columns_, state_); }

 private:
  static constexpr std::size_t kStateBits = 8 * kAesBytes;

  [[nodiscard]] CircuitProgram program(const Netlist& circuit, const Ciphertexts& inputs) const {
    std::vector<NoiseBound> noise;
    noise.reserve(inputs.size());
    for (const Ciphertext& c : inputs) noise.push_back(c.noise());
    return CircuitProgram::compile(circuit, actors_.evaluator, noise);
  }
  CircuitResult run(const CircuitProgram& program, const Ciphertexts& inputs) const {
    return run_circuit(program, actors_.evaluator, inputs);
  }

  Actors actors_;
  Ciphertexts inputs_;
  Ciphertexts two_states_;
  Ciphertexts state_;
  CircuitProgram all_;
  CircuitProgram add_round_key_;
  CircuitProgram sub_bytes_;
  CircuitProgram mix_columns_;
};

// A byte in each slot.
class ByteWise {
 public:
  ByteWise(const ParameterSet& group, const BackendPtr& backend)
      : actors_(group, backend, {byte_wise_permutations(sizes_of(group)->slots)}),
        aes_(actors_.evaluator),
        plain_(in_all_blocks(kPlain)),
        state_(actors_.recrypted(8)) {
    for (const AesBlock& key : aes_round_keys(kKey)) keys_.push_back(in_all_blocks(key));
  }

  void all() const { static_cast<void>(aes_.encrypt(plain_, keys_)); }
  void add_round_key() const { static_cast<void>(aes_.add_round_key(state_, state_)); }
  void sub_bytes() const { static_cast<void>(aes_.shift_rows(aes_.sub_bytes(state_))); }
  void mix_columns() const { static_cast<void>(aes_.mix_columns(state_, state_)); }

 private:
  [[nodiscard]] Ciphertexts in_all_blocks(const AesBlock& block) const {
    const std::vector<AesBlock> blocks(byte_wise_blocks(actors_.slots()), block);
    return actors_.encrypt(byte_wise_rows(blocks, actors_.slots()));
  }

  Actors actors_;
  ByteWiseAes aes_;
  Ciphertexts plain_;
  std::vector<Ciphertexts> keys_;
  Ciphertexts state_;
};

// The steps and the whole of one of the two, which is made on first use.
template <class Form>
std::vector<Operation> operations_of_form(std::string_view name, const ParameterSet& group,
                                          const BackendPtr& backend, std::size_t blocks) {
  const auto form = std::make_shared<std::optional<Form>>();
  const auto operation = [&](std::string_view step, std::string unit, void (Form::*run)() const) {
    return Operation{.name = fmt::format("aes_{}{}", name, step),
                     .unit = std::move(unit),
                     .run = [=] { (**form.*run)(); },
                     .prepare =
                         [=] {
                           if (!*form) form->emplace(group, backend);
                         }};
  };
  const std::string round = fmt::format("a round of {} block{}", blocks, blocks == 1 ? "" : "s");
  std::vector<Operation> operations{
      operation("_add_round_key", round, &Form::add_round_key),
      operation("_sub_bytes", round, &Form::sub_bytes),
      operation("_mix_columns", round, &Form::mix_columns),
      operation("", fmt::format("per block, {} at once", blocks), &Form::all)};
  operations.back().per_run = blocks;
  return operations;
}

}  // namespace

std::vector<Operation> aes_operations(const ParameterSet& group, const BackendPtr& backend) {
  require_family(group, GroupPurpose::scheme);
  const std::size_t slots = sizes_of(group)->slots;
  std::vector<Operation> operations = operations_of_form<StateWise>("state", group, backend, slots);
  if (const std::size_t blocks = byte_wise_blocks(slots); blocks > 0) {
    const auto more = operations_of_form<ByteWise>("bytes", group, backend, blocks);
    operations.insert(operations.end(), more.begin(), more.end());
  }
  return operations;
}

}  // namespace fhe::bench

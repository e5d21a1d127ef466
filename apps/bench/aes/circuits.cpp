// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/aes/circuits.hpp"

#include <span>
#include <string>

#include "apps/bench/aes/bytes.hpp"
#include "libfhe/circuit/bits.hpp"
#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/netlist_files.hpp"

namespace fhe::bench {

namespace {

using Byte = std::vector<Wire>;
using State = std::array<Byte, kAesBytes>;

State input_state(NetlistBuilder& builder, const std::string& name) {
  const std::vector<Wire> bits = builder.input(name, 8 * kAesBytes);
  State state;
  for (std::size_t i = 0; i < bits.size(); ++i) state.at(i / 8).push_back(bits[i]);
  return state;
}

void output_state(NetlistBuilder& builder, const std::string& name, const State& state) {
  std::vector<Wire> bits;
  bits.reserve(8 * kAesBytes);
  for (const Byte& byte : state) bits.insert(bits.end(), byte.begin(), byte.end());
  builder.output(name, std::move(bits));
}

State add_round_key(NetlistBuilder& builder, const State& state, const State& key) {
  State result;
  for (std::size_t i = 0; i < kAesBytes; ++i) {
    result.at(i) = sum(builder, state.at(i), key.at(i));
  }
  return result;
}

State sub_bytes(NetlistBuilder& builder, State state) {
  for (Byte& byte : state) byte = evaluate(aes_sbox(), builder, std::move(byte));
  return state;
}

State shift_rows(const State& state) {
  State result;
  const auto sources = shift_rows_sources();
  for (std::size_t i = 0; i < kAesBytes; ++i) result.at(i) = state.at(sources.at(i));
  return result;
}

State mix_columns(NetlistBuilder& builder, const State& state) {
  State result;
  for (std::size_t c = 0; c < 4; ++c) {
    const auto pair = [&](std::size_t r) {
      return sum(builder, state.at(4 * c + r % 4), state.at(4 * c + (r + 1) % 4));
    };
    const Byte column = sum(builder, pair(0), pair(2));
    for (std::size_t r = 0; r < 4; ++r) {
      result.at(4 * c + r) = mixed(builder, state.at(4 * c + r), pair(r), column);
    }
  }
  return result;
}

// The S-box on one byte.
unsigned char substituted(unsigned char byte) {
  const PlainBits plain;
  std::vector<bool> bits;
  for (unsigned i = 0; i < 8; ++i) bits.push_back((byte >> i & 1) != 0);
  unsigned result = 0;
  const std::vector<bool> outputs = evaluate(aes_sbox(), plain, std::move(bits));
  for (unsigned i = 0; i < 8; ++i) result |= static_cast<unsigned>(outputs[i]) << i;
  return static_cast<unsigned char>(result);
}

}  // namespace

std::array<std::size_t, kAesBytes> shift_rows_sources() {
  std::array<std::size_t, kAesBytes> sources{};
  for (std::size_t c = 0; c < 4; ++c) {
    for (std::size_t r = 0; r < 4; ++r) sources.at(4 * c + r) = 4 * ((c + r) % 4) + r;
  }
  return sources;
}

const Netlist& aes_sbox() {
  static const Netlist sbox =
      load_netlist(Source(std::as_bytes(std::span(aes_sbox_blif())), "sbox.blif"));
  return sbox;
}

Netlist aes_circuit() {
  NetlistBuilder builder;
  State state = input_state(builder, "state");
  state = add_round_key(builder, state, input_state(builder, "key0"));
  for (std::size_t round = 1; round <= kAesRounds; ++round) {
    state = shift_rows(sub_bytes(builder, std::move(state)));
    if (round < kAesRounds) state = mix_columns(builder, state);
    state = add_round_key(builder, state, input_state(builder, "key" + std::to_string(round)));
  }
  output_state(builder, "block", state);
  return builder.build();
}

Netlist add_round_key_circuit() {
  NetlistBuilder builder;
  const State state = input_state(builder, "state");
  output_state(builder, "state", add_round_key(builder, state, input_state(builder, "key")));
  return builder.build();
}

Netlist sub_bytes_circuit() {
  NetlistBuilder builder;
  output_state(builder, "state", sub_bytes(builder, input_state(builder, "state")));
  return builder.build();
}

Netlist mix_columns_circuit() {
  NetlistBuilder builder;
  const State state = input_state(builder, "state");
  output_state(builder, "state", mix_columns(builder, shift_rows(state)));
  return builder.build();
}

std::vector<bool> aes_bits(const AesBlock& block) {
  std::vector<bool> bits;
  bits.reserve(8 * kAesBytes);
  for (const unsigned char byte : block) {
    for (unsigned i = 0; i < 8; ++i) bits.push_back((byte >> i & 1) != 0);
  }
  return bits;
}

std::vector<AesBlock> aes_round_keys(const AesBlock& key) {
  std::vector<AesBlock> keys{key};
  unsigned constant = 1;
  while (keys.size() <= kAesRounds) {
    const AesBlock last = keys.back();
    AesBlock next{};
    for (std::size_t i = 0; i < kAesBytes; ++i) {
      const unsigned char before = i < 4 ? substituted(last.at(12 + (i + 1) % 4)) : next.at(i - 4);
      next.at(i) = static_cast<unsigned char>(last.at(i) ^ before ^ (i == 0 ? constant : 0));
    }
    constant = constant << 1 ^ (constant >= 0x80 ? 0x11b : 0);
    keys.push_back(next);
  }
  return keys;
}

std::vector<bool> aes_inputs(const AesBlock& key, const AesBlock& plain) {
  std::vector<bool> bits = aes_bits(plain);
  for (const AesBlock& round_key : aes_round_keys(key)) {
    const std::vector<bool> more = aes_bits(round_key);
    bits.insert(bits.end(), more.begin(), more.end());
  }
  return bits;
}

}  // namespace fhe::bench

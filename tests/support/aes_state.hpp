// SPDX-License-Identifier: Apache-2.0
// AES-128 as a circuit on its state, with the round keys as inputs: FIPS 197, with the S-box of a
// circuit file. In batch DGHV one run of it encrypts a block in each slot ("state-wise" in ePrint
// 2013/036, whose round keys come encrypted as well).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "libfhe/circuit/builder.hpp"
#include "libfhe/circuit/netlist.hpp"
#include "tests/support/aes_reference.hpp"
#include "tests/support/circuits.hpp"

namespace fhe::test {

inline constexpr std::size_t kAesRounds = 10;

// Builds the circuit, byte by byte; bit 0 of a byte is its lowest.
class AesStateBuilder {
 public:
  explicit AesStateBuilder(const Netlist& sbox) : sbox_(sbox) {}

  // Inputs `state` (128 bits) and `key0` to `key10`, output `block`.
  [[nodiscard]] Netlist build() {
    State state = bytes_of(builder_.input("state", 128));
    std::vector<State> keys;
    for (std::size_t round = 0; round <= kAesRounds; ++round) {
      keys.push_back(bytes_of(builder_.input("key" + std::to_string(round), 128)));
    }
    state = sum(state, keys[0]);
    for (std::size_t round = 1; round <= kAesRounds; ++round) {
      for (Byte& byte : state) byte = evaluate(sbox_, builder_, std::move(byte));
      state = shift_rows(state);
      if (round < kAesRounds) state = mix_columns(state);
      state = sum(state, keys[round]);
    }
    std::vector<Wire> block;
    for (const Byte& byte : state) block.insert(block.end(), byte.begin(), byte.end());
    builder_.output("block", block);
    return builder_.build();
  }

 private:
  using Byte = std::vector<Wire>;
  using State = std::array<Byte, 16>;  // byte 4 c + r: column c, row r

  static State bytes_of(const std::vector<Wire>& bits) {
    State state;
    for (std::size_t i = 0; i < bits.size(); ++i) state.at(i / 8).push_back(bits[i]);
    return state;
  }

  Byte sum(const Byte& x, const Byte& y) {
    Byte result;
    for (std::size_t i = 0; i < 8; ++i) result.push_back(builder_.xor_gate(x[i], y[i]));
    return result;
  }
  State sum(const State& x, const State& y) {
    State result;
    for (std::size_t i = 0; i < 16; ++i) result.at(i) = sum(x.at(i), y.at(i));
    return result;
  }

  static State shift_rows(const State& state) {
    State result;
    for (std::size_t c = 0; c < 4; ++c) {
      for (std::size_t r = 0; r < 4; ++r) result.at(4 * c + r) = state.at(4 * ((c + r) % 4) + r);
    }
    return result;
  }

  // Times x modulo x^8 + x^4 + x^3 + x + 1.
  Byte doubled(const Byte& byte) {
    Byte result(8);
    for (std::size_t i = 0; i < 8; ++i) {
      const bool is_reduced = i == 1 || i == 3 || i == 4;
      const Wire shifted = byte[(i + 7) % 8];
      result[i] = is_reduced ? builder_.xor_gate(shifted, byte[7]) : shifted;
    }
    return result;
  }

  // 2 a_r + 3 a_(r+1) + a_(r+2) + a_(r+3) = 2 (a_r + a_(r+1)) + a_r + the sum of the column.
  State mix_columns(const State& state) {
    State result;
    for (std::size_t c = 0; c < 4; ++c) {
      const auto at = [&](std::size_t r) -> const Byte& { return state.at(4 * c + r % 4); };
      const Byte column = sum(sum(at(0), at(1)), sum(at(2), at(3)));
      for (std::size_t r = 0; r < 4; ++r) {
        result.at(4 * c + r) = sum(sum(doubled(sum(at(r), at(r + 1))), at(r)), column);
      }
    }
    return result;
  }

  const Netlist& sbox_;
  NetlistBuilder builder_;
};

inline std::vector<bool> aes_bits(const AesBlock& block) {
  std::vector<bool> bits;
  for (const unsigned char byte : block) {
    for (unsigned i = 0; i < 8; ++i) bits.push_back((byte >> i & 1) != 0);
  }
  return bits;
}

// The round keys of a key: the key schedule of FIPS 197, on plain bytes.
inline std::vector<AesBlock> aes_round_keys(const AesBlock& key, const Netlist& sbox) {
  const auto substituted = [&](unsigned char byte) {
    return static_cast<unsigned char>(number_of(evaluate_plain(sbox, bits_of(byte, 8))));
  };
  std::vector<AesBlock> keys{key};
  unsigned constant = 1;
  while (keys.size() <= kAesRounds) {
    const AesBlock last = keys.back();
    AesBlock next{};
    for (std::size_t i = 0; i < 16; ++i) {
      const unsigned char before = i < 4 ? substituted(last.at(12 + (i + 1) % 4)) : next.at(i - 4);
      next.at(i) = static_cast<unsigned char>(last.at(i) ^ before ^ (i == 0 ? constant : 0));
    }
    constant = constant << 1 ^ (constant >= 0x80 ? 0x11b : 0);
    keys.push_back(next);
  }
  return keys;
}

// All inputs of the circuit.
inline std::vector<bool> aes_inputs(const AesBlock& key, const AesBlock& plain,
                                    const Netlist& sbox) {
  std::vector<bool> bits = aes_bits(plain);
  for (const AesBlock& round_key : aes_round_keys(key, sbox)) {
    const std::vector<bool> more = aes_bits(round_key);
    bits.insert(bits.end(), more.begin(), more.end());
  }
  return bits;
}

}  // namespace fhe::test

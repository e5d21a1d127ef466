// SPDX-License-Identifier: Apache-2.0
// AES-128 (FIPS 197) as circuits on the 128 bits of its state. The round keys are inputs, as in
// ePrint 2013/036, section 6, where the client sends them encrypted. In batch DGHV one run encrypts
// a block in each slot ("state-wise" there).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "libfhe/circuit/netlist.hpp"

namespace fhe::bench {

inline constexpr std::size_t kAesRounds = 10;
inline constexpr std::size_t kAesBytes = 16;

// Byte 4 c + r is that of column c and row r.
using AesBlock = std::array<unsigned char, kAesBytes>;

// Where ShiftRows takes each byte from.
[[nodiscard]] std::array<std::size_t, kAesBytes> shift_rows_sources();

// The S-box of Boyar and Peralta: 8 bits to 8 bits with 32 ANDs (sbox.blif).
[[nodiscard]] const Netlist& aes_sbox();
[[nodiscard]] std::string_view aes_sbox_blif();

// All rounds: inputs `state` and `key0` to `key10` of 128 bits, output `block`. Bit 8 i + j of a
// word is bit j of byte i.
[[nodiscard]] Netlist aes_circuit();

// The steps of a round, from `state` to `state`; the last one with ShiftRows before it.
[[nodiscard]] Netlist add_round_key_circuit();  // and `key`
[[nodiscard]] Netlist sub_bytes_circuit();
[[nodiscard]] Netlist mix_columns_circuit();

// The bits of a block, and the round keys of a key (FIPS 197, section 5.2).
[[nodiscard]] std::vector<bool> aes_bits(const AesBlock& block);
[[nodiscard]] std::vector<AesBlock> aes_round_keys(const AesBlock& key);

// The inputs of aes_circuit().
[[nodiscard]] std::vector<bool> aes_inputs(const AesBlock& key, const AesBlock& plain);

}  // namespace fhe::bench

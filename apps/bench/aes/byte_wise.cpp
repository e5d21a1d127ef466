// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/aes/byte_wise.hpp"

#include <cstdint>
#include <numeric>
#include <utility>

#include "apps/bench/aes/bytes.hpp"
#include "libfhe/circuit/run.hpp"

namespace fhe::bench {

namespace {

// The places of byte_wise_permutations().
constexpr std::size_t kShiftRows = 0;
constexpr std::size_t kShiftRowsAndUp = 1;
constexpr std::size_t kTwoUp = 2;

// For each byte of a block the byte `rows` further down in its column.
std::array<std::size_t, kAesBytes> sources_below(std::size_t rows) {
  std::array<std::size_t, kAesBytes> sources{};
  for (std::size_t i = 0; i < kAesBytes; ++i) sources.at(i) = i / 4 * 4 + (i + rows) % 4;
  return sources;
}

std::array<std::size_t, kAesBytes> shifted_sources_below(std::size_t rows) {
  std::array<std::size_t, kAesBytes> sources = sources_below(rows);
  for (std::size_t& source : sources) source = shift_rows_sources().at(source);
  return sources;
}

// The same in every block.
SlotPermutation in_blocks(std::size_t slots, const std::array<std::size_t, kAesBytes>& sources) {
  std::vector<std::uint32_t> all(slots);
  std::iota(all.begin(), all.end(), 0U);
  for (std::size_t j = 0; j < byte_wise_blocks(slots) * kAesBytes; ++j) {
    all[j] = static_cast<std::uint32_t>(j / kAesBytes * kAesBytes + sources.at(j % kAesBytes));
  }
  return SlotPermutation(std::move(all));
}

}  // namespace

std::size_t byte_wise_blocks(std::size_t slots) {
  return slots / kAesBytes;
}

std::vector<SlotPermutation> byte_wise_permutations(std::size_t slots) {
  return {in_blocks(slots, shift_rows_sources()), in_blocks(slots, shifted_sources_below(1)),
          in_blocks(slots, sources_below(2))};
}

std::vector<SlotBits> byte_wise_rows(std::span<const AesBlock> blocks, std::size_t slots) {
  std::vector<SlotBits> rows(8, SlotBits(slots));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const std::vector<bool> bits = aes_bits(blocks[k]);
    for (std::size_t i = 0; i < bits.size(); ++i) rows[i % 8][k * kAesBytes + i / 8] = bits[i];
  }
  return rows;
}

std::vector<AesBlock> byte_wise_blocks_of(const std::vector<SlotBits>& rows) {
  std::vector<AesBlock> blocks(byte_wise_blocks(rows.front().size()));
  for (std::size_t j = 0; j < blocks.size() * kAesBytes; ++j) {
    unsigned byte = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) byte |= static_cast<unsigned>(rows[i][j]) << i;
    blocks[j / kAesBytes].at(j % kAesBytes) = static_cast<unsigned char>(byte);
  }
  return blocks;
}

ByteWiseAes::ByteWiseAes(const Evaluator& evaluator)
    : evaluator_(evaluator),
      permutations_(byte_wise_permutations(evaluator.public_key().slots())) {}

ByteWiseAes::State ByteWiseAes::add_round_key(const State& state, const State& key) const {
  return sum(evaluator_, state, key);
}

ByteWiseAes::State ByteWiseAes::sub_bytes(const State& state) const {
  return run_circuit(aes_sbox(), evaluator_, state).outputs;
}

ByteWiseAes::State ByteWiseAes::shift_rows(const State& substituted) const {
  return evaluator_.permute(substituted, permutations_[kShiftRows]);
}

ByteWiseAes::State ByteWiseAes::mix_columns(const State& substituted, const State& shifted) const {
  const State below = evaluator_.permute(substituted, permutations_[kShiftRowsAndUp]);
  const State pair = sum(evaluator_, shifted, below);
  const State column = sum(evaluator_, pair, evaluator_.permute(pair, permutations_[kTwoUp]));
  return mixed(evaluator_, shifted, pair, column);
}

ByteWiseAes::State ByteWiseAes::encrypt(State state, std::span<const State> keys) const {
  state = add_round_key(state, keys[0]);
  for (std::size_t round = 1; round <= kAesRounds; ++round) {
    const State substituted = sub_bytes(state);
    state = shift_rows(substituted);
    if (round < kAesRounds) state = mix_columns(substituted, state);
    state = add_round_key(state, keys[round]);
  }
  return state;
}

}  // namespace fhe::bench

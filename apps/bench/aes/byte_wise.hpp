// SPDX-License-Identifier: Apache-2.0
// AES-128 with a byte of the state in each slot ("byte-wise" in ePrint 2013/036, section 6): eight
// ciphertexts hold as many blocks as there are times sixteen slots, and bytes move by permutations.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "apps/bench/aes/circuits.hpp"
#include "libfhe/gate/evaluator.hpp"
#include "libfhe/scheme/slots.hpp"

namespace fhe::bench {

// The blocks that fit into so many slots: slots / 16.
[[nodiscard]] std::size_t byte_wise_blocks(std::size_t slots);

// The permutations that the key must hold (KeyOptions): ShiftRows; ShiftRows, and from each row to
// the one above; two rows up. Slot 16 k + i has byte i of block k, and slots behind the last block
// keep what they have. Requires room for a block.
[[nodiscard]] std::vector<SlotPermutation> byte_wise_permutations(std::size_t slots);

// Bit i of all bytes of the blocks, one byte a slot and 0 behind them; and the blocks again.
// Require as many blocks as fit.
[[nodiscard]] std::vector<SlotBits> byte_wise_rows(std::span<const AesBlock> blocks,
                                                   std::size_t slots);
[[nodiscard]] std::vector<AesBlock> byte_wise_blocks_of(const std::vector<SlotBits>& rows);

// The steps on encrypted states. A value; the evaluator's key holds the permutations.
class ByteWiseAes {
 public:
  // Eight ciphertexts: those of bit 0 first.
  using State = std::vector<Ciphertext>;

  explicit ByteWiseAes(const Evaluator& evaluator);

  [[nodiscard]] State add_round_key(const State& state, const State& key) const;
  // SubBytes. The result has the noise that the S-box leaves: each of the two steps below
  // recrypts it.
  [[nodiscard]] State sub_bytes(const State& state) const;
  // ShiftRows: eight recryptions.
  [[nodiscard]] State shift_rows(const State& substituted) const;
  // MixColumns of `shifted`, which is shift_rows(substituted): sixteen recryptions. With
  // b = a_r + a_(r+1) the column's sum is b and b two rows up, so two permutations do, not three.
  [[nodiscard]] State mix_columns(const State& substituted, const State& shifted) const;

  // All rounds, with the eleven round keys.
  [[nodiscard]] State encrypt(State state, std::span<const State> keys) const;

 private:
  Evaluator evaluator_;
  std::vector<SlotPermutation> permutations_;
};

}  // namespace fhe::bench

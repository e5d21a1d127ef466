// SPDX-License-Identifier: Apache-2.0
// A ciphertext that is refreshed once, however many gates of an Evaluator use it. Bit and Word
// (circuit/bit.hpp, circuit/word.hpp) hold the bits of an Evaluator in it.
//
//   const SharedCiphertext a(ciphertext_a), b(ciphertext_b), c(ciphertext_c);
//   const SharedCiphertext ab = evaluator.and_gate(a, b);  // recrypts a and b
//   const SharedCiphertext ac = evaluator.and_gate(a, c);  // recrypts c alone
//
// Recryptions of operators on words at cnt-toy, with ciphertexts that forget, with these, and in a
// plan that knows what comes (circuit/compute.hpp):
//   two sets of 8 items of 12 bits intersected   1520    992    944
//   |x - y| and min(x, y), 16 bits                188    122     76
//   x * y, 8 bits                                 114     58     58
//   x + y, 32 bits                                 62     62     62
//   x < y, 32 bits                                 64     64     64
#pragma once

#include <memory>
#include <utility>

#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/scheme/ciphertext.hpp"

namespace fhe {

class SharedCell;

// An encrypted bit whose copies share one ciphertext: that of the least noise which a gate has made
// of it so far. The bit never changes. So a copy costs a pointer, and const objects may be shared
// by threads like others; threads that need the same bit refreshed at the same moment may each
// refresh it. The sum (XOR, NOT) of up to eight others keeps these alive, since refreshing them may
// serve more gates than refreshing the sum; once it was refreshed itself, it lets them go.
class FHE_EXPORT SharedCiphertext {
 public:
  // Checked, like any ciphertext, by the gate that it meets.
  explicit SharedCiphertext(Ciphertext c);

  // A ciphertext of the bit, with the least noise that is known at this moment.
  explicit operator Ciphertext() const;

 private:
  friend class Evaluator;
  explicit SharedCiphertext(std::shared_ptr<SharedCell> cell)
      : cell_("the ciphertext", std::move(cell)) {}

  HeldPtr<SharedCell> cell_;
};

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
// Encryptions of the library by super_size_encrypt, in the published clocks.
#pragma once

#include <cstddef>
#include <string>

#include "tests/accel/fpga/rtl/encryptions.hpp"
#include "tests/accel/fpga/rtl/super_size.hpp"

namespace fhe::test {

// Of theta + 2 products, as the paper counts them: 8 X Y and the fill of the pipeline, on average;
// and by the law of the shortest schedule, where that was taken.
inline void check_clocks(const SuperSizeShape& shape, const SuperSizeResult& result,
                         const Encryption& e, const SuperSizeOptions& options,
                         std::size_t tolerance) {
  const std::size_t blocks = shape.blocks(e.element_bits, e.weight_bits);
  INFO(result.clocks << " clocks, " << e.count() << " terms of " << blocks);
  CHECK(result.clocks >= e.count() * (blocks + 9));
  CHECK(result.clocks <= (e.count() + 2) * (blocks + shape.published_fill() + tolerance));
  if (options.long_reciprocal || !options.overlap) return;
  constexpr std::size_t kMargin = 16;
  const std::size_t law = shape.encryption(e.count(), e.element_bits, e.weight_bits);
  CHECK(result.clocks <= law + kMargin);
  CHECK(result.clocks + kMargin >= law);
}

template <class Model>
void check_cnt(SuperSizeMachine<Model>& machine, const std::string& group,
               const SuperSizeOptions& options) {
  const LibraryEncryption cnt = cnt_encryption(group);
  const SuperSizeResult result = machine.encrypt(cnt.encryption, options);
  CHECK(result.value == cnt.ciphertext);
  check_clocks(machine.shape(), result, cnt.encryption, options, 40);
}

// With the products of pairs made beforehand, as in the published clocks.
template <class Model>
void check_cmnt(SuperSizeMachine<Model>& machine, const std::string& group,
                const SuperSizeOptions& options) {
  const LibraryEncryption cmnt = cmnt_encryption(group);
  const Encryption pairs = of_pairs(cmnt.encryption);
  const SuperSizeResult result = machine.encrypt(pairs, options);
  CHECK(result.value == cmnt.ciphertext);
  check_clocks(machine.shape(), result, pairs, options, 105);
}

}  // namespace fhe::test

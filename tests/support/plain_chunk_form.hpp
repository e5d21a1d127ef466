// SPDX-License-Identifier: Apache-2.0
// A form in chunks of any shape, word by word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include <gmp.h>

#include "libfhe/arith/chunk_form.hpp"
#include "libfhe/secret/vector.hpp"

namespace fhe::test {

class PlainChunkForm final : public ChunkForm {
 public:
  PlainChunkForm(std::size_t slices, std::size_t chunks, std::size_t chunk_limbs)
      : PlainChunkForm({slices, chunks, chunk_limbs, 2 * chunk_limbs + 1}) {}

  // Requires sums of at least 2 * chunk_limbs limbs, and that they fit.
  explicit PlainChunkForm(const Shape& shape)
      : shape_(shape), weights_(shape.chunks * shape.chunk_limbs) {}

  [[nodiscard]] Shape shape() const override { return shape_; }

  void set_weight(std::size_t index, std::span<const Limb> weight) override {
    std::ranges::copy(weight, weights_.data() + index * shape_.chunk_limbs);
  }

  void sums(const Integer& x, std::span<Limb> sums) const override {
    std::ranges::fill(sums, Limb{0});
    const auto limbs = limbs_of(x);
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      const std::size_t chunk = i / shape_.chunk_limbs;
      const Limb* const weight = weights_.data() + chunk % shape_.chunks * shape_.chunk_limbs;
      Limb* const target = sums.data() + chunk / shape_.chunks * shape_.sum_limbs;
      add_multiple(target + i % shape_.chunk_limbs, target + shape_.sum_limbs, weight, limbs[i]);
    }
  }

 private:
  // From `target` on, up to `end`: += weight * factor, in time that tells nothing of the values.
  void add_multiple(Limb* target, const Limb* end, const Limb* weight, Limb factor) const {
    const auto size = static_cast<mp_size_t>(shape_.chunk_limbs);
    const Limb carry = mpn_addmul_1(target, weight, size, factor);
    const auto rest = static_cast<mp_size_t>(end - target) - size;
    SecretVector<Limb> scratch(static_cast<std::size_t>(mpn_sec_add_1_itch(rest)));
    mpn_sec_add_1(target + size, target + size, rest, carry, scratch.data());
  }

  Shape shape_;
  SecretVector<Limb> weights_;
};

}  // namespace fhe::test

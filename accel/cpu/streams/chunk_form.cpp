// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/streams/chunk_form.hpp"

#include <algorithm>

#include "accel/cpu/streams/karatsuba_pass.hpp"

namespace fhe::cpu {

namespace {

class LaneChunkForm final : public ChunkForm {
 public:
  LaneChunkForm(std::size_t chunks, const KaratsubaKernel& kernel)
      : kernel_(kernel), chunks_(chunks), weights_(kernel, slots_for_sums(1), chunks) {}

  [[nodiscard]] Shape shape() const override {
    return {.slices = kLanes,
            .chunks = chunks_,
            .chunk_limbs = kernel_.chunk_rows,
            .sum_limbs = kernel_.result_rows};
  }

  void set_weight(std::size_t index, std::span<const Limb> weight) override {
    weights_.set(index, std::span(&weight, 1));
  }

  void sums(const Integer& x, std::span<Limb> sums) const override;

 private:
  const KaratsubaKernel& kernel_;
  std::size_t chunks_;
  WeightTable weights_;
};

void LaneChunkForm::sums(const Integer& x, std::span<Limb> sums) const {
  const auto limbs = limbs_of(x);
  LaneBuffer words(kernel_.chunk_rows * kLanes);
  LaneBuffer pieces(kernel_.piece_rows * kLanes);
  LaneBuffer products(kernel_.sum_rows * kLanes);
  for (std::size_t index = 0; index < chunks_; ++index) {
    if (index % kernel_.terms_between_carries == 0) kernel_.normalise(kernel_, products.data());
    const std::size_t rows = kernel_.chunk_rows;
    gather_chunks(limbs.subspan(std::min(index * rows, limbs.size())), chunks_ * rows, rows, words);
    kernel_.evaluate(words.data(), pieces.data());
    const std::uint64_t* const weight = weights_.at(index);
    kernel_.accumulate(products.data(), pieces.data(), &weight, 1, 1, 1);
  }
  LaneBuffer rows(kernel_.result_rows * kLanes);
  kernel_.interpolate(kernel_, products.data(), rows.data());
  const std::size_t sum_limbs = kernel_.result_rows;
  for (std::size_t row = 0; row < sum_limbs; ++row) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane * sum_limbs + row] = rows[row * kLanes + lane];
    }
  }
}

}  // namespace

std::unique_ptr<ChunkForm> lane_chunk_form(std::size_t bits, const KaratsubaKernel& kernel) {
  const std::size_t slice_bits = kLanes * kernel.chunk_bits;
  return std::make_unique<LaneChunkForm>((bits + slice_bits - 1) / slice_bits, kernel);
}

}  // namespace fhe::cpu

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "accel/cpu/streams/karatsuba_pass.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::cpu {

namespace {

// W_0, W_1, ..., as they are needed for `chunks` chunks.
WeightTable powers(const Integer& modulus, const KaratsubaKernel& kernel, std::size_t chunks) {
  WeightTable table(kernel, slots_for_sums(1), chunks);
  SecretIntegers weights(kLanes);
  SecretInteger shifted(1);
  for (std::size_t first = 0; first < chunks; first += kLanes) {
    const std::size_t count = std::min(kLanes, chunks - first);
    for (std::size_t j = 0; j < count; ++j) {
      mpz_tdiv_r(weights[j].get_mpz_t(), shifted.value().get_mpz_t(), modulus.get_mpz_t());
      mpz_mul_2exp(shifted.value().get_mpz_t(), weights[j].get_mpz_t(), kernel.chunk_bits);
    }
    table.set(first, weights.span().first(count));
  }
  return table;
}

}  // namespace

std::vector<Integer> lane_residues(const LaneStream& stream, const Integer& modulus,
                                   const KaratsubaKernel& kernel, const Backend& backend,
                                   const Monitor& monitor) {
  const std::size_t chunks = (stream.bits() + kernel.chunk_bits - 1) / kernel.chunk_bits;
  const std::size_t chunk_blocks = kernel.chunk_bits / 128;
  const WeightTable table = powers(modulus, kernel, chunks);
  const LaneBuffer last_mask =
      stream.end_mask((chunks - 1) * kernel.chunk_bits, 0, kernel.chunk_rows);
  const std::size_t groups = (stream.count() + kLanes - 1) / kLanes;
  std::vector<Integer> residues(stream.count());
  Progress progress(monitor, "residues", stream.count());
  parallel_for(groups, [&](std::size_t group) {
    // Terms after which a pass looks at the stop token.
    constexpr std::size_t kStopChunks = 64;
    const std::size_t first = group * kLanes;
    const std::size_t count = std::min(kLanes, stream.count() - first);
    KaratsubaPass pass(kernel, std::span(&table, 1));
    for (std::size_t j = 0; j + 1 < chunks; j += kStopChunks) {
      monitor.throw_if_stopped();
      pass.add(stream.key(), {stream.elements(first, j * chunk_blocks), 0, chunk_blocks, nullptr},
               j, std::min(kStopChunks, chunks - 1 - j));
    }
    monitor.throw_if_stopped();
    pass.add(stream.key(),
             {stream.elements(first, (chunks - 1) * chunk_blocks), 0, 0, last_mask.data()},
             chunks - 1, 1);
    const std::uint64_t* words = pass.finish(0);
    for (std::size_t lane = 0; lane < count; ++lane) {
      SecretInteger sum;
      const auto limbs = static_cast<mp_size_t>(kernel.result_rows);
      mp_limb_t* const target = mpz_limbs_write(sum.value().get_mpz_t(), limbs);
      for (std::size_t row = 0; row < kernel.result_rows; ++row) {
        target[row] = words[row * kLanes + lane];
      }
      mpz_limbs_finish(sum.value().get_mpz_t(), limbs);
      residues[first + lane] = sum.value() % modulus;
    }
    backend.counters().count_stream_bytes(count * stream.bytes_in(0, chunks * kernel.chunk_bits));
    progress.advance(count);
  });
  return residues;
}

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

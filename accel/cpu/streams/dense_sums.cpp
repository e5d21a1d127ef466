// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "accel/cpu/streams/grouped_sums.hpp"
#include "accel/cpu/streams/karatsuba_pass.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe::cpu {

namespace {

std::vector<WeightTable> evaluated(std::span<const DenseWeights> batch,
                                   const KaratsubaKernel& kernel, std::size_t count) {
  constexpr std::size_t kSpan = 2 * kLanes;  // weights in one step of the parallel loop
  const std::size_t spans = (count + kSpan - 1) / kSpan;
  const std::size_t slots = slots_for_sums(batch.size());
  std::vector<WeightTable> tables;
  for (std::size_t b = 0; b < batch.size(); ++b) tables.emplace_back(kernel, slots, count);
  parallel_for(batch.size() * spans, [&](std::size_t step) {
    const std::size_t b = step / spans;
    const std::size_t begin = step % spans * kSpan;
    const std::size_t end = std::min(begin + kSpan, count);
    for (std::size_t first = begin; first < end; first += kLanes) {
      tables[b].set(first, std::span(batch[b]).subspan(first, std::min(kLanes, end - first)));
    }
  });
  return tables;
}

// Sums by column groups of eight chunks. `add_terms(pass, group)` adds all terms of a group.
template <class AddTerms>
std::vector<Integer> sums_of_groups(std::span<const WeightTable> tables,
                                    const KaratsubaKernel& kernel, std::size_t bits,
                                    const Monitor& monitor, const AddTerms& add_terms) {
  const std::size_t group_limbs = kLanes * kernel.chunk_rows;
  const std::size_t groups = (limbs_for_bits(bits) + group_limbs - 1) / group_limbs;
  OverlappingSums sums(tables.size(), groups, group_limbs,
                       (kLanes - 1) * kernel.chunk_rows + kernel.result_rows + 1);
  Progress progress(monitor, "weighted sums", groups);
  parallel_for(groups, [&](std::size_t group) {
    KaratsubaPass pass(kernel, tables);
    add_terms(pass, group);
    for (std::size_t b = 0; b < tables.size(); ++b) {
      const std::uint64_t* words = pass.finish(b);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        add_lane(sums.part(b, group).subspan(lane * kernel.chunk_rows), words, kernel.result_rows,
                 lane);
      }
    }
    progress.advance();
  });
  return sums.join();
}

// Terms after which a pass looks at the stop token; a multiple of the slots of a pass.
constexpr std::size_t kStopTerms = 64;

// Measured, in nanoseconds: a product of two digits of eight lanes, and a row of an evaluated
// chunk. A term of a group is generated and evaluated once, at a lower price for a single sum, as
// its pieces then stay in the first-level cache; each sum adds n^2 products for every S_t, and the
// time to begin one.
struct DenseTimes {
  double product;
  double row;
  double row_of_several;
};

DenseTimes dense_times(Kernel kernel) {
  switch (kernel) {
    case Kernel::ifma:
      return {0.274, 0.5, 1.2};
    case Kernel::avxifma:
      return {0.64, 0.6, 1.9};
    case Kernel::avx512:
      return {0.187, 0.85, 1.3};
    default:
      return {0.337, 1.14, 1.7};
  }
}

}  // namespace

std::vector<Integer> dense_lane_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor) {
  const std::size_t group_bits = kLanes * kernel.chunk_bits;
  const std::vector<WeightTable> tables = evaluated(batch, kernel, stream.count());
  const auto add_terms = [&](KaratsubaPass& pass, std::size_t group) {
    const LaneBuffer mask =
        stream.end_mask(group * group_bits, kernel.chunk_bits, kernel.chunk_rows);
    for (std::size_t first = 0; first < stream.count(); first += kStopTerms) {
      monitor.throw_if_stopped();
      const LaneStart start = stream.chunks(first, group * kLanes, kernel.chunk_bits / 128);
      pass.add(stream.key(), {start, 1, 0, mask.data()}, first,
               std::min(kStopTerms, stream.count() - first));
    }
    backend.counters().count_stream_bytes(stream.count() *
                                          stream.bytes_in(group * group_bits, group_bits));
  };
  return sums_of_groups(tables, kernel, stream.bits(), monitor, add_terms);
}

std::vector<Integer> dense_view_sums(const ViewStream& stream, std::span<const DenseWeights> batch,
                                     const KaratsubaKernel& kernel, const Backend& backend,
                                     const Monitor& monitor) {
  const std::vector<WeightTable> tables = evaluated(batch, kernel, stream.count());
  const auto add_terms = [&](KaratsubaPass& pass, std::size_t group) {
    const std::size_t first_limb = group * kLanes * kernel.chunk_rows;
    for (std::size_t first = 0; first < stream.count(); first += kStopTerms) {
      monitor.throw_if_stopped();
      pass.add(stream.elements().subspan(first, std::min(kStopTerms, stream.count() - first)),
               first_limb, first);
    }
  };
  backend.counters().count_stream_bytes(stream.count() * stream.limbs() * sizeof(Limb));
  return sums_of_groups(tables, kernel, stream.bits(), monitor, add_terms);
}

double dense_nanoseconds(const KaratsubaKernel& kernel, const SumSizes& sizes,
                         Kernel instructions) {
  constexpr double kBegin = 0.9;
  const DenseTimes times = dense_times(instructions);
  const double per_row = sizes.sets == 1 ? times.row : times.row_of_several;
  const std::size_t group_bits = kLanes * kernel.chunk_bits;
  const std::size_t groups = (sizes.element_bits + group_bits - 1) / group_bits;
  const auto digits = static_cast<double>(kernel.digits);
  const double sum =
      static_cast<double>(kernel.products) * (digits * digits * times.product + kBegin);
  const double evaluation = per_row * static_cast<double>(kernel.piece_rows);
  return (evaluation + static_cast<double>(sizes.sets) * sum) *
         static_cast<double>(groups * sizes.elements);
}

}  // namespace fhe::cpu

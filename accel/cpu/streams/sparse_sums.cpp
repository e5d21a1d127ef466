// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "accel/cpu/streams/grouped_sums.hpp"
#include "accel/cpu/streams/passes.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/stream_kernels.hpp"

namespace fhe::cpu {

namespace {

// Longest weights: the sums of a column group stay in the first-level cache.
constexpr std::size_t kMostWeightBits = 8320;

std::size_t bits_of_weights(std::span<const SparseWeights> batch) {
  std::size_t bits = 0;
  for (const SparseWeights& weights : batch) {
    for (const std::uint32_t position : weights.positions) {
      bits = std::max(bits, std::size_t{position} + 1);
    }
  }
  return bits;
}

std::size_t digits_for(std::size_t bits, const SparseKernel& kernel) {
  return (bits + kernel.digit_bits - 1) / kernel.digit_bits;
}

// A set of weights as entries of the kernel. Secret, and so kept in buffers that are wiped.
class EntryTable {
 public:
  // Of weights of one digit each, an entry for every one, also for 0: the work does not depend on
  // their values.
  EntryTable(const DenseWeights& weights, const SparseKernel& kernel)
      : digit_bits_(kernel.digit_bits), starts_(weights.size() + 1), entries_(2 * weights.size()) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      entries_.data()[2 * i + 1] = mpz_getlimbn(weights[i].get_mpz_t(), 0);
      starts_.data()[i + 1] = i + 1;
    }
  }

  EntryTable(const SparseWeights& weights, std::size_t count, const SparseKernel& kernel)
      : digit_bits_(kernel.digit_bits), starts_(count + 1), entries_(2 * weights.positions.size()) {
    LaneBuffer digits(digits_for(kMostWeightBits, kernel));
    std::size_t used = 0;
    for (std::size_t i = 0; i < count; ++i) {
      used = append(std::span(weights.positions)
                        .subspan(i * weights.ones_per_weight, weights.ones_per_weight),
                    digits.data(), used);
      starts_.data()[i + 1] = used;
    }
  }

  [[nodiscard]] std::span<const SparseEntry> of(std::size_t element) const {
    const auto* entries = reinterpret_cast<const SparseEntry*>(entries_.data());
    return {entries + starts_.data()[element], entries + starts_.data()[element + 1]};
  }

 private:
  // Appends one weight behind `used` entries; `digits` is zero before and after.
  std::size_t append(std::span<const std::uint32_t> positions, std::uint64_t* digits,
                     std::size_t used) {
    std::size_t end = 0;
    for (const std::uint32_t position : positions) {
      digits[position / digit_bits_] |= std::uint64_t{1} << (position % digit_bits_);
      end = std::max(end, position / digit_bits_ + 1);
    }
    for (std::size_t digit = 0; digit < end; ++digit) {
      if (digits[digit] == 0) continue;
      entries_.data()[2 * used] = digit;
      entries_.data()[2 * used + 1] = digits[digit];
      digits[digit] = 0;
      ++used;
    }
    return used;
  }

  std::size_t digit_bits_;
  LaneBuffer starts_;
  LaneBuffer entries_;
};

// The cut of the columns of a stream, the bits of its elements, into chunks and groups, and the
// sizes that follow from it.
struct StreamColumns {
  std::size_t steps;  // of the kernel in a chunk
  std::size_t chunk_digits;
  std::size_t chunk_rows;   // words
  std::size_t sum_rows;     // digits
  std::size_t result_rows;  // words
  std::size_t group_bits;
  std::size_t groups;
};

// Long chunks lose less at their ends, where windows are only partly used; short ones fill the last
// group better and give every thread something to do.
StreamColumns choose_columns(std::size_t bits, std::size_t weight_bits,
                             const SparseKernel& kernel) {
  constexpr std::size_t kMostSteps = 8;
  const auto columns_for = [&](std::size_t steps) {
    StreamColumns columns{};
    columns.steps = steps;
    columns.chunk_digits = steps * kSparseStepDigits;
    columns.chunk_rows = steps * 2 * kernel.step_blocks;
    // One word more for the sum of 2^32 terms, and the digits that words are cut from.
    columns.result_rows = columns.chunk_rows + limbs_for_bits(weight_bits) + 1;
    const std::size_t digits =
        digits_for(columns.result_rows * kLimbBits, kernel) + kernel.digits_above;
    columns.sum_rows = (digits + kSparseWindow - 1) / kSparseWindow * kSparseWindow;
    columns.group_bits = kLanes * columns.chunk_rows * kLimbBits;
    columns.groups = (bits + columns.group_bits - 1) / columns.group_bits;
    return columns;
  };
  const std::size_t threads = thread_count();
  const auto cost = [threads](const StreamColumns& columns) {
    return (columns.groups + threads - 1) / threads * (columns.chunk_digits + kSparseWindow + 1);
  };
  StreamColumns best = columns_for(1);
  for (std::size_t steps = 2; steps <= kMostSteps; ++steps) {
    const StreamColumns columns = columns_for(steps);
    if (cost(columns) < cost(best)) best = columns;
  }
  return best;
}

// The sums of one column group, of all sets of weights.
class SparsePass {
 public:
  SparsePass(const LaneStream& stream, std::span<const EntryTable> tables,
             const StreamColumns& columns, std::size_t group)
      : stream_(stream),
        kernel_(stream.kernels().sparse),
        tables_(tables),
        columns_(columns),
        group_(group),
        mask_(stream.end_mask(group * columns.group_bits, columns.chunk_rows * kLimbBits,
                              columns.chunk_rows)),
        digits_((columns.chunk_digits + 2 * kSparseWindow) * kLanes),
        sums_(tables.size() * columns.sum_rows * kLanes),
        entries_since_carries_(tables.size()) {}

  void add(std::size_t element) {
    std::uint64_t* digits = digits_.data() + kSparseWindow * kLanes;
    const LaneStart start =
        stream_.chunks(element, group_ * kLanes, columns_.steps * kernel_.step_blocks);
    kernel_.generate(stream_.key(), start, columns_.steps, mask_.data(), digits);
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      const std::span<const SparseEntry> entries = tables_[b].of(element);
      entries_since_carries_[b] += entries.size();
      if (entries_since_carries_[b] > kernel_.entries_between_carries) {
        kernel_.carry(sum(b), columns_.sum_rows);
        entries_since_carries_[b] = entries.size();
      }
      kernel_.accumulate(digits, columns_.chunk_digits, entries.data(), entries.size(), sum(b));
    }
  }

  void finish(OverlappingSums& sums) {
    LaneBuffer words(columns_.result_rows * kLanes);
    for (std::size_t b = 0; b < tables_.size(); ++b) {
      kernel_.carry(sum(b), columns_.sum_rows);
      kernel_.words(sum(b), words.data(), columns_.result_rows);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        add_lane(sums.part(b, group_).subspan(lane * columns_.chunk_rows), words.data(),
                 columns_.result_rows, lane);
      }
    }
  }

 private:
  std::uint64_t* sum(std::size_t b) { return sums_.data() + b * columns_.sum_rows * kLanes; }

  const LaneStream& stream_;
  const SparseKernel& kernel_;
  std::span<const EntryTable> tables_;
  const StreamColumns& columns_;
  std::size_t group_;
  LaneBuffer mask_;
  LaneBuffer digits_;  // of one chunk, between zeros
  LaneBuffer sums_;
  std::vector<std::size_t> entries_since_carries_;
};

// The sums with all tables, of weights of up to `weight_bits`.
std::vector<Integer> sums_with(const LaneStream& stream, std::span<const EntryTable> tables,
                               std::size_t weight_bits, const Backend& backend,
                               const Monitor& monitor) {
  const StreamColumns columns = choose_columns(stream.bits(), weight_bits, stream.kernels().sparse);
  OverlappingSums sums(tables.size(), columns.groups, kLanes * columns.chunk_rows,
                       (kLanes - 1) * columns.chunk_rows + columns.result_rows + 1);
  Progress progress(monitor, "weighted sums", columns.groups);
  parallel_for(columns.groups, [&](std::size_t group) {
    SparsePass pass(stream, tables, columns, group);
    for (std::size_t i = 0; i < stream.count(); ++i) {
      // Elements after which a pass looks at the stop token.
      constexpr std::size_t kStopInterval = 64;
      if (i % kStopInterval == 0) monitor.throw_if_stopped();
      pass.add(i);
    }
    pass.finish(sums);
    backend.counters().count_stream_bytes(
        stream.count() * stream.bytes_in(group * columns.group_bits, columns.group_bits));
    progress.advance();
  });
  return sums.join();
}

}  // namespace

bool has_lane_sparse_sums(std::span<const SparseWeights> batch, std::size_t count) {
  const auto is_complete = [count](const SparseWeights& w) { return are_weights(w, count); };
  return std::ranges::all_of(batch, is_complete) && bits_of_weights(batch) <= kMostWeightBits;
}

std::vector<Integer> lane_sparse_sums(const LaneStream& stream,
                                      std::span<const SparseWeights> batch, const Backend& backend,
                                      const Monitor& monitor) {
  std::vector<EntryTable> tables;
  tables.reserve(batch.size());
  for (const SparseWeights& weights : batch) {
    tables.emplace_back(weights, stream.count(), stream.kernels().sparse);
  }
  return sums_with(stream, tables, bits_of_weights(batch), backend, monitor);
}

bool has_lane_digit_sums(const SumSizes& sizes, const SparseKernel& kernel) {
  const std::size_t step_bits = 2 * kernel.step_blocks * kLimbBits;
  return sizes.weight_bits <= kernel.digit_bits && sizes.element_bits >= kLanes / 2 * step_bits;
}

std::vector<Integer> lane_digit_sums(const LaneStream& stream, std::span<const DenseWeights> batch,
                                     const Backend& backend, const Monitor& monitor) {
  const SparseKernel& kernel = stream.kernels().sparse;
  std::vector<EntryTable> tables;
  tables.reserve(batch.size());
  for (const DenseWeights& weights : batch) tables.emplace_back(weights, kernel);
  return sums_with(stream, tables, kernel.digit_bits, backend, monitor);
}

}  // namespace fhe::cpu

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/stream_kernels.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"

namespace fhe {

namespace {

// 4 KiB of an element: with a few accumulators it stays in the first-level cache, and the cost
// of entering the stream (about 0.2 us) is small beside generating it.
constexpr std::size_t kSliceLimbs = 512;

// The columns [first, first + limbs) of every element.
struct Slice {
  std::size_t first;
  std::size_t limbs;
};

// Elements after which a pass looks at the stop token.
constexpr std::size_t kStopInterval = 64;

std::vector<Slice> slices_of(const IntegerStream& stream) {
  std::vector<Slice> slices;
  for (std::size_t first = 0; first < stream.limbs(); first += kSliceLimbs) {
    slices.push_back({first, std::min(kSliceLimbs, stream.limbs() - first)});
  }
  return slices;
}

// Reads slices of one stream and counts the bytes.
class CountingReader {
 public:
  CountingReader(const IntegerStream& stream, const Backend& backend)
      : reader_(stream.reader()), backend_(backend) {}

  void read(std::size_t element, std::size_t first_limb, std::span<Limb> out) {
    reader_->read(element, first_limb, out);
    backend_.counters().count_stream_bytes(out.size_bytes());
  }

 private:
  std::unique_ptr<IntegerStream::Reader> reader_;
  const Backend& backend_;
};

// The sums of one slice, such as one for each set of weights.
using SetSums = std::vector<std::vector<Limb>>;

// The sums of all slices of one pass: sums[slice][which] starts at limb slice.first.
using SliceSums = std::vector<SetSums>;

// Adds the overlapping slice sums of one result into a single integer and frees them.
Integer join_slices(const std::vector<Slice>& slices, SliceSums& sums, std::size_t which) {
  std::size_t limbs = 1;
  for (std::size_t s = 0; s < slices.size(); ++s) {
    limbs = std::max(limbs, slices[s].first + sums[s][which].size() + 1);
  }
  std::vector<Limb> total(limbs);
  for (std::size_t s = 0; s < slices.size(); ++s) {
    add_into(std::span(total).subspan(slices[s].first), sums[s][which]);
    std::vector<Limb>().swap(sums[s][which]);
  }
  return from_limbs(total);
}

std::vector<Integer> join_all(const std::vector<Slice>& slices, SliceSums& sums,
                              std::size_t count) {
  std::vector<Integer> results(count);
  parallel_for(count,
               [&](std::size_t which) { results[which] = join_slices(slices, sums, which); });
  return results;
}

// accumulate(sums, chunk, element) adds chunk times the element's weight into the sum of each of
// the `sets` sets of weights, for any kind of weight.
template <class Accumulate>
std::vector<Integer> weighted_pass(const IntegerStream& elements, std::size_t sets,
                                   std::size_t weight_limbs, const Backend& backend,
                                   const Monitor& monitor, const Accumulate& accumulate) {
  const auto slices = slices_of(elements);
  // Room for the products and one limb for the carries of up to 2^64 terms.
  const std::size_t sum_extra = weight_limbs + 2;
  SliceSums sums(slices.size());
  Progress progress(monitor, "weighted sums", slices.size());
  parallel_for(slices.size(), [&](std::size_t s) {
    const Slice slice = slices[s];
    CountingReader reader(elements, backend);
    std::vector<Limb> chunk(slice.limbs);
    sums[s].assign(sets, std::vector<Limb>(slice.limbs + sum_extra));
    for (std::size_t i = 0; i < elements.count(); ++i) {
      if (i % kStopInterval == 0) monitor.throw_if_stopped();
      reader.read(i, slice.first, chunk);
      accumulate(sums[s], chunk, i);
    }
    progress.advance();
  });
  return join_all(slices, sums, sets);
}

template <class Weights>
std::size_t batch_weight_limbs(std::span<const Weights> batch) {
  std::size_t bits = 0;
  for (const Weights& weights : batch) bits = std::max(bits, max_weight_bits(weights));
  return limbs_for_bits(bits);
}

// Weights of up to this many limbs are multiplied limb by limb into the sums, where they stand;
// for longer ones a backend's product is faster.
constexpr std::size_t kShortWeightLimbs = 4;

// sum += chunk * weight, the weight taken as `weight_limbs` limbs: the work does not depend on its
// value.
void add_short_product(std::span<Limb> sum, std::span<const Limb> chunk, const Integer& weight,
                       std::size_t weight_limbs) {
  const auto size = static_cast<mp_size_t>(chunk.size());
  for (std::size_t k = 0; k < weight_limbs; ++k) {
    const Limb digit = mpz_getlimbn(weight.get_mpz_t(), static_cast<mp_size_t>(k));
    Limb carry = mpn_addmul_1(&sum[k], chunk.data(), size, digit);
    for (std::size_t j = k + chunk.size(); j < sum.size(); ++j) {
      sum[j] += carry;
      carry = sum[j] < carry ? 1 : 0;
    }
  }
}

void require_one_per_element(std::size_t given, std::size_t count, std::string_view what) {
  if (given != count) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} {} given for {} stream elements", given, what, count));
  }
}

void check_weights(const DenseWeights& weights, std::size_t count) {
  require_one_per_element(weights.size(), count, "weights");
  if (!are_weights(weights, count)) {
    throw Error(ErrorCode::invalid_argument, "weights must not be negative");
  }
}

void check_weights(const SparseWeights& weights, std::size_t count) {
  require_one_per_element(weights.positions.size(), count * weights.ones_per_weight,
                          "one positions");
}

void check_selection(const BlockSelection& selection, std::size_t count) {
  require_one_per_element(selection.masks.size(), count, "masks");
  if (!is_selection(selection, count)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("a selection of width {} in blocks of {}: blocks have at least one element "
                    "and masks 1 to 32 bits, none of them set beyond the width",
                    selection.width, selection.block_size));
  }
}

// sum += chunk << position
void add_shifted(std::span<Limb> sum, std::span<const Limb> chunk, std::size_t position,
                 std::span<Limb> scratch) {
  const auto target = sum.subspan(position / kLimbBits);
  const auto shift = static_cast<unsigned>(position % kLimbBits);
  if (shift == 0) {
    add_into(target, chunk);
    return;
  }
  const auto size = static_cast<mp_size_t>(chunk.size());
  scratch[chunk.size()] = mpn_lshift(scratch.data(), chunk.data(), size, shift);
  add_into(target, scratch.first(chunk.size() + 1));
}

__extension__ using Wide = unsigned __int128;

// sum of lo64(a_j * b_j), modulo 2^64.
Limb low_dot(std::span<const Limb> a, std::span<const Limb> b) {
  Limb sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

// sum of hi64(a_j * b_j), modulo 2^64.
Limb high_dot(std::span<const Limb> a, std::span<const Limb> b) {
  Limb sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    sum += static_cast<Limb>((Wide{a[j]} * b[j]) >> kLimbBits);
  }
  return sum;
}

// The leading 64 bits of c * y mod 2^M in linear time (CNT 2012, ePrint 2011/440).
//
// With n limbs in M bits and c scaled so that M is a whole number of limbs, the limb n-1 of the
// product is, but for carries from below,
//   sum_{j<n} lo64(c_j * y_{n-1-j}) + sum_{j<n-1} hi64(c_j * y_{n-2-j})   mod 2^64.
// Each of the 2n-1 neglected terms of limb n-2 and the tail below carries less than one, so the
// true value is larger by less than 2n + 1.
class WindowKernel {
 public:
  WindowKernel(const Integer& c, const IntegerStream& stream, const WindowSpec& spec,
               const Backend& backend)
      : stream_(stream), spec_(spec), backend_(backend), limbs_(limbs_for_bits(spec.modulus_bits)) {
    const std::size_t padding = limbs_ * kLimbBits - spec.modulus_bits;
    scaled_ = low_bits(c << padding, limbs_ * kLimbBits);
    const auto digits = limbs_of(scaled_);
    reversed_.assign(limbs_ + 1, 0);
    for (std::size_t j = 0; j < digits.size(); ++j) reversed_[limbs_ - 1 - j] = digits[j];
  }

  [[nodiscard]] std::uint32_t window(std::size_t element, CountingReader& reader,
                                     std::span<Limb> chunk) const {
    const Limb estimate = leading_limb(element, reader, chunk);
    const unsigned shift = static_cast<unsigned>(kLimbBits) - 1 - spec_.window_bits;
    const Limb largest = estimate + 2 * limbs_ + 1;
    const bool decided = (largest >> shift) == (estimate >> shift);
    const Limb leading = decided ? estimate : exact_leading_limb(element);
    const Limb mask = (Limb{1} << spec_.window_bits) - 1;
    return static_cast<std::uint32_t>((((leading >> shift) + 1) >> 1) & mask);
  }

 private:
  // reversed_[k] = c_{n-1-k}: y_k meets c_{n-1-k} in the low and c_{n-2-k} in the high products.
  [[nodiscard]] Limb leading_limb(std::size_t element, CountingReader& reader,
                                  std::span<Limb> chunk) const {
    const std::span<const Limb> reversed(reversed_);
    Limb sum = 0;
    for (std::size_t first = 0; first < limbs_; first += chunk.size()) {
      const auto piece = chunk.first(std::min(chunk.size(), limbs_ - first));
      reader.read(element, first, piece);
      sum += low_dot(piece, reversed.subspan(first, piece.size()));
      sum += high_dot(piece, reversed.subspan(first + 1, piece.size()));
    }
    return sum;
  }

  [[nodiscard]] Limb exact_leading_limb(std::size_t element) const {
    const Integer product = backend_.multiply(scaled_, stream_.element(element));
    const Integer leading = bits_at(product, (limbs_ - 1) * kLimbBits, kLimbBits);
    const auto limbs = limbs_of(leading);
    return limbs.empty() ? 0 : limbs[0];
  }

  const IntegerStream& stream_;
  WindowSpec spec_;
  const Backend& backend_;
  std::size_t limbs_;
  Integer scaled_;
  std::vector<Limb> reversed_;  // one zero past the end: c_{-1}
};

}  // namespace

bool are_weights(const DenseWeights& weights, std::size_t count) {
  return weights.size() == count &&
         std::ranges::none_of(weights, [](const Integer& weight) { return weight < 0; });
}

bool are_weights(const SparseWeights& weights, std::size_t count) {
  return weights.positions.size() == count * weights.ones_per_weight;
}

bool is_selection(const BlockSelection& selection, std::size_t count) {
  const bool is_shaped = selection.masks.size() == count && selection.block_size >= 1 &&
                         selection.width >= 1 && selection.width <= 32;
  return is_shaped && std::ranges::none_of(selection.masks, [&selection](std::uint32_t mask) {
           return std::uint64_t{mask} >> selection.width != 0;
         });
}

bool is_window(const WindowSpec& spec, const Integer& c, const IntegerStream& stream) {
  return c >= 0 && spec.window_bits >= 1 && spec.window_bits <= 32 &&
         spec.window_bits < spec.modulus_bits && stream.bits() <= spec.modulus_bits;
}

std::size_t max_weight_bits(const DenseWeights& weights) {
  std::size_t bits = 0;
  for (const Integer& weight : weights) bits = std::max(bits, bit_length(weight));
  return bits;
}

std::size_t max_weight_bits(const SparseWeights& weights) {
  return weights.positions.empty() ? 0
                                   : std::size_t{*std::ranges::max_element(weights.positions)} + 1;
}

Integer sparse_weight(const SparseWeights& weights, std::size_t index) {
  Integer result;
  const auto positions = std::span(weights.positions)
                             .subspan(index * weights.ones_per_weight, weights.ones_per_weight);
  if (positions.empty()) return result;
  mpz_realloc2(result.get_mpz_t(), mp_bitcnt_t{1} + *std::ranges::max_element(positions));
  for (const std::uint32_t position : positions) mpz_setbit(result.get_mpz_t(), position);
  return result;
}

std::vector<Integer> stream_weighted_sums(const IntegerStream& elements,
                                          std::span<const DenseWeights> batch,
                                          const Backend& backend, const Monitor& monitor) {
  for (const auto& weights : batch) check_weights(weights, elements.count());
  const std::size_t weight_limbs = batch_weight_limbs(batch);
  const auto by_limbs = [&](SetSums& sums, std::span<const Limb> chunk, std::size_t element) {
    for (std::size_t b = 0; b < batch.size(); ++b) {
      add_short_product(sums[b], chunk, batch[b][element], weight_limbs);
    }
    backend.counters().count_multiplication(chunk.size(), weight_limbs, batch.size());
  };
  const auto by_backend = [&](SetSums& sums, std::span<const Limb> chunk, std::size_t element) {
    const Integer factor = from_limbs(chunk);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      add_into(sums[b], limbs_of(backend.multiply(factor, batch[b][element])));
    }
  };
  return weight_limbs <= kShortWeightLimbs
             ? weighted_pass(elements, batch.size(), weight_limbs, backend, monitor, by_limbs)
             : weighted_pass(elements, batch.size(), weight_limbs, backend, monitor, by_backend);
}

std::vector<Integer> stream_weighted_sums(const IntegerStream& elements,
                                          std::span<const SparseWeights> batch,
                                          const Backend& backend, const Monitor& monitor) {
  for (const auto& weights : batch) check_weights(weights, elements.count());
  const auto accumulate = [&](SetSums& sums, std::span<const Limb> chunk, std::size_t element) {
    std::array<Limb, kSliceLimbs + 1> scratch;
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const std::size_t first = element * batch[b].ones_per_weight;
      for (std::size_t k = 0; k < batch[b].ones_per_weight; ++k) {
        add_shifted(sums[b], chunk, batch[b].positions[first + k], scratch);
      }
    }
  };
  return weighted_pass(elements, batch.size(), batch_weight_limbs(batch), backend, monitor,
                       accumulate);
}

std::vector<Integer> stream_selected_sums(const IntegerStream& elements,
                                          const BlockSelection& selection, const Backend& backend,
                                          const Monitor& monitor) {
  check_selection(selection, elements.count());
  const std::size_t count = selection.blocks() * selection.width;
  const auto slices = slices_of(elements);
  SliceSums sums(slices.size());
  Progress progress(monitor, "selected sums", slices.size());
  parallel_for(slices.size(), [&](std::size_t s) {
    const Slice slice = slices[s];
    CountingReader reader(elements, backend);
    std::vector<Limb> chunk(slice.limbs);
    sums[s].assign(count, std::vector<Limb>(slice.limbs + 1));
    for (std::size_t i = 0; i < elements.count(); ++i) {
      if (i % kStopInterval == 0) monitor.throw_if_stopped();
      if (selection.masks[i] == 0) continue;
      reader.read(i, slice.first, chunk);
      const std::size_t first = i / selection.block_size * selection.width;
      for (std::uint32_t mask = selection.masks[i]; mask != 0; mask &= mask - 1) {
        add_into(sums[s][first + static_cast<std::size_t>(std::countr_zero(mask))], chunk);
      }
    }
    progress.advance();
  });
  return join_all(slices, sums, count);
}

std::vector<std::uint32_t> stream_product_windows(const Integer& c, const IntegerStream& stream,
                                                  const WindowSpec& spec, const Backend& backend,
                                                  const Monitor& monitor) {
  if (!is_window(spec, c, stream)) {
    throw Error(
        ErrorCode::invalid_argument,
        fmt::format("product windows of {} bits modulo 2^{} over a stream of {}-bit elements",
                    spec.window_bits, spec.modulus_bits, stream.bits()));
  }
  const WindowKernel kernel(c, stream, spec, backend);
  std::vector<std::uint32_t> windows(stream.count());
  Progress progress(monitor, "expand", stream.count());
  parallel_for(stream.count(), [&](std::size_t i) {
    CountingReader reader(stream, backend);
    std::array<Limb, 8 * kSliceLimbs> chunk;
    windows[i] = kernel.window(i, reader, chunk);
    progress.advance();
  });
  return windows;
}

std::vector<Integer> stream_residues(const IntegerStream& stream, const Integer& modulus,
                                     const Backend& backend, const Monitor& monitor) {
  if (modulus < 1)
    throw Error(ErrorCode::invalid_argument, "residues need a modulus of at least 1");
  std::vector<Integer> residues(stream.count());
  Progress progress(monitor, "residues", stream.count());
  parallel_for(stream.count(), [&](std::size_t i) {
    CountingReader reader(stream, backend);
    std::vector<Limb> element(stream.limbs());
    reader.read(i, 0, element);
    residues[i] = from_limbs(element) % modulus;
    progress.advance();
  });
  return residues;
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cmnt/product_recrypt.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/recryption_task.hpp"
#include "libfhe/scheme/adder/evaluate.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::cmnt {

namespace {

constexpr std::size_t kMostSelectionWidth = 32;

// One recryption: the public key and the expanded ciphertext.
class ProductSums {
 public:
  ProductSums(const dghv::Parameters& parameters, const dghv::SquashedKey& key, const Ring& ring,
              std::vector<std::uint32_t> z)
      : parameters_(parameters),
        key_(key),
        ring_(ring),
        side_(parameters.side()),
        width_(parameters.precision + 1),
        z_(std::move(z)) {}

  // sigma1_j for the j of a box, prepared: each is a factor for every box of s0 and every bit.
  [[nodiscard]] std::vector<Operand> factors(const dghv::Box& columns) const {
    const PublicStream chi = dghv::key_bit_stream(parameters_, key_.seed);
    std::vector<Operand> elements(columns.size, Operand(Integer()));
    parallel_for(elements.size(), [&](std::size_t j) {
      const std::size_t index = columns.first + j;
      elements[j] = Operand(ring_.reduce(chi.element(index) - key_.sigma[index]));
    });
    return ring_.prepare_all(elements);
  }

  // The n + 1 encrypted bits of the number of a pair of boxes.
  [[nodiscard]] std::vector<Operand> number(const dghv::Box& rows, const dghv::Box& columns,
                                            const std::vector<Operand>& factors,
                                            const Monitor& monitor, Progress& progress) const {
    std::vector<Operand> sums = row_sums(rows, columns, monitor);
    std::vector<std::vector<OperandPair>> bits(width_);
    for (std::size_t b = 0; b < width_; ++b) {
      for (std::size_t j = 0; j < columns.size; ++j) {
        bits[b].emplace_back(factors[j], std::move(sums[j * width_ + b]));
      }
    }
    return ring_.dot_all(bits, progress);
  }

 private:
  // sum_{i in rows, bit b of z_ij set} sigma0_i at j * width + b, for the j of the other box; as
  // many j in one pass over the stream as a selection has room for.
  [[nodiscard]] std::vector<Operand> row_sums(const dghv::Box& rows, const dghv::Box& columns,
                                              const Monitor& monitor) const {
    const PublicStream chi(key_.seed, StreamPurpose::key_bits, rows.first, rows.size,
                           parameters_.gamma);
    const auto corrections = std::span(key_.sigma).subspan(rows.first, rows.size);
    const std::size_t at_once = kMostSelectionWidth / width_;
    std::vector<Operand> sums;
    for (std::size_t j = 0; j < columns.size; j += at_once) {
      const std::size_t count = std::min<std::size_t>(at_once, columns.size - j);
      std::vector<Operand> pass = ring_.selected_elements(
          {chi, corrections}, selection(rows, columns.first - side_ + j, count), monitor);
      std::ranges::move(pass, std::back_inserter(sums));
    }
    return sums;
  }

  // One block: all i of `rows`, with the bits of z_ij for `count` columns j from `first` on.
  [[nodiscard]] BlockSelection selection(const dghv::Box& rows, std::size_t first,
                                         std::size_t count) const {
    BlockSelection selection{.block_size = rows.size,
                             .width = static_cast<unsigned>(count * width_),
                             .masks = std::vector<std::uint32_t>(rows.size)};
    for (std::size_t i = 0; i < rows.size; ++i) {
      for (std::size_t j = 0; j < count; ++j) {
        selection.masks[i] |= z_[(rows.first + i) * side_ + first + j] << (j * width_);
      }
    }
    return selection;
  }

  const dghv::Parameters& parameters_;
  const dghv::SquashedKey& key_;
  const Ring& ring_;
  std::size_t side_;
  std::size_t width_;
  std::vector<std::uint32_t> z_;
};

// The same as a task of a ring that does it at once: the inputs are the row sums of each pair of
// boxes and each j, then all sigma1_j.
class ProductTask {
 public:
  ProductTask(const dghv::Parameters& parameters, const AdderProgram& adder)
      : side_(parameters.side()), width_(parameters.precision + 1) {
    const std::vector<dghv::Box> boxes = parameters.boxes();
    const auto rows = std::span(boxes).first(dghv::kRowBoxes);
    const auto columns = std::span(boxes).subspan(dghv::kRowBoxes);
    for (const dghv::Box& column_box : columns)
      for (const dghv::Box& row_box : rows) add_groups(row_box, column_box);
    for (std::size_t j = 0; j < side_; ++j) singles_.push_back(side_ + j);
    StepList steps(groups_.size() * width_ + singles_.size());
    std::size_t group = 0;
    std::vector<StepList::Value> numbers;
    for (const dghv::Box& column_box : columns) {
      for (std::size_t k = 0; k < rows.size(); ++k, group += column_box.size) {
        for (std::size_t b = 0; b < width_; ++b)
          numbers.push_back(add_bit(steps, column_box, group, b));
      }
    }
    steps_ = steps.finished(steps.add_up(adder, numbers));
  }

  [[nodiscard]] RecryptionTask of(const dghv::Parameters& parameters, const dghv::SquashedKey& key,
                                  const IntegerStream& factors,
                                  std::span<const CorrectedStream> sigma, const Integer& c) const {
    return {.c = c,
            .first_factors = key.solved,
            .other_factors = &factors,
            .windows = dghv::window_spec(parameters),
            .residues = {},
            .elements = sigma,
            .kept = {},
            .groups = groups_,
            .singles = singles_,
            .constants = steps_.constants,
            .steps = steps_.steps,
            .output = steps_.output};
  }

 private:
  void add_groups(const dghv::Box& rows, const dghv::Box& columns) {
    for (std::size_t j = 0; j < columns.size; ++j) {
      groups_.push_back({.first = rows.first,
                         .count = rows.size,
                         .first_window = rows.first * side_ + columns.first - side_ + j,
                         .window_step = side_});
    }
  }

  // The value of the sum over a box of sigma1_j times bit b of the row sums from `group` on.
  [[nodiscard]] StepList::Value add_bit(StepList& steps, const dghv::Box& columns,
                                        std::size_t group, std::size_t b) const {
    StepList::Value sum = 0;
    for (std::size_t j = 0; j < columns.size; ++j) {
      const std::size_t factor = groups_.size() * width_ + columns.first - side_ + j;
      const std::size_t row_sum = (group + j) * width_ + b;
      const StepList::Value product = steps.multiply(static_cast<StepList::Value>(factor),
                                                     static_cast<StepList::Value>(row_sum));
      sum = j == 0 ? product : steps.add(sum, product);
    }
    return sum;
  }

  std::size_t side_;
  std::size_t width_;
  std::vector<WindowGroup> groups_;
  std::vector<std::size_t> singles_;
  StepList::Finished steps_;
};

// The rounded sum by the ring, where it does all at once.
std::optional<Integer> recrypt_at_once(const dghv::Parameters& parameters,
                                       const dghv::SquashedKey& key, const Ring& ring,
                                       const AdderProgram& adder, const Integer& c,
                                       const Monitor& monitor) {
  const PublicStream factors = dghv::squash_stream(parameters, key.seed);
  const PublicStream chi = dghv::key_bit_stream(parameters, key.seed);
  const std::array sigma{CorrectedStream{chi, key.sigma}};
  const ProductTask task(parameters, adder);
  return ring.recrypt(task.of(parameters, key, factors, sigma, c), monitor);
}

}  // namespace

Integer recrypt_product(const dghv::Parameters& parameters, const dghv::SquashedKey& key,
                        const Ring& ring, const AdderProgram& adder, const Integer& c,
                        const Monitor& monitor) {
  if (const auto rounded = recrypt_at_once(parameters, key, ring, adder, c, monitor))
    return dghv::with_parity(ring, *rounded, c);
  const ProductSums sums(parameters, key, ring,
                         dghv::expand(parameters, key, c, ring.backend(), monitor));
  const std::vector<dghv::Box> boxes = parameters.boxes();
  const auto rows = std::span(boxes).first(dghv::kRowBoxes);
  const auto columns = std::span(boxes).subspan(dghv::kRowBoxes);
  Progress progress(monitor, "products of key bits", adder.inputs());
  std::vector<Operand> bits;
  for (const dghv::Box& column_box : columns) {
    const std::vector<Operand> factors = sums.factors(column_box);
    for (const dghv::Box& row_box : rows) {
      std::ranges::move(sums.number(row_box, column_box, factors, monitor, progress),
                        std::back_inserter(bits));
    }
  }
  return dghv::rounded_sum(ring, adder, std::move(bits), c, monitor);
}

std::size_t product_recryption_integers(const dghv::Parameters& parameters) {
  const std::vector<dghv::Box> boxes = parameters.boxes();
  const AdderProgram adder = parameters.adder_program();
  const std::size_t width = parameters.precision + 1;
  // For the largest box of s1 the factors and the sums of one box of s0, beside the adder's inputs.
  const std::size_t columns =
      std::ranges::max(boxes | std::views::drop(dghv::kRowBoxes), {}, &dghv::Box::size).size;
  const std::size_t products = columns * (kPreparedIntegers + width) + adder.inputs();
  return kRingIntegers + std::max(products, adder_integers(adder));
}

}  // namespace fhe::cmnt

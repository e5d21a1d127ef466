// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/cmnt/product_recrypt.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/ring_program.hpp"
#include "libfhe/random/public_stream.hpp"
#include "libfhe/scheme/adder/step_list.hpp"
#include "libfhe/scheme/dghv/recrypt.hpp"

namespace fhe::cmnt {

namespace {

// The program of all recryptions with a key: its inputs are the row sums of each pair of boxes and
// each j, then all sigma1_j.
class ProductProgram {
 public:
  // Parameters and key must outlive the object.
  ProductProgram(const dghv::Parameters& parameters, const dghv::SquashedKey& key,
                 const AdderProgram& adder)
      : parameters_(parameters),
        key_(key),
        side_(parameters.side()),
        width_(parameters.precision + 1),
        factors_(dghv::squash_stream(parameters, key.seed)),
        chi_(dghv::key_bit_stream(parameters, key.seed)),
        sigma_{chi_, key.sigma} {
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

  ProductProgram(const ProductProgram&) = delete;
  ProductProgram& operator=(const ProductProgram&) = delete;

  [[nodiscard]] RingProgram program() const {
    return {.first_factors = key_.solved,
            .other_factors = &factors_,
            .windows = dghv::window_spec(parameters_),
            .residues = {},
            .elements = {&sigma_, 1},
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

  const dghv::Parameters& parameters_;
  const dghv::SquashedKey& key_;
  std::size_t side_;
  std::size_t width_;
  PublicStream factors_;
  PublicStream chi_;
  CorrectedStream sigma_;
  std::vector<WindowGroup> groups_;
  std::vector<std::size_t> singles_;
  StepList::Finished steps_;
};

}  // namespace

std::vector<Integer> recrypt_products(const dghv::Parameters& parameters,
                                      const dghv::SquashedKey& key, const Ring& ring,
                                      const AdderProgram& adder, std::span<const Integer> cs,
                                      const Monitor& monitor) {
  const ProductProgram products(parameters, key, adder);
  return dghv::with_parities(ring, products.program(), cs, monitor);
}

std::size_t product_recryption_integers(const dghv::Parameters& parameters) {
  const dghv::SquashedKey key{};
  const ProductProgram products(parameters, key, parameters.adder_program());
  return dghv::recryption_integers(products.program(), parameters.gamma);
}

}  // namespace fhe::cmnt

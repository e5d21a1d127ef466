// SPDX-License-Identifier: Apache-2.0
// The order in which a host computes a program of a ring. Not installed.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "libfhe/arith/ring_program.hpp"

namespace fhe {

// A value that is computed at once: (a sum of products of values + a sum of multiples of values)
// / divisor. Steps that nothing but the sum uses are no values of their own, so that the products
// of a sum are one Ring::dot, with one reduction for all, where each by itself takes one of its
// own.
struct ProgramSum {
  struct Multiple {
    std::size_t value;
    long times;
  };

  std::size_t value;
  std::vector<std::pair<std::size_t, std::size_t>> products;
  std::vector<Multiple> multiples;
  unsigned long divisor = 1;
  std::size_t steps = 0;  // of the program that it takes the place of

  // Whether it is a sum of products and values alone, which a ring adds up.
  [[nodiscard]] bool is_plain() const;
};

// Bit-selected sums that are one call of Ring::selected_elements.
struct ProgramPass {
  // The sum over a block of the elements whose window of a group has this bit.
  struct Column {
    std::size_t group;
    unsigned bit;
    std::size_t value;
  };
  struct Block {
    std::size_t first;  // element
    std::size_t count;
    std::vector<Column> columns;
  };

  std::optional<std::size_t> stream;  // whose elements it takes; none: those that are kept
  std::size_t block_size = 0;         // the most elements of a block
  std::vector<Block> blocks;          // with as many columns each; of a stream without gaps

  // Sums of each block.
  [[nodiscard]] unsigned width() const {
    return static_cast<unsigned>(blocks.front().columns.size());
  }
};

// Passes, and what can be computed when they and all stages before are done.
struct ProgramStage {
  std::vector<ProgramPass> passes;
  std::vector<std::size_t> others;              // singles and constants that are used from now on
  std::vector<std::vector<ProgramSum>> rounds;  // of sums that do not depend on each other
};

// A program as it is computed: in stages, so that sums over groups are used and dropped before the
// next ones are made.
class ProgramSchedule {
 public:
  // `most_sums`: over groups in a stage, where they are not of one pass over a stream.
  ProgramSchedule(const RingProgram& program, std::size_t most_sums);

  [[nodiscard]] const std::vector<ProgramStage>& stages() const { return stages_; }
  // Steps that the sums take the place of.
  [[nodiscard]] std::size_t steps() const { return steps_; }
  // Whether it pays to prepare a value: several products use it.
  [[nodiscard]] bool is_factor(std::size_t value) const { return usage_[value].factors > 1; }
  // Whether a value is used no more once so many rounds of all stages are done.
  [[nodiscard]] bool is_done(std::size_t value, std::size_t rounds) const {
    return usage_[value].last_round < rounds;
  }
  // How many values there are: inputs and steps.
  [[nodiscard]] std::size_t values() const { return usage_.size(); }
  // How many of the sums over groups there are.
  [[nodiscard]] std::size_t group_sums() const { return group_sums_; }
  // Whether runs for several numbers can share the passes over streams: all of them are such, and
  // the sums of two fit into a mask.
  [[nodiscard]] bool shares_passes() const;
  // The most values that are held at once, in integers: prepared ones count as `prepared`.
  [[nodiscard]] std::size_t most_integers(std::size_t prepared) const;

 private:
  class Maker;

  // How a value is used.
  struct Usage {
    std::size_t times = 0;       // how often it is an operand
    std::size_t factors = 0;     // how often it is a factor of a product of two values
    bool is_own = false;         // it is needed by itself
    std::size_t last_round = 0;  // counted over all stages
  };

  std::vector<ProgramStage> stages_;
  std::vector<Usage> usage_;
  std::size_t steps_ = 0;
  std::size_t group_sums_ = 0;
};

}  // namespace fhe

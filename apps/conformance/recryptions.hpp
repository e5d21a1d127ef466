// SPDX-License-Identifier: Apache-2.0
// Recryptions to try, and what they give.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "apps/conformance/operands.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

// A key, a ciphertext and what recryption makes of them.
struct Recryption {
  Integer c;
  std::vector<Integer> first_factors;
  PublicStream other_factors;
  WindowSpec windows;
  std::vector<Operand> residue_factors;
  std::size_t residue_count = 0;
  std::size_t residue_step = 0;
  PublicStream elements;
  std::vector<Integer> corrections;
  PublicStream more_elements;  // without corrections
  std::vector<Operand> kept;
  std::vector<WindowGroup> groups;
  std::vector<std::size_t> singles;
  std::vector<RingConstant> constants;
  std::vector<RingStep> steps;
  std::size_t output = 0;

  // Calls use(program) with what to compute of c.
  template <class Use>
  auto with_program(const Use& use) const {
    const std::array streams{CorrectedStream{elements, corrections},
                             CorrectedStream{more_elements, {}}};
    return use(RingProgram{
        .first_factors = first_factors,
        .other_factors = &other_factors,
        .windows = windows,
        .residues = {.factors = residue_factors, .count = residue_count, .step = residue_step},
        .elements = streams,
        .kept = kept,
        .groups = groups,
        .singles = singles,
        .constants = constants,
        .steps = steps,
        .output = output});
  }

  // By definition.
  [[nodiscard]] Integer result(const Integer& modulus) const;
};

// Blocks of neighbours, as CNT has them, with the first factors, `stored` of them, in the first
// block; one group that takes every third window, as CMNT's rows do, one that adds 1 to each, as
// digits do, and groups of windows of residues over elements that are kept, as GH has them, where N
// is odd. Elements by themselves of all kinds; constants, short ones too. Random steps, some of
// whose values are never used.
Recryption random_recryption(Operands& operands, const Integer& modulus, std::size_t stored,
                             std::size_t window_bits);

}  // namespace fhe::conformance

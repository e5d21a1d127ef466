// SPDX-License-Identifier: Apache-2.0
// The table of the vector code that a source is compiled for: it includes the words and the AES
// rounds of its instruction set, the digits of its products, and then this.
#pragma once

#include "accel/cpu/streams/aes_code.hpp"
#include "accel/cpu/streams/karatsuba_code.hpp"
#include "accel/cpu/streams/kernels.hpp"
#include "accel/cpu/streams/selection_code.hpp"
#include "accel/cpu/streams/sparse_code.hpp"
#include "accel/cpu/streams/view_code.hpp"
#include "accel/cpu/streams/window_code.hpp"

namespace fhe::cpu {

namespace {

constexpr StreamKernels stream_table(std::string_view instructions, Kernel kernel,
                                     std::span<const KaratsubaKernel> karatsuba) {
  return {.instructions = instructions,
          .kernel = kernel,
          .generator = {.expand_key = expand_key, .generate_lanes = generate_lanes},
          .karatsuba = karatsuba,
          .sparse = {.digit_bits = kRowDigitBits,
                     .step_blocks = kStepBlocks,
                     .digits_above = kDigitsAbove,
                     .entries_between_carries = kEntriesBetweenCarries,
                     .generate = sparse_digits,
                     .accumulate = sparse_accumulate,
                     .carry = carry_digits,
                     .words = words_from_digits},
          .selection = {.add_to_buckets = add_to_buckets,
                        .collect_buckets = collect_buckets,
                        .selection_words = selection_words},
          .windows = {.digit_bits = kWindowDigitBits,
                      .estimate_bits = kEstimateBits,
                      .step_blocks = kWindowBlocks,
                      .add_estimates = add_window_estimates},
          .views = {.add_elements = add_view_elements}};
}

}  // namespace

}  // namespace fhe::cpu

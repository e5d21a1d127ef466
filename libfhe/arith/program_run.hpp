// SPDX-License-Identifier: Apache-2.0
// Computes a program of a ring step by step: what Ring::run does by default. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/arith/ring_program.hpp"
#include "libfhe/monitor.hpp"

namespace fhe {

// What a run may take for the sums over groups and their factors.
inline constexpr std::size_t kBytesOfRun = std::size_t{512} << 20;

// For each number the windows of a program: those of products, then those of residues.
std::vector<std::vector<std::uint32_t>> windows_of(const Ring& ring, const RingProgram& program,
                                                   std::span<const Integer> cs,
                                                   const Monitor& monitor);

// The windows of one factor of ResidueWindows, from r_0 = c y mod N in [0, N) for an odd N.
//
// All r_j / N are tails of the binary expansion of r_0 / N; and since N is odd, the parity of r_j =
// 2^e r_0 - N floor(2^e r_0 / N) is the bit above the point where the tail begins. So one quotient
// of (count-1) step bits more than its guard bits tells all, from the leading bits of r_0 and N;
// when the guard bits do not decide (one in 2^60), the whole numbers do.
std::vector<std::uint32_t> windows_of_residue(const Integer& residue, const Integer& modulus,
                                              std::size_t count, std::size_t step,
                                              unsigned window_bits);

// The result of the program for each number. Up to kRunTogether numbers share the passes over the
// streams, fewer where their sums would take much memory; where they can share none, they are
// computed side by side. Working memory: about `bytes`, or one pass's worth where that is more.
std::vector<Integer> run_step_by_step(const Ring& ring, const RingProgram& program,
                                      std::span<const Integer> cs, const Monitor& monitor,
                                      std::size_t bytes = kBytesOfRun);

// The most integers of the modulus's size that a run for one number holds, when a prepared one
// counts as `prepared`.
[[nodiscard]] std::size_t integers_of_run(const RingProgram& program, std::size_t modulus_bits,
                                          std::size_t prepared);

}  // namespace fhe

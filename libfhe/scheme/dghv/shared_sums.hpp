// SPDX-License-Identifier: Apache-2.0
// Sums over encrypted key bits for several recryptions at once. Not installed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"

namespace fhe::dghv {

// For each expanded ciphertext, whose masks are masks[k], the sums of Ring::selected_elements over
// the set, in its order. Masks of several are put side by side, so that the elements of the set are
// generated once for 32 / width of them.
std::vector<std::vector<Operand>> shared_sums(const Ring& ring, const CorrectedStream& set,
                                              std::size_t block_size, unsigned width,
                                              std::span<const std::vector<std::uint32_t>> masks,
                                              const Monitor& monitor);

}  // namespace fhe::dghv

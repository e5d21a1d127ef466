// SPDX-License-Identifier: Apache-2.0
// Public-key encryption of the DGHV family: the part that does not depend on the public elements.
// Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/random/secret_random.hpp"

namespace fhe::dghv {

// `count` independent random subset sums of the public elements, reduced or not. They are secret.
using DrawSums = std::function<std::vector<Integer>(std::size_t count)>;

// c = m + 2r + 2 (random sum) mod x0 for each bit m, r uniform in (-2^rho_prime, 2^rho_prime). The
// factor 2 of r and of the sum keeps the parity of the noise equal to m. At most `batch` sums are
// drawn at once, which bounds the memory.
[[nodiscard]] std::vector<Integer> encrypt(const std::vector<bool>& bits, std::size_t batch,
                                           std::size_t rho_prime, const Ring& ring,
                                           SecretRandom& random, const DrawSums& draw_sums);

}  // namespace fhe::dghv

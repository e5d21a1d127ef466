// SPDX-License-Identifier: Apache-2.0
// What is said about ciphertexts wherever some were made.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/scheme/ciphertext.hpp"

namespace fhe::cli {

// The largest of their noise bounds.
NoiseBound largest_noise(const std::vector<Ciphertext>& ciphertexts);

// "1 bit", "3 bits".
std::string counted(std::size_t count, std::string_view thing);

// ", 12 ms in each of 10 slots": what that many seconds of work are for one of the instances that
// are worked on side by side. Nothing for one slot.
std::string seconds_by_slot(double seconds, std::size_t slots);

}  // namespace fhe::cli

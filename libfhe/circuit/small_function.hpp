// SPDX-License-Identifier: Apache-2.0
// Functions of few bits with few ANDs. Not installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libfhe/circuit/bit.hpp"
#include "libfhe/circuit/builder.hpp"

namespace fhe {

using WireBit = Bit<NetlistBuilder>;

// A function of three to six bits x as its truth table of 2^x.size() bits: bit m is its value where
// x[k] is bit k of m.
using SmallTable = std::uint64_t;
inline constexpr std::size_t kLeastInputs = 3;
inline constexpr std::size_t kMostInputs = 6;

// The tables of the inputs themselves, of as many as there can be.
inline constexpr std::array<SmallTable, kMostInputs> kInputTables{
    0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
    0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

// The ANDs that small_function() takes; XOR and NOT are free. Of three inputs as few as there can
// be: 0 for affine functions, 1 for those of degree 2 such as the majority and the choice between
// two bits, 2 for those of degree 3.
[[nodiscard]] std::size_t ands_of(SmallTable table, std::size_t inputs);

// The value of the function. Of more than three inputs it is f0 + x_k (f0 + f1) for the last input
// x_k and the functions f0 and f1 that it chooses between.
[[nodiscard]] WireBit small_function(SmallTable table, std::span<const WireBit> x);

// The same for up to six bits x, none included, and the table that the function has as one of all
// six, which the others do not change.
[[nodiscard]] std::size_t ands_of_padded(SmallTable table, std::size_t inputs);
[[nodiscard]] WireBit padded_function(SmallTable table, std::vector<WireBit> x,
                                      NetlistBuilder& builder);

}  // namespace fhe

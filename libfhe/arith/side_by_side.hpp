// SPDX-License-Identifier: Apache-2.0
// Several pieces of work under one monitor. Not installed.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "libfhe/monitor.hpp"

namespace fhe {

// Calls work(i, monitor) for i in [0, count), on all threads. A single piece gets the caller's
// monitor. Several get one that stops them and reports nothing, since reports must not meet; they
// are the steps of `phase`.
void side_by_side(std::size_t count, std::string_view phase, const Monitor& monitor,
                  const std::function<void(std::size_t, const Monitor&)>& work);

// Calls work(first, count, monitor) for [first, first + count) of a few hundred out of [0, total),
// one piece after the other, until it returns false: for what would take much memory all at once.
// The monitor stops the work and reports nothing; all `total` are the steps of `phase`.
void piece_by_piece(
    std::size_t total, std::string_view phase, const Monitor& monitor,
    const std::function<bool(std::size_t first, std::size_t count, const Monitor&)>& work);

}  // namespace fhe

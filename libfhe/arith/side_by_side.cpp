// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/side_by_side.hpp"

#include <algorithm>

#include "libfhe/arith/parallel.hpp"

namespace fhe {

namespace {

Monitor quiet_monitor(const Monitor& monitor) {
  return {.stop = monitor.stop, .progress = {}};
}

}  // namespace

void side_by_side(std::size_t count, std::string_view phase, const Monitor& monitor,
                  const std::function<void(std::size_t, const Monitor&)>& work) {
  if (count == 1) return work(0, monitor);
  const Monitor quiet = quiet_monitor(monitor);
  Progress progress(monitor, phase, count);
  parallel_for(count, [&](std::size_t i) {
    work(i, quiet);
    progress.advance();
  });
}

void piece_by_piece(
    std::size_t total, std::string_view phase, const Monitor& monitor,
    const std::function<bool(std::size_t first, std::size_t count, const Monitor&)>& work) {
  constexpr std::size_t kPiece = 256;
  const Monitor quiet = quiet_monitor(monitor);
  Progress progress(monitor, phase, total);
  for (std::size_t first = 0; first < total; first += kPiece) {
    const std::size_t count = std::min(kPiece, total - first);
    if (!work(first, count, quiet)) return;
    progress.advance(count);
  }
}

}  // namespace fhe

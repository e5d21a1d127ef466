// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/side_by_side.hpp"

#include "libfhe/arith/parallel.hpp"

namespace fhe {

void side_by_side(std::size_t count, std::string_view phase, const Monitor& monitor,
                  const std::function<void(std::size_t, const Monitor&)>& work) {
  if (count == 1) return work(0, monitor);
  const Monitor quiet{.stop = monitor.stop, .progress = {}};
  Progress progress(monitor, phase, count);
  parallel_for(count, [&](std::size_t i) {
    work(i, quiet);
    progress.advance();
  });
}

}  // namespace fhe

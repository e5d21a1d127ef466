// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/distinct.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace fhe {

bool all_different(std::initializer_list<std::span<const Integer>> lists) {
  std::vector<const Integer*> values;
  for (const auto list : lists) {
    for (const Integer& value : list) values.push_back(&value);
  }
  std::ranges::sort(values, std::ranges::less(),
                    [](const Integer* x) -> const Integer& { return *x; });
  const auto equal = [](const Integer* x, const Integer* y) { return *x == *y; };
  return std::ranges::adjacent_find(values, equal) == values.end();
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/integer_functions.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace fhe {

Integer bits_at(const Integer& x, std::size_t first, std::size_t count) {
  const auto limbs = limbs_of(x);
  const std::size_t skipped = std::min(first / kLimbBits, limbs.size());
  const std::size_t shift = first % kLimbBits;
  const std::size_t used = std::min(limbs.size() - skipped, limbs_for_bits(shift + count));
  Integer result;
  if (used == 0) return result;
  const auto size = static_cast<mp_size_t>(used);
  mp_limb_t* const out = mpz_limbs_write(result.get_mpz_t(), size);
  if (shift == 0) {
    std::ranges::copy(limbs.subspan(skipped, used), out);
  } else {
    mpn_rshift(out, limbs.data() + skipped, size, static_cast<unsigned>(shift));
  }
  mpz_limbs_finish(result.get_mpz_t(), size);
  mpz_fdiv_r_2exp(result.get_mpz_t(), result.get_mpz_t(), count);
  return result;
}

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

// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/compressed_slots.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/she/group_rules.hpp"

namespace fhe::she {

namespace {

void require_corrections(const std::vector<Integer>& corrections, std::size_t bits) {
  const auto fits = [&](const Integer& x) { return x >= 0 && bit_length(x) <= bits; };
  const auto wrong = std::ranges::find_if_not(corrections, fits);
  if (wrong == corrections.end()) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("compressed ciphertext {} is not a correction of {} bits: it was altered",
                          wrong - corrections.begin(), bits));
}

}  // namespace

std::vector<Slots> CompressedSlots::expand(const ParameterSet& group,
                                           const Monitor& monitor) const {
  return reporting_memory([&] {
    require_group(key_, group.name());
    const Parameters parameters(group);
    require_corrections(corrections_, parameters.correction_bits());
    const PublicStream chi(seed_, StreamPurpose::ciphertexts, 0, size(), parameters.gamma);
    std::vector<Integer> values(size());
    Progress progress(monitor, "expand ciphertexts", size());
    parallel_for(size(), [&](std::size_t i) {
      values[i] = chi.element(i);
      values[i] -= corrections_[i];
      progress.advance();
    });
    std::vector<Slots> whole;
    whole.reserve(size());
    const Integer noise = parameters.fresh_noise();
    for (Integer& value : values) whole.emplace_back(std::move(value), noise, key_);
    return whole;
  });
}

}  // namespace fhe::she

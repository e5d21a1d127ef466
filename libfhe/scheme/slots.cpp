// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/slots.hpp"

#include <utility>

#include <fmt/format.h>

#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"

namespace fhe {

void require_slot_bits(const SlotBits& bits, std::size_t slots) {
  if (bits.size() == slots) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} bits for a ciphertext of {} slots: give one for each slot",
                          bits.size(), slots));
}

std::vector<SlotBits> transposed(const std::vector<SlotBits>& rows) {
  return reporting_memory([&] {
    std::vector<SlotBits> columns(rows.empty() ? 0 : rows.front().size());
    for (const SlotBits& row : rows) {
      for (std::size_t k = 0; k < row.size(); ++k) columns[k].push_back(row[k]);
    }
    return columns;
  });
}

SlotPermutation::SlotPermutation(std::vector<std::uint32_t> sources)
    : sources_(std::move(sources)) {
  SlotBits seen = reporting_memory([&] { return SlotBits(sources_.size()); });
  for (const std::uint32_t source : sources_) {
    if (source >= seen.size() || seen[source]) {
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("a permutation of {} slots names each of 0 to {} once, and not {} {}",
                              seen.size(), seen.size() - 1, source,
                              source < seen.size() ? "twice" : "at all"));
    }
    seen[source] = true;
  }
  if (sources_.empty()) {
    throw Error(ErrorCode::invalid_argument, "a permutation has at least one slot");
  }
}

SlotPermutation SlotPermutation::identity(std::size_t slots) {
  return rotation(slots, 0);
}

SlotPermutation SlotPermutation::rotation(std::size_t slots, std::size_t distance) {
  return reporting_memory([&] {
    std::vector<std::uint32_t> sources(slots);
    for (std::size_t j = 0; j < slots; ++j) {
      sources[j] = static_cast<std::uint32_t>((j + distance) % slots);
    }
    return SlotPermutation(std::move(sources));
  });
}

SlotPermutation SlotPermutation::inverse() const {
  return reporting_memory([&] {
    std::vector<std::uint32_t> targets(sources_.size());
    for (std::size_t j = 0; j < sources_.size(); ++j) {
      targets[sources_[j]] = static_cast<std::uint32_t>(j);
    }
    return SlotPermutation(std::move(targets));
  });
}

SlotBits SlotPermutation::apply(const SlotBits& bits) const {
  return reporting_memory([&] {
    SlotBits permuted;
    for (const std::uint32_t source : sources_) permuted.push_back(bits[source]);
    return permuted;
  });
}

std::vector<SlotPermutation> network_rotations(std::size_t slots) {
  return reporting_memory([&] {
    std::vector<SlotPermutation> rotations;
    for (std::size_t distance = 1; 2 * distance <= slots; distance *= 2) {
      rotations.push_back(SlotPermutation::rotation(slots, distance));
      if (2 * distance == slots) break;  // the same to either side
      rotations.push_back(SlotPermutation::rotation(slots, slots - distance));
    }
    return rotations;
  });
}

}  // namespace fhe

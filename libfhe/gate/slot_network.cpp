// SPDX-License-Identifier: Apache-2.0
#include "libfhe/gate/slot_network.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace fhe {

namespace {

constexpr std::int8_t kUnknown = -1;

// Which half each input of a block goes through, so that both halves get one of every two inputs
// and give one of every two outputs at a distance of half a block.
std::vector<std::int8_t> halves_of(std::span<const std::uint32_t> sources) {
  const std::size_t half = sources.size() / 2;
  std::vector<std::uint32_t> targets(sources.size());
  for (std::size_t j = 0; j < sources.size(); ++j) {
    targets[sources[j]] = static_cast<std::uint32_t>(j);
  }
  std::vector<std::int8_t> halves(sources.size(), kUnknown);
  for (std::size_t start = 0; start < sources.size(); ++start) {
    std::size_t output = start;
    while (halves[sources[output]] == kUnknown) {
      const std::size_t other = sources[output] ^ half;
      halves[sources[output]] = 0;
      halves[other] = 1;
      output = targets[other] ^ half;
    }
  }
  return halves;
}

// Puts the exchanges of a block of 2^k slots into the 2k - 1 layers. The block starts at slot
// `first`, from where its sources count.
void lay(std::span<const std::uint32_t> sources, std::size_t first, std::span<SlotLayer> layers) {
  const std::size_t half = sources.size() / 2;
  if (layers.size() == 1) {
    layers.front().exchanged[first] = sources[0] == 1;
    return;
  }
  const std::vector<std::int8_t> halves = halves_of(sources);
  std::vector<std::uint32_t> within(sources.size());
  for (std::size_t j = 0; j < half; ++j) {
    const bool crosses = halves[sources[j]] == 1;
    layers.front().exchanged[first + j] = halves[j] == 1;
    layers.back().exchanged[first + j] = crosses;
    within[j] = static_cast<std::uint32_t>(sources[crosses ? j + half : j] % half);
    within[j + half] = static_cast<std::uint32_t>(sources[crosses ? j : j + half] % half);
  }
  const auto inner = layers.subspan(1, layers.size() - 2);
  lay(std::span(within).first(half), first, inner);
  lay(std::span(within).subspan(half), first + half, inner);
}

}  // namespace

bool has_slot_network(const SlotPermutation& permutation) {
  const auto sources = permutation.sources();
  for (std::size_t j = std::bit_floor(sources.size()); j < sources.size(); ++j) {
    if (sources[j] != j) return false;
  }
  return true;
}

std::vector<SlotLayer> slot_network(const SlotPermutation& permutation) {
  const std::size_t slots = permutation.slots();
  const std::size_t moved = std::bit_floor(slots);
  if (moved == 1) return {};
  std::vector<SlotLayer> layers;
  for (std::size_t distance = moved / 2; distance > 1; distance /= 2) {
    layers.push_back({distance, SlotBits(slots)});
  }
  for (std::size_t distance = 1; distance < moved; distance *= 2) {
    layers.push_back({distance, SlotBits(slots)});
  }
  lay(permutation.sources().first(moved), 0, layers);
  std::erase_if(layers, [](const SlotLayer& layer) {
    return std::ranges::find(layer.exchanged, true) == layer.exchanged.end();
  });
  return layers;
}

}  // namespace fhe

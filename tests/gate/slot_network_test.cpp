// SPDX-License-Identifier: Apache-2.0
// Networks of exchanges make the permutation that they are made for.
#include "libfhe/gate/slot_network.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/catch.hpp"

namespace fhe::test {

namespace {

SlotBits through(const std::vector<SlotLayer>& layers, SlotBits bits) {
  for (const SlotLayer& layer : layers) {
    for (std::size_t j = 0; j < bits.size(); ++j) {
      if (layer.exchanged[j]) SlotBits::swap(bits[j], bits[j + layer.distance]);
    }
  }
  return bits;
}

// Follows each slot by itself.
void check_network(const SlotPermutation& permutation) {
  const std::vector<SlotLayer> layers = slot_network(permutation);
  for (std::size_t j = 0; j < permutation.slots(); ++j) {
    SlotBits bits(permutation.slots());
    bits[j] = true;
    CHECK(through(layers, bits) == permutation.apply(bits));
  }
}

}  // namespace

TEST_CASE("a network of exchanges makes every permutation of few slots", "[slots]") {
  for (const std::size_t slots : {1U, 2U, 3U, 4U}) {
    std::vector<std::uint32_t> sources(slots);
    std::iota(sources.begin(), sources.end(), 0);
    do {
      const SlotPermutation permutation(sources);
      if (has_slot_network(permutation)) check_network(permutation);
    } while (std::ranges::next_permutation(sources).found);
  }
}

TEST_CASE("a network of exchanges makes random permutations of many slots", "[slots]") {
  std::mt19937 random(1);
  for (const std::size_t moved : {8U, 16U, 64U, 512U}) {
    for (const std::size_t beyond : {0U, 1U, 5U}) {
      std::vector<std::uint32_t> sources(moved + beyond);
      std::iota(sources.begin(), sources.end(), 0);
      std::shuffle(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(moved), random);
      const SlotPermutation permutation(sources);
      REQUIRE(has_slot_network(permutation));
      check_network(permutation);
      std::size_t depth = 0;
      while ((std::size_t{1} << depth) < moved) ++depth;
      CHECK(slot_network(permutation).size() <= 2 * depth - 1);
    }
  }
  CHECK(slot_network(SlotPermutation::identity(16)).empty());
  CHECK_FALSE(has_slot_network(SlotPermutation::rotation(10, 1)));
}

TEST_CASE("a rotation and its inverse are rotations to either side", "[slots]") {
  const SlotPermutation turn = SlotPermutation::rotation(5, 2);
  CHECK(turn.inverse() == SlotPermutation::rotation(5, 3));
  CHECK(turn.apply({true, false, false, false, true}) == SlotBits{false, false, true, true, false});
  CHECK(network_rotations(1).empty());
  CHECK(network_rotations(4).size() == 3);
  CHECK(network_rotations(10).size() == 6);
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
#include "apps/conformance/key_streams.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/random/public_stream.hpp"

namespace fhe::conformance {

namespace {

std::vector<Integer> random_corrections(Operands& operands, std::size_t count, std::size_t bits) {
  std::vector<Integer> corrections(count);
  for (Integer& correction : corrections) {
    correction = operands.with_random_sign(operands.bits(operands.between(0, bits)));
  }
  return corrections;
}

}  // namespace

KeyStream stored_key(Operands& operands, std::size_t count, std::size_t bits, bool corrected) {
  KeyStream key;
  key.elements = std::make_unique<StoredStream>(operands.list(count, bits), bits);
  if (corrected) key.corrections = random_corrections(operands, count, bits + 3);
  key.modulus = operands.exactly(std::max<std::size_t>(2, operands.between(bits / 2, bits + 2)));
  return key;
}

KeyStream full_key(Operands& operands, std::size_t count, std::size_t bits) {
  KeyStream key = stored_key(operands, count, bits, true);
  key.elements = std::make_unique<StoredStream>(std::vector<Integer>(count, all_ones(bits)), bits);
  return key;
}

KeyStream public_key(Operands& operands, std::size_t count, std::size_t bits) {
  StreamSeed seed;
  to_bytes(operands.bits(128), seed);
  KeyStream key;
  key.elements =
      std::make_unique<PublicStream>(seed, StreamPurpose::public_elements, 5, count, bits);
  key.corrections = random_corrections(operands, count, bits / 3);
  key.modulus = operands.exactly(bits);
  return key;
}

SparseWeights sparse(Operands& operands, std::size_t count, std::size_t ones, std::size_t bits) {
  SparseWeights weights{.ones_per_weight = ones, .positions = {}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint32_t> all(bits);
    for (std::size_t p = 0; p < bits; ++p) all[p] = static_cast<std::uint32_t>(p);
    for (std::size_t k = 0; k < ones; ++k) {
      std::swap(all[k], all[operands.between(k, bits - 1)]);
      weights.positions.push_back(all[k]);
    }
  }
  return weights;
}

BlockSelection selection(Operands& operands, std::size_t count, std::size_t block_size,
                         unsigned width) {
  BlockSelection result{.block_size = block_size, .width = width, .masks = {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t all = width == 32 ? ~0U : (1U << width) - 1;
    const std::size_t pick = operands.between(0, 4);
    const auto random = static_cast<std::uint32_t>(operands.between(0, all));
    result.masks.push_back(pick == 0 ? 0 : pick == 1 ? all : random);
  }
  return result;
}

void for_thread_counts(const std::function<void(std::string_view on_threads)>& body) {
  constexpr std::array kCounts{"on the usual threads", "on one thread", "on two threads",
                               "on three threads"};
  for (std::size_t threads = 0; threads < kCounts.size(); ++threads) {
    const ThreadLimit limit(threads);
    body(kCounts.at(threads));
  }
}

std::size_t long_bits(const Backend& backend) {
  return std::clamp<std::size_t>(backend.info().max_operand_bits / 2, 64, std::size_t{1} << 20);
}

}  // namespace fhe::conformance

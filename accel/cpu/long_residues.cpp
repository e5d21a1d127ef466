// SPDX-License-Identifier: Apache-2.0
#include "accel/cpu/long_residues.hpp"

#include <cstddef>
#include <utility>

#include "libfhe/arith/integer_functions.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/ring.hpp"
#include "libfhe/secret/integers.hpp"

namespace fhe::cpu {

namespace {

// W_1, W_2, ..., ready for products.
std::vector<Operand> chunk_weights(const Ring& ring, std::size_t chunks, std::size_t chunk_bits) {
  std::vector<Operand> weights;
  SecretInteger weight(1);
  while (weights.size() + 1 < chunks) {
    weight = SecretInteger(ring.reduce(weight.value() << chunk_bits));
    weights.push_back(ring.prepare(weight.value()));
  }
  return weights;
}

}  // namespace

std::vector<Integer> long_residues(const IntegerStream& stream, const Integer& modulus,
                                   const Backend& backend, const Monitor& monitor) {
  const std::size_t chunk_bits = bit_length(modulus) - 1;
  const auto ring = backend.ring(modulus);
  const std::size_t chunks = (stream.bits() + chunk_bits - 1) / chunk_bits;
  const std::vector<Operand> weights = chunk_weights(*ring, chunks, chunk_bits);
  std::vector<Integer> residues(stream.count());
  Progress progress(monitor, "residues", stream.count());
  parallel_for(stream.count(), [&](std::size_t i) {
    const Integer y = stream.element(i);
    std::vector<OperandPair> terms;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      terms.emplace_back(bits_at(y, (j + 1) * chunk_bits, chunk_bits), weights[j]);
    }
    residues[i] = ring->add(ring->dot(terms), bits_at(y, 0, chunk_bits));
    backend.counters().count_stream_bytes(stream.limbs() * sizeof(Limb));
    progress.advance();
  });
  return residues;
}

}  // namespace fhe::cpu

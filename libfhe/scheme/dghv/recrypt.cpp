// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/recrypt.hpp"

#include "libfhe/scheme/adder/evaluate.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::dghv {

Integer recrypt(const Parameters& parameters, const SquashedKey& key, const Ring& ring,
                const AdderProgram& adder, const Integer& c, const Monitor& monitor) {
  BlockSelection selection{.block_size = parameters.block(),
                           .width = static_cast<unsigned>(parameters.precision) + 1,
                           .masks = expand(parameters, key, c, ring.backend(), monitor)};
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  std::vector<Operand> bits = ring.selected_elements({chi, key.sigma}, selection, monitor);
  return rounded_sum(ring, adder, std::move(bits), c, monitor);
}

// The sums over the blocks are the inputs of the adder: it holds the most.
std::size_t recryption_integers(const Parameters& parameters) {
  return kRingIntegers + adder_integers(parameters.adder_program());
}

Integer rounded_sum(const Ring& ring, const AdderProgram& adder, std::vector<Operand> bits,
                    const Integer& c, const Monitor& monitor) {
  const Operand rounded = evaluate_adder(adder, ring, std::move(bits), monitor);
  return mpz_odd_p(c.get_mpz_t()) != 0 ? ring.add(rounded.value(), 1) : rounded.value();
}

}  // namespace fhe::dghv

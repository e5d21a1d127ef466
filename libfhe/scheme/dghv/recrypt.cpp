// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/recrypt.hpp"

#include "libfhe/scheme/adder/evaluate.hpp"
#include "libfhe/scheme/dghv/digits.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::dghv {

std::optional<AdderProgram> adder_of_recryption(const Parameters& parameters,
                                                std::string_view name) {
  if (parameters.by_digits(name)) return std::nullopt;
  return parameters.adder_program(name);
}

Integer recrypt(const Parameters& parameters, const SquashedKey& key, const Ring& ring,
                const std::optional<AdderProgram>& adder, const Integer& c,
                const Monitor& monitor) {
  if (!adder) return recrypt_by_digits(parameters, key, ring, c, monitor);
  BlockSelection selection{.block_size = parameters.block(),
                           .width = static_cast<unsigned>(parameters.precision) + 1,
                           .masks = expand(parameters, key, c, ring.backend(), monitor)};
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  std::vector<Operand> bits = ring.selected_elements({chi, key.sigma}, selection, monitor);
  return rounded_sum(ring, *adder, std::move(bits), c, monitor);
}

// The sums over the blocks are the inputs of the adder: it holds the most.
std::size_t recryption_integers(const Parameters& parameters) {
  if (parameters.by_digits()) return digit_recryption_integers();
  return kRingIntegers + adder_integers(parameters.adder_program());
}

Integer rounded_sum(const Ring& ring, const AdderProgram& adder, std::vector<Operand> bits,
                    const Integer& c, const Monitor& monitor) {
  const Operand rounded = evaluate_adder(adder, ring, std::move(bits), monitor);
  return mpz_odd_p(c.get_mpz_t()) != 0 ? ring.add(rounded.value(), 1) : rounded.value();
}

}  // namespace fhe::dghv

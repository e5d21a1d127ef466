// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/gh/recrypt.hpp"

#include "libfhe/arith/program_run.hpp"
#include "libfhe/scheme/gh/row_program.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::gh {

std::vector<Integer> recrypt_all(const Parameters& parameters, const KeyOperands& key,
                                 const Ring& ring, const AdderProgram& adder,
                                 std::span<const Integer> cs, const Monitor& monitor) {
  const RowProgram rows(parameters, adder);
  return ring.run(rows.with(key, bit_length(ring.modulus())), cs, monitor);
}

std::size_t recryption_integers(const Parameters& parameters, std::size_t modulus_bits) {
  const SquashedKey key{.x = std::vector<Integer>(parameters.s),
                        .eta = std::vector<Integer>(parameters.s * parameters.c)};
  const KeyOperands operands(nullptr, key);
  const RowProgram rows(parameters, parameters.adder_program());
  return kRingIntegers +
         integers_of_run(rows.with(operands, modulus_bits), modulus_bits, kPreparedIntegers);
}

}  // namespace fhe::gh

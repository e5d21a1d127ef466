// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/dghv/recrypt.hpp"

#include <algorithm>
#include <utility>

#include "libfhe/arith/program_run.hpp"
#include "libfhe/scheme/dghv/digit_program.hpp"
#include "libfhe/scheme/recryption_memory.hpp"

namespace fhe::dghv {

namespace {

// The program of all recryptions with a key of the form `blocks`, by an adder.
class BlockProgram {
 public:
  // All of these must outlive the object.
  BlockProgram(const Parameters& parameters, const SquashedKey& key, const CorrectedStream& sigma,
               const AdderProgram& adder)
      : parameters_(parameters),
        key_(key),
        adder_(adder),
        factors_(squash_stream(parameters, key.seed)),
        elements_(sigma) {
    const std::size_t block = parameters.block();
    for (std::size_t first = 0; first < parameters.Theta; first += block) {
      groups_.push_back({.first = first,
                         .count = std::min(block, parameters.Theta - first),
                         .first_window = first,
                         .window_step = 1});
    }
  }
  BlockProgram(const BlockProgram&) = delete;
  BlockProgram& operator=(const BlockProgram&) = delete;

  [[nodiscard]] RingProgram program() const {
    return {.first_factors = key_.solved,
            .other_factors = &factors_,
            .windows = window_spec(parameters_),
            .residues = {},
            .elements = {&elements_, 1},
            .kept = {},
            .groups = groups_,
            .singles = {},
            .constants = {},
            .steps = adder_.steps(),
            .output = adder_.output()};
  }

 private:
  const Parameters& parameters_;
  const SquashedKey& key_;
  const AdderProgram& adder_;
  PublicStream factors_;
  CorrectedStream elements_;
  std::vector<WindowGroup> groups_;
};

}  // namespace

std::optional<AdderProgram> adder_of_recryption(const Parameters& parameters,
                                                std::string_view name) {
  if (parameters.by_digits(name)) return std::nullopt;
  return parameters.adder_program(name);
}

std::vector<Integer> with_parities(const Ring& ring, const RingProgram& rounded,
                                   std::span<const Integer> cs, const Monitor& monitor) {
  std::vector<Integer> results = ring.run(rounded, cs, monitor);
  for (std::size_t i = 0; i < cs.size(); ++i) {
    if (mpz_odd_p(cs[i].get_mpz_t()) != 0) results[i] = ring.add(results[i], 1);
  }
  return results;
}

std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const Ring& ring, const std::optional<AdderProgram>& adder,
                                 std::span<const Integer> cs, const Monitor& monitor) {
  if (!adder) {
    const DigitProgram digits(parameters, key, ring.modulus());
    return with_parities(ring, digits.program(), cs, monitor);
  }
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  return recrypt_all(parameters, key, {chi, key.sigma}, ring, *adder, cs, monitor);
}

std::vector<Integer> recrypt_all(const Parameters& parameters, const SquashedKey& key,
                                 const CorrectedStream& sigma, const Ring& ring,
                                 const AdderProgram& adder, std::span<const Integer> cs,
                                 const Monitor& monitor) {
  const BlockProgram blocks(parameters, key, sigma, adder);
  return with_parities(ring, blocks.program(), cs, monitor);
}

std::size_t recryption_integers(const RingProgram& program, std::size_t modulus_bits) {
  return kRingIntegers + integers_of_run(program, modulus_bits, kPreparedIntegers);
}

// Of any key: the numbers themselves do not count.
std::size_t recryption_integers(const Parameters& parameters) {
  const SquashedKey key{};
  if (parameters.by_digits()) {
    const DigitProgram digits(parameters, key, 1);
    return recryption_integers(digits.program(), parameters.gamma);
  }
  const PublicStream chi = key_bit_stream(parameters, key.seed);
  const AdderProgram adder = parameters.adder_program();
  const BlockProgram blocks(parameters, key, {chi, {}}, adder);
  return recryption_integers(blocks.program(), parameters.gamma);
}

}  // namespace fhe::dghv

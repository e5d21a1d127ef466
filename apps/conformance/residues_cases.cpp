// SPDX-License-Identifier: Apache-2.0
// The elements of a stream modulo a number, and the sums with which decryption makes residues.
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/key_streams.hpp"
#include "apps/conformance/oracle.hpp"
#include "apps/conformance/trial.hpp"

namespace fhe::conformance {

namespace {

void residues_of(Trial& trial, const IntegerStream& stream, const Integer& p) {
  std::vector<Integer> expected;
  for (const Integer& element : oracle::elements(stream)) {
    expected.push_back(oracle::mod(element, p));
  }
  for_thread_counts([&](std::string_view on_threads) {
    trial.equal(trial.backend().residues(stream, p, trial.monitor()), expected,
                fmt::format("residues of {} elements of {} bits modulo a number of {} bits {}",
                            stream.count(), stream.bits(), bit_length(p), on_threads));
  });
}

void residues_of_streams(Trial& trial) {
  for (const StreamShape& shape : kShapes) {
    const KeyStream key = stored_key(trial.operands(), shape.count, shape.bits, false);
    for (const Integer& p : {Integer(1), Integer(2), trial.operands().exactly(988), key.modulus}) {
      residues_of(trial, *key.elements, p);
    }
  }
}

void too_small_divisors(Trial& trial) {
  const StoredStream stream({1, 2}, 100);
  for (const int modulus : {0, -1}) {
    trial.refuses(
        ErrorCode::invalid_argument,
        [&] { static_cast<void>(trial.backend().residues(stream, modulus, trial.monitor())); },
        fmt::format("residues modulo {}", modulus));
  }
}

// What form.sums() must give.
Integer expected_sum(const Integer& x, const ChunkForm::Shape& shape,
                     const std::vector<Integer>& weights, std::size_t slice) {
  const std::size_t chunk_bits = shape.chunk_limbs * kLimbBits;
  Integer sum;
  for (std::size_t j = 0; j < shape.chunks; ++j) {
    sum += low_bits(x >> ((slice * shape.chunks + j) * chunk_bits), chunk_bits) * weights[j];
  }
  return sum;
}

void sums_of_chunks(Trial& trial, std::size_t bits, std::size_t weight_bits) {
  const auto form = trial.backend().chunk_form(bits, weight_bits);
  if (form == nullptr) return trial.holds(true, "a backend may offer no form in chunks");
  const ChunkForm::Shape shape = form->shape();
  const std::string text =
      fmt::format("a form of {} bits with weights of {} bits", bits, weight_bits);
  trial.holds(shape.slices * shape.chunks * shape.chunk_limbs >= limbs_for_bits(bits) &&
                  shape.chunk_limbs >= limbs_for_bits(weight_bits) && shape.sum_limbs >= 1,
              fmt::format("{} is long enough", text));
  const std::vector<Integer> weights = trial.operands().list(shape.chunks, weight_bits);
  for (std::size_t j = 0; j < shape.chunks; ++j) form->set_weight(j, limbs_of(weights[j]));
  std::vector<Limb> sums(shape.slices * shape.sum_limbs);
  for (const Integer& x : {Integer(0), Integer(1), Integer(power_of_two(bits) - 1),
                           trial.operands().runs(bits), trial.operands().bits(bits)}) {
    form->sums(x, sums);
    for (std::size_t slice = 0; slice < shape.slices; ++slice) {
      const auto sum = std::span(sums).subspan(slice * shape.sum_limbs, shape.sum_limbs);
      trial.equal(from_limbs(sum), expected_sum(x, shape, weights, slice),
                  fmt::format("sum {} of {}", slice, text));
    }
  }
}

void forms_in_chunks(Trial& trial) {
  for (const std::size_t weight_bits : {1U, 64U, 988U, 2698U}) {
    for (const std::size_t bits : {1U, 64U, 5000U, 147'456U}) {
      sums_of_chunks(trial, bits, weight_bits);
    }
  }
}

}  // namespace

std::vector<Case> residues_cases() {
  return {
      {"sums of chunks with secret weights", "residues", forms_in_chunks},
      {"residues of a stream", "residues", residues_of_streams},
      {"residues need a modulus of at least 1", "residues", too_small_divisors},
  };
}

}  // namespace fhe::conformance

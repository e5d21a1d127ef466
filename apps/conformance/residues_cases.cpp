// SPDX-License-Identifier: Apache-2.0
// The elements of a stream modulo a number.
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

}  // namespace

std::vector<Case> residues_cases() {
  return {
      {"residues of a stream", "residues", residues_of_streams},
      {"residues need a modulus of at least 1", "residues", too_small_divisors},
  };
}

}  // namespace fhe::conformance

// SPDX-License-Identifier: Apache-2.0
// Programs of a ring: whole recryptions.
#include <array>
#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "apps/conformance/cases.hpp"
#include "apps/conformance/recryptions.hpp"
#include "apps/conformance/trial.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::conformance {

namespace {

void recryption(Trial& trial) {
  for (const std::size_t bits : {70U, 600U, 5000U, 40'000U}) {
    const Integer modulus = trial.operands().exactly(bits) | (bits == 600 ? 0 : 1);
    const auto ring = trial.backend().ring(modulus);
    for (const auto& [stored, window_bits] : {std::array{1U, 5U}, {2U, 1U}, {0U, 8U}}) {
      Recryption made = random_recryption(trial.operands(), modulus, stored, window_bits);
      for (int again = 0; again < 2; ++again) {
        const std::vector<Integer> results = made.with_program([&](const RingProgram& program) {
          return ring->run(program, {&made.c, 1}, trial.monitor());
        });
        trial.holds(results.size() == 1 && results.front() == made.result(modulus),
                    fmt::format("a recryption in a ring of {} bits", bits));
        made.c = trial.operands().below(modulus);
      }
    }
  }
}

void impossible(Trial& trial) {
  const Integer modulus = trial.operands().exactly(500) | 1;
  const auto ring = trial.backend().ring(modulus);
  const Recryption good = random_recryption(trial.operands(), modulus, 1, 5);
  const auto refuses = [&](const Recryption& bad, const std::string& what) {
    trial.refuses(
        ErrorCode::invalid_argument,
        [&] {
          bad.with_program([&](const RingProgram& program) {
            return ring->run(program, {&bad.c, 1}, trial.monitor()).size();
          });
        },
        "a recryption with " + what);
  };
  const auto changed = [&](auto change) {
    Recryption bad = good;
    change(bad);
    return bad;
  };
  refuses(changed([](Recryption& r) { r.singles.push_back(30); }), "an element that there is not");
  refuses(changed([](Recryption& r) { r.groups[0].count = 0; }), "an empty group");
  refuses(changed([](Recryption& r) { r.groups[0].count = 31; }), "a group that is too long");
  refuses(changed([](Recryption& r) { r.groups[1].window_step = 0; }), "a step of 0");
  refuses(changed([](Recryption& r) { r.groups[1].window_step = SIZE_MAX; }), "a huge step");
  refuses(changed([](Recryption& r) { r.steps[0].left = 1000; }), "a step that reads a later one");
  refuses(changed([](Recryption& r) { r.output = 1000; }), "an output that there is not");
  refuses(changed([](Recryption& r) { r.corrections.pop_back(); }), "a correction too few");
  refuses(changed([](Recryption& r) { r.first_factors[0] = -1; }), "a negative factor");
  refuses(changed([](Recryption& r) { r.windows.window_bits = 0; }), "windows of no bits");
  refuses(changed([](Recryption& r) { r.groups[0].plus = 32; }), "a number too long to be added");
  refuses(changed([](Recryption& r) { r.residue_factors.pop_back(); }), "a residue too few");
  refuses(changed([](Recryption& r) { r.residue_step = SIZE_MAX; }), "a huge step of residues");
}

}  // namespace

std::vector<Case> recryption_cases() {
  return {{"a recryption is what its steps give", "program", recryption},
          {"a recryption that names what there is not is refused", "program", impossible}};
}

}  // namespace fhe::conformance

// SPDX-License-Identifier: Apache-2.0
// What the cheapest known attack costs against a set of problems, and what follows in words.
//
// An estimate is no proof: it knows the attacks of attacks.hpp and nothing else. It carries the
// version of the estimator, which changes whenever a figure can.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libfhe/export.hpp"
#include "libfhe/security/attacks.hpp"
#include "libfhe/security/problems.hpp"

namespace fhe::security {

// The version of the estimator.
inline constexpr int kEstimatorVersion = 2;

// The target of what shall be called secure, in bits.
inline constexpr double kTarget = 128;

// What the figures mean, from the cheapest attack.
enum class Verdict {
  broken,     // below 2^50 cycles: days on one computer
  weak,       // below 2^80: within reach of an organisation
  research,   // below 2^112
  below_128,  // less than 128 bits, by core cost
  passes_128  // no attack below 128 bits, by core cost
};

// "broken today", "weak", "research", "below 128" or "passes 128 as estimated by version 2".
FHE_EXPORT std::string in_words(Verdict verdict);

// A condition, whether it holds, and a clause with the numbers.
struct FHE_EXPORT Check {
  std::string_view name;    // "leftover hash"
  bool holds = false;       // whether it does
  std::string detail = {};  // the numbers

  friend bool operator==(const Check&, const Check&) = default;
};

// All attacks on a set of problems, and what follows. Of samples alone, the cycles, the core cost
// and the verdict never fall when their noise or length grows, and without a public x0, which
// could be factored, when the primes get shorter.
struct FHE_EXPORT Estimate {
  std::vector<Attack> attacks = {};           // that count, the cheapest first; at least one
  std::vector<Attack> optional_attacks = {};  // only against users who ask for what they attack
  // Not attacks, but bounds: what lattices would cost if hidden_lattice_given() were given. They
  // do not count.
  std::vector<Attack> bounds = {};
  std::vector<Check> checks = {};  // of the conditions of the problems
  // Whether a large quantum computer opens everything: it factors x0, or finds the generator of the
  // ideal (Biasse, Song, SODA 2016; Cramer, Ducas, Peikert, Regev, Eurocrypt 2016).
  bool quantum_breaks = false;

  // The cheapest attack that counts, by cycles, and by core cost.
  [[nodiscard]] const Attack& cheapest() const { return attacks.front(); }
  [[nodiscard]] const Attack& cheapest_core() const;
  // Of all attacks that count, log2 of the cycles, of the core cost, and of the core cost on a
  // quantum computer, each of the cheapest; the last is nothing where quantum_breaks.
  [[nodiscard]] double cycles() const { return cheapest().cycles; }
  [[nodiscard]] double core() const { return cheapest_core().core; }
  [[nodiscard]] std::optional<double> quantum() const;
  // What they mean. Nothing passes without an attack by lattices among those that count.
  [[nodiscard]] Verdict verdict() const;
  // The figures that are called security: core and quantum, rounded down.
  [[nodiscard]] int bits() const;
  [[nodiscard]] std::optional<int> quantum_bits() const;

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// "broken today: unique shortest vector at block size 2, 2^26.1 cycles", or for what passes the
// verdict alone.
FHE_EXPORT std::string reason_in_words(const Estimate& estimate);

// What a key publishes beside what encryption needs.
struct FHE_EXPORT Published {
  bool recryption_keys = true;  // the squashed key, with its encrypted bits
};

// All known attacks on these problems. Requires `samples`, `gadget` or `ideal`. Any thread may call
// it.
FHE_EXPORT Estimate estimate(const Problems& problems, const Published& published = {});

// A time on one core at 3 GHz, in words: "6 s", "4 days", "2^40 years".
FHE_EXPORT std::string time_in_words(double cycles);

}  // namespace fhe::security

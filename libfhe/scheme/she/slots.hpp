// SPDX-License-Identifier: Apache-2.0
// Encrypted numbers in slots, and arithmetic on them, which needs no key.
//
// Threads: const objects may be shared by any number of threads.
//
// Errors: every operation gives the right result or throws fhe::Error, as listed at each function
// and also with the codes stopped (the monitor's stop was requested) and out_of_memory, and what a
// backend throws when it cannot serve (io, unsupported). A call that throws has changed nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/export.hpp"
#include "libfhe/held.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/ciphertext.hpp"
#include "libfhe/scheme/parameters.hpp"
#include "libfhe/scheme/she/parameters.hpp"

namespace fhe::she {

// The numbers of one ciphertext, each in [0, Q), slot by slot.
using SlotNumbers = std::vector<std::uint64_t>;

// An encrypted number in each of many slots: an integer of either sign, the bound on its noise
// (parameters.hpp), and the key that it belongs to. A value. Malleable by design, and without
// integrity: authenticate what you store or send. To those who see the ciphertexts that it was
// computed from it shows what was computed, without a key (Arithmetic).
class FHE_EXPORT Slots {
 public:
  // What is impossible is refused where it is used.
  Slots(Integer value, Integer noise, KeyId key)
      : value_(std::move(value)), noise_(std::move(noise)), key_(std::move(key)) {}

  // The integer, the bound that is claimed for its noise, and the key that it belongs to.
  [[nodiscard]] const Integer& value() const { return value_; }
  [[nodiscard]] const Integer& noise() const { return noise_; }
  [[nodiscard]] const KeyId& key() const { return key_; }

 private:
  Integer value_;
  Integer noise_;
  KeyId key_;
};

// Throws Error(wrong_key) unless x belongs to `key`; Error(noise_exceeded) when its claimed noise
// is beyond the limit; Error(invalid_argument) when it has more bits than any that decrypts, or a
// negative bound: what every operation checks before it touches one.
FHE_EXPORT void require_slots_of(const KeyId& key, const Parameters& parameters, const Slots& x);

// log2 of a bound on noise, rounded to the nearest double; 0 for bounds below 1.
[[nodiscard]] FHE_EXPORT double noise_bits(const Integer& noise);

// Arithmetic modulo Q, slot by slot, on the numbers of one group: without a key, so whoever has the
// ciphertexts can do it. Operands belong to one key, or Error(wrong_key) is thrown. The bound of
// each result is computed before it is: what might not decrypt is refused with
// Error(noise_exceeded), and nothing is computed. There is no other failure: what is returned
// decrypts to the right numbers, as certainly as the operands keep to their bounds.
//
// A product with new ciphertexts adds gamma bits to the length, and what has many factors is long.
// There are no rotations: the number in a slot stays there.
//
// A result hides nothing of how it was computed. It is a polynomial in known integers, with the
// constants as coefficients: whoever sees operands and result finds the constants, by division or
// by lattice reduction, and needs no key.
class FHE_EXPORT Arithmetic {
 public:
  // Throws Error(invalid_parameters) for a group of another family.
  explicit Arithmetic(const ParameterSet& group, BackendPtr backend = open_backend());

  // The numbers of the group.
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

  // x + y, x - y, -x, x y and x^2, the first two with the sum of the bounds, the products with
  // their product. Operands may be one object.
  [[nodiscard]] Slots add(const Slots& x, const Slots& y) const;
  [[nodiscard]] Slots subtract(const Slots& x, const Slots& y) const;
  [[nodiscard]] Slots negate(const Slots& x) const;
  [[nodiscard]] Slots multiply(const Slots& x, const Slots& y) const;
  [[nodiscard]] Slots square(const Slots& x) const;

  // x + a and a x in every slot. Of the numbers that are a modulo Q the one in (-Q/2, Q/2] counts:
  // |a| and |a| times the bound of x must be within the limit. The bound of the result does not
  // state a: it grows by Q/2, and by the least power of two that is not below |a|, or up to the
  // limit. The integers do state it: whoever has x and the result knows a. A product with 0 is 0,
  // and hides nothing.
  [[nodiscard]] Slots add_constant(const Slots& x, std::int64_t a) const;
  [[nodiscard]] Slots multiply_constant(const Slots& x, std::int64_t a) const;

  // The sums of all x_i, of all a_i x_i, and of all x_i y_i. Requires at least one, and as many of
  // both; throws Error(invalid_argument) otherwise. The bound of a sum of all a_i x_i is the
  // largest bound of the x_i times the least power of two that suffices, or the limit. Products are
  // computed on all threads.
  [[nodiscard]] Slots sum(const std::vector<Slots>& xs, const Monitor& monitor = {}) const;
  [[nodiscard]] Slots weighted_sum(const std::vector<Slots>& xs,
                                   const std::vector<std::int64_t>& as,
                                   const Monitor& monitor = {}) const;
  [[nodiscard]] Slots inner_sum(const std::vector<Slots>& xs, const std::vector<Slots>& ys,
                                const Monitor& monitor = {}) const;

 private:
  void require(const Slots& x) const;
  void require_pair(const Slots& x, const Slots& y) const;
  void require_product(const Slots& x, const Slots& y) const;
  [[nodiscard]] Integer centred(std::int64_t a) const;

  std::string group_;
  Parameters parameters_;
  HeldPtr<const Backend> backend_;
};

}  // namespace fhe::she

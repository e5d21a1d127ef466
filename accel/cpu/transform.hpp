// SPDX-License-Identifier: Apache-2.0
// Products of big integers by transforms: what every field and kernel of the engine offers.
//
// A plan multiplies modulo 2^(64 L) - 1 for its length L in limbs: the integers are cut into
// digits, the digit sequences are convolved cyclically by a number-theoretic transform, and the
// digits of the result are carried out again. Products of at most 64 L bits come out as they are;
// longer ones wrap around, which is wanted where only a part of a product is needed.
//
// Threads: plans are immutable and may be shared; a spectrum is used by one thread at a time when
// it is written, by any number when it is read. Calls may use several threads inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "accel/cpu/pooled_words.hpp"
#include "libfhe/arith/integer.hpp"

namespace fhe::cpu {

// The transform of an operand, or a sum of products of such. Only its plan knows the order of the
// words.
using Spectrum = PooledWords;

class TransformPlan {
 public:
  virtual ~TransformPlan() = default;
  TransformPlan(const TransformPlan&) = delete;
  TransformPlan& operator=(const TransformPlan&) = delete;

  // L: results are modulo 2^(64 L) - 1.
  [[nodiscard]] virtual std::size_t limbs() const = 0;

  // How many products may be accumulated in one spectrum before its inverse, by the proven bound on
  // the digits of the result; at least 1.
  [[nodiscard]] virtual std::size_t max_terms() const = 0;

  // The spectrum of x. Requires x.size() <= limbs().
  [[nodiscard]] virtual Spectrum forward(std::span<const Limb> x) const = 0;

  // sum = a * b, and sum += a * b, point by point. The spectra may be one object.
  virtual void multiply(Spectrum& product, const Spectrum& a, const Spectrum& b) const = 0;
  virtual void add_product(Spectrum& sum, const Spectrum& a, const Spectrum& b) const = 0;

  // The same for an x that is not transformed yet and whose spectrum is not wanted: the steps are
  // taken in the order that is best for the cache. Requires x.size() <= limbs(); the spectra may
  // not be one object.
  virtual void multiply(Spectrum& product, std::span<const Limb> x, const Spectrum& y) const;
  virtual void add_product(Spectrum& sum, std::span<const Limb> x, const Spectrum& y) const;

  // The integer in [0, 2^(64 L) - 1) that the spectrum stands for, into out.size() == limbs()
  // limbs. Uses the spectrum up.
  virtual void inverse(Spectrum& spectrum, std::span<Limb> out) const = 0;

  // x * y modulo 2^(64 L) - 1 at once: the order of the steps is chosen for the cache, and a square
  // (x and y the same memory) is transformed once. Requires sizes of at most limbs(); `out` has
  // limbs() limbs and may overlap x and y.
  virtual void product(std::span<const Limb> x, std::span<const Limb> y,
                       std::span<Limb> out) const = 0;

  // The same with the spectrum of y kept: one transform less.
  virtual void product(std::span<const Limb> x, const Spectrum& y, std::span<Limb> out) const = 0;

 protected:
  TransformPlan() = default;
};

using PlanPtr = std::shared_ptr<const TransformPlan>;

// plan.inverse and plan.product into an integer; of x and y the absolute values count.
Integer inverse_integer(const TransformPlan& plan, Spectrum& spectrum);
Integer product_integer(const TransformPlan& plan, const Integer& x, const Integer& y);

}  // namespace fhe::cpu

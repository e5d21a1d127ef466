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
#include <utility>

#include "libfhe/arith/integer.hpp"

namespace fhe::solinas {

// A spectrum's memory: 64-byte aligned words, moved but not copied.
class Spectrum {
 public:
  Spectrum() = default;
  explicit Spectrum(std::size_t words);
  Spectrum(Spectrum&& other) noexcept
      : words_(std::move(other.words_)), size_(std::exchange(other.size_, 0)) {}
  Spectrum& operator=(Spectrum&& other) noexcept {
    words_ = std::move(other.words_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  [[nodiscard]] std::uint64_t* data() { return words_.get(); }
  [[nodiscard]] const std::uint64_t* data() const { return words_.get(); }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::uint64_t* words) const;
  };
  std::unique_ptr<std::uint64_t[], Free> words_;
  std::size_t size_ = 0;
};

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

  // The integer in [0, 2^(64 L) - 1) that the spectrum stands for, into out.size() == limbs()
  // limbs. Uses the spectrum up.
  virtual void inverse(Spectrum& spectrum, std::span<Limb> out) const = 0;

  // x * y modulo 2^(64 L) - 1 at once: the order of the steps is chosen for the cache, and a square
  // (x and y the same memory) is transformed once. Requires sizes of at most limbs(); `out` has
  // limbs() limbs and overlaps neither.
  virtual void product(std::span<const Limb> x, std::span<const Limb> y,
                       std::span<Limb> out) const = 0;

 protected:
  TransformPlan() = default;
};

using PlanPtr = std::shared_ptr<const TransformPlan>;

// plan.inverse and plan.product into an integer; of x and y the absolute values count.
Integer inverse_integer(const TransformPlan& plan, Spectrum& spectrum);
Integer product_integer(const TransformPlan& plan, const Integer& x, const Integer& y);

}  // namespace fhe::solinas

// Z/N on the engine: Barrett reduction with the spectra of N and of its reciprocal kept.
#pragma once

#include <memory>

#include "accel/solinas/engine.hpp"
#include "libfhe/arith/ring.hpp"

namespace fhe::solinas {

// A product of two fresh operands modulo an n-bit N, in transforms of the length of 2n bits:
//
//   x = a b                2 forward, 1 inverse
//   q = (x >> n) mu >> n   1 forward, 1 inverse       (mu = floor(2^(2n) / N), its spectrum is
//   kept) r = x - q N            1 forward, 1 inverse of half the length: r is small, so it is
//   enough to
//                          know it modulo 2^(64 L) - 1 just above N (N's spectrum is kept)
//
// so it costs two plain products. With x < 2^n N: (x >> n) mu < 2^n N < 2^(2n), so no product is
// longer than 2n bits; q is at most floor(x / N) and less than 5 below x / N, because cutting x
// costs it less than mu / 2^n <= 2, cutting mu less than 1 and the last shift less than 1. So r < 5
// N.
class ModularRing final : public Ring {
 public:
  // `engine` is kept alive by `backend`.
  ModularRing(BackendPtr backend, const Engine& engine, const Integer& modulus);

  [[nodiscard]] Integer reduce(const Integer& x) const override;
  [[nodiscard]] Operand prepare(const Integer& x) const override;
  [[nodiscard]] Integer multiply(const Operand& a, const Operand& b) const override;
  [[nodiscard]] Integer dot(std::span<const OperandPair> terms) const override;

 private:
  // x mod N for 0 <= x < 2^n N.
  [[nodiscard]] Integer reduce_product(const Integer& x) const;
  // q N modulo 2^(64 L) - 1 of the short plan.
  [[nodiscard]] Integer wrapped_multiple(const Integer& quotient) const;
  // Products that `dot` may accumulate in one spectrum.
  [[nodiscard]] std::size_t accumulation_limit() const;
  void count_product() const;

  std::size_t bits_;       // n
  PlanPtr long_plan_;      // products of 2n bits
  PlanPtr short_plan_;     // remainders
  Integer short_modulus_;  // 2^(64 L) - 1 of the short plan
  Spectrum reciprocal_;
  Spectrum modulus_;
};

}  // namespace fhe::solinas

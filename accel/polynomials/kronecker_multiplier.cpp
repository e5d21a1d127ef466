// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "accel/polynomials/polynomial_multiplier.hpp"
#include "libfhe/arith/parallel.hpp"

namespace fhe {

namespace {

// x at 2^(8 slot_bytes). Requires that the coefficients fit.
Integer packed(const Polynomial& x, std::size_t slot_bytes) {
  std::vector<std::byte> bytes(x.size() * slot_bytes);
  const std::span all(bytes);
  for (std::size_t i = 0; i < x.size(); ++i) {
    to_bytes(x[i], all.subspan(i * slot_bytes, slot_bytes));
  }
  return from_bytes(bytes);
}

Polynomial unpacked(const Integer& x, std::size_t slot_bytes, std::size_t size,
                    const Integer& modulus) {
  std::vector<std::byte> bytes(size * slot_bytes);
  to_bytes(x, bytes);
  const std::span<const std::byte> all(bytes);
  Polynomial result;
  result.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    result.emplace_back(from_bytes(all.subspan(i * slot_bytes, slot_bytes)) % modulus);
  }
  return result;
}

class KroneckerMultiplier final : public PolynomialMultiplier {
 public:
  KroneckerMultiplier(Integer modulus, BackendPtr backend)
      : PolynomialMultiplier(std::move(modulus)), backend_(std::move(backend)) {}

 private:
  [[nodiscard]] Polynomial product(const Polynomial& a, const Polynomial& b) const override {
    const Integer largest = modulus() - 1;
    const Integer column = largest * largest * std::min(a.size(), b.size());
    const std::size_t slot_bytes = bytes_for_bits(bit_length(column));
    const Integer whole = backend_->multiply(packed(a, slot_bytes), packed(b, slot_bytes));
    return unpacked(whole, slot_bytes, a.size() + b.size() - 1, modulus());
  }

  [[nodiscard]] std::vector<Polynomial> products(std::span<const Operands> batch) const override {
    std::vector<Polynomial> results(batch.size());
    parallel_for(batch.size(),
                 [&](std::size_t i) { results[i] = product(batch[i].a, batch[i].b); });
    return results;
  }

  BackendPtr backend_;
};

}  // namespace

std::unique_ptr<PolynomialMultiplier> kronecker_multiplier(Integer modulus, BackendPtr backend) {
  return std::make_unique<KroneckerMultiplier>(std::move(modulus), std::move(backend));
}

}  // namespace fhe

// SPDX-License-Identifier: Apache-2.0
#include <new>
#include <utility>

#include <NTL/ZZ.h>
#include <NTL/ZZ_limbs.h>
#include <NTL/tools.h>
#include <NTL/version.h>
#include <fmt/format.h>

#include "accel/factories.hpp"
#include "libfhe/arith/operand_length.hpp"
#include "libfhe/error.hpp"

namespace fhe::ntl {

namespace {

static_assert(sizeof(NTL::ZZ_limb_t) == sizeof(Limb), "NTL must be built over GMP's limbs");

// NTL ends the process when an operand outgrows its size field, so lengths are checked first.
constexpr std::size_t kMaxOperandBits = std::size_t{1} << 34;

NTL::ZZ to_zz(const Integer& x) {
  const auto limbs = limbs_of(x);
  NTL::ZZ result;
  NTL::ZZ_limbs_set(result, limbs.data(), static_cast<long>(limbs.size()));
  return result;
}

Integer magnitude_of(const NTL::ZZ& x) {
  return from_limbs({NTL::ZZ_limbs_get(x), static_cast<std::size_t>(x.size())});
}

// While alive, lack of memory inside NTL is std::bad_alloc on this thread, as it is where NTL was
// built with exceptions; elsewhere NTL would end the process. Operands are of checked length, so
// NTL has nothing else to complain about. It holds no memory by hand where it may call this.
class ThrowingNtl {
 public:
  ThrowingNtl() : previous_(std::exchange(::NTL::ErrorCallback, [] { throw std::bad_alloc(); })) {}
  ~ThrowingNtl() { ::NTL::ErrorCallback = previous_; }
  ThrowingNtl(const ThrowingNtl&) = delete;
  ThrowingNtl& operator=(const ThrowingNtl&) = delete;

 private:
  void (*previous_)();
};

class NtlBackend final : public Backend {
 public:
  [[nodiscard]] BackendInfo info() const override {
    return {.name = "ntl",
            .description = fmt::format("NTL {} over GMP {}", NTL_VERSION, gmp_version),
            .max_operand_bits = kMaxOperandBits,
            .native = {"multiply"}};
  }

  [[nodiscard]] Integer multiply(const Integer& x, const Integer& y) const override {
    require_operand_lengths(x, y, kMaxOperandBits, "ntl");
    counters().count_multiplication(mpz_size(x.get_mpz_t()), mpz_size(y.get_mpz_t()));
    const ThrowingNtl throwing;
    NTL::ZZ product;
    if (&x == &y) {
      NTL::sqr(product, to_zz(x));
    } else {
      NTL::mul(product, to_zz(x), to_zz(y));
    }
    Integer result = magnitude_of(product);
    return sgn(x) * sgn(y) < 0 ? Integer(-result) : result;
  }
};

BackendPtr open(std::string_view options) {
  if (!options.empty()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the ntl backend takes no options, but got '{}'", options));
  }
  return std::make_shared<const NtlBackend>();
}

}  // namespace

BackendFactory factory() {
  return {.name = "ntl",
          .summary = "NTL over GMP: the reference; runs everywhere, takes no options",
          .open = open};
}

}  // namespace fhe::ntl

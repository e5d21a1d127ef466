// SPDX-License-Identifier: Apache-2.0
#include "libfhe/scheme/she/slots.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/memory_errors.hpp"
#include "libfhe/scheme/family.hpp"
#include "libfhe/scheme/she/bounds.hpp"
#include "libfhe/scheme/she/group_rules.hpp"
#include "libfhe/scheme/she/numbers.hpp"

namespace fhe::she {

namespace {

Error too_long(std::size_t bits, const Parameters& p, std::string_view what) {
  return {ErrorCode::invalid_argument,
          fmt::format("{} would have {} bits, and none that decrypts has more than {}: an operand "
                      "claims less noise than it has",
                      what, bits, p.most_bits())};
}

void require_any(std::size_t count) {
  if (count > 0) return;
  throw Error(ErrorCode::invalid_argument, "a sum of no ciphertexts belongs to no key: give one");
}

void require_as_many(std::size_t count, std::size_t others) {
  if (count == others) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("{} ciphertexts and {} to multiply them with: give as many of both",
                          count, others));
}

}  // namespace

double noise_bits(const Integer& noise) {
  if (noise < 1) return 0;
  long exponent = 0;
  const double mantissa = mpz_get_d_2exp(&exponent, noise.get_mpz_t());
  return static_cast<double>(exponent) + std::log2(mantissa);
}

void require_slots_of(const KeyId& key, const Parameters& parameters, const Slots& x) {
  require_same_key(key, x.key(), "this ciphertext");
  if (x.noise() < 0) {
    throw Error(ErrorCode::invalid_argument, "a ciphertext claims a negative bound on its noise");
  }
  require_noise(x.noise(), parameters, "a ciphertext");
  const std::size_t bits = bit_length(x.value());
  if (bits > parameters.most_bits()) throw too_long(bits, parameters, "a ciphertext");
}

Arithmetic::Arithmetic(const ParameterSet& group, BackendPtr backend)
    : group_(group.name()),
      parameters_(reporting_memory([&] {
        require_family(group, GroupPurpose::slots);
        return Parameters(group);
      })),
      backend_("the arithmetic", required(std::move(backend), "the backend")) {}

void Arithmetic::require(const Slots& x) const {
  static_cast<void>(backend_.pointer());  // throws where it was moved from
  require_group(x.key(), group_);
  require_slots_of(x.key(), parameters_, x);
}

void Arithmetic::require_pair(const Slots& x, const Slots& y) const {
  require_same_key(x.key(), y.key(), "the other ciphertext");
  require(x);
  require(y);
}

void Arithmetic::require_product(const Slots& x, const Slots& y) const {
  require_pair(x, y);
  require_noise(x.noise() * y.noise(), parameters_, "the product");
  const std::size_t bits = bit_length(x.value()) + bit_length(y.value());
  if (bits > parameters_.most_bits()) throw too_long(bits, parameters_, "the product");
}

Integer Arithmetic::centred(std::int64_t a) const {
  const Integer modulus = static_cast<unsigned long>(parameters_.plaintext);
  Integer residue = static_cast<long>(a);
  mpz_fdiv_r(residue.get_mpz_t(), residue.get_mpz_t(), modulus.get_mpz_t());
  return 2 * residue > modulus ? Integer(residue - modulus) : residue;
}

Slots Arithmetic::add(const Slots& x, const Slots& y) const {
  return reporting_memory([&] {
    require_pair(x, y);
    Integer noise = x.noise() + y.noise();
    require_noise(noise, parameters_, "the sum");
    return Slots(x.value() + y.value(), std::move(noise), x.key());
  });
}

Slots Arithmetic::subtract(const Slots& x, const Slots& y) const {
  return reporting_memory([&] {
    require_pair(x, y);
    Integer noise = x.noise() + y.noise();
    require_noise(noise, parameters_, "the difference");
    return Slots(x.value() - y.value(), std::move(noise), x.key());
  });
}

Slots Arithmetic::negate(const Slots& x) const {
  return reporting_memory([&] {
    require(x);
    return Slots(-x.value(), x.noise(), x.key());
  });
}

Slots Arithmetic::multiply(const Slots& x, const Slots& y) const {
  return reporting_memory([&] {
    require_product(x, y);
    return Slots(backend_->multiply(x.value(), y.value()), x.noise() * y.noise(), x.key());
  });
}

Slots Arithmetic::square(const Slots& x) const {
  return multiply(x, x);
}

Slots Arithmetic::add_constant(const Slots& x, std::int64_t a) const {
  return reporting_memory([&] {
    require(x);
    const Integer constant = centred(a);
    require_noise(x.noise() + abs(constant), parameters_, "the sum");
    const Integer most = x.noise() + to_integer(parameters_.plaintext / 2);
    return Slots(x.value() + constant, std::min(most, parameters_.noise_limit()), x.key());
  });
}

Slots Arithmetic::multiply_constant(const Slots& x, std::int64_t a) const {
  return reporting_memory([&] {
    require(x);
    const Integer constant = centred(a);
    const Integer noise = x.noise() * abs(constant);
    require_noise(noise, parameters_, "the product");
    return Slots(x.value() * constant, public_bound(noise, x.noise(), parameters_), x.key());
  });
}

Slots Arithmetic::sum(const std::vector<Slots>& xs, const Monitor& monitor) const {
  return reporting_memory([&] {
    require_any(xs.size());
    Integer noise;
    for (const Slots& x : xs) {
      require_pair(xs.front(), x);
      noise += x.noise();
    }
    require_noise(noise, parameters_, "the sum");
    Integer value;
    Progress progress(monitor, "sum", xs.size());
    for (const Slots& x : xs) {
      value += x.value();
      progress.advance();
    }
    return Slots(std::move(value), std::move(noise), xs.front().key());
  });
}

Slots Arithmetic::weighted_sum(const std::vector<Slots>& xs, const std::vector<std::int64_t>& as,
                               const Monitor& monitor) const {
  return reporting_memory([&] {
    require_any(xs.size());
    require_as_many(xs.size(), as.size());
    Integer noise;
    Integer most;
    std::vector<Integer> constants;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      require_pair(xs.front(), xs[i]);
      constants.push_back(centred(as[i]));
      noise += xs[i].noise() * abs(constants.back());
      most = std::max(most, xs[i].noise());
    }
    require_noise(noise, parameters_, "the sum");
    Integer value;
    Progress progress(monitor, "sum", xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i) {
      mpz_addmul(value.get_mpz_t(), xs[i].value().get_mpz_t(), constants[i].get_mpz_t());
      progress.advance();
    }
    return Slots(std::move(value), public_bound(noise, most, parameters_), xs.front().key());
  });
}

// As many products at a time as there are threads: each is twice as long as its factors.
Slots Arithmetic::inner_sum(const std::vector<Slots>& xs, const std::vector<Slots>& ys,
                            const Monitor& monitor) const {
  return reporting_memory([&] {
    require_any(xs.size());
    require_as_many(xs.size(), ys.size());
    Integer noise;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      require_pair(xs.front(), xs[i]);
      require_product(xs[i], ys[i]);
      noise += xs[i].noise() * ys[i].noise();
    }
    require_noise(noise, parameters_, "the sum of products");
    Integer value;
    std::vector<Integer> products(thread_count());
    Progress progress(monitor, "sum of products", xs.size());
    for (std::size_t first = 0; first < xs.size(); first += products.size()) {
      const std::size_t count = std::min(products.size(), xs.size() - first);
      parallel_for(count, [&](std::size_t i) {
        products[i] = backend_->multiply(xs[first + i].value(), ys[first + i].value());
        progress.advance();
      });
      for (std::size_t i = 0; i < count; ++i) value += products[i];
    }
    return Slots(std::move(value), std::move(noise), xs.front().key());
  });
}

}  // namespace fhe::she

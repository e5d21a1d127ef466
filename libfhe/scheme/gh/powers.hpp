// SPDX-License-Identifier: Apache-2.0
// The value u(r) mod d of a sparse polynomial: the whole work of an encryption. Not installed.
//
// Two ways, chosen by PowerCache:
//
//   PowerLadder  r, r^2, r^4, ... and for each u about h log2(n) / 2 products more; no table.
//   PowerTable   all r^e = r^(A g + a) from A babies r^a, kept as plain integers, and n / A giants
//                r^(A g), kept as prepared operands:
//
//                  u(r) = sum_g r^(A g) (sum of the +- r^a of group g)
//
//                costs additions, one transform for each of the at most min(h, n / A) groups, and
//                one reduction. A + n / A products make the table.
//
// A is n while that takes at most 16 MiB, so that there are no products at all, else about
// sqrt(8 n), where memory is least: a prepared operand takes 6 to 7 times the room of a plain one.
//
//        n       A   n / A   table     products: table, one evaluation with its own ladder
//      512     512       1    13 MB         510   103
//     2048     128      16    24 MB         141    99
//     8192     256      32   190 MB         285   110
//    32768     512      64   1.5 GB         573   127
//
// Key generation evaluates hundreds of polynomials: there A is four times as large where the babies
// then take at most 512 MiB (n = 2048 and 8192), which leaves a quarter of the groups.
//
// Values of u(r) are secret as u is: the backend sees them (backend.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "libfhe/arith/ring.hpp"
#include "libfhe/monitor.hpp"
#include "libfhe/scheme/gh/noise_polynomial.hpp"

namespace fhe::gh {

// base^exponent mod N. Requires base in [0, N).
Integer power(const Ring& ring, const Integer& base, std::size_t exponent);

// Evaluates polynomials at one point r. Immutable; any number of threads may use it.
class Powers {
 public:
  virtual ~Powers() = default;
  Powers(const Powers&) = delete;
  Powers& operator=(const Powers&) = delete;

  [[nodiscard]] const Ring& ring() const { return *ring_; }

  // u(r) mod d, in [0, d). Requires exponents below n.
  [[nodiscard]] virtual Integer evaluate(const NoisePolynomial& u) const = 0;

 protected:
  explicit Powers(std::shared_ptr<const Ring> ring) : ring_(std::move(ring)) {}

 private:
  std::shared_ptr<const Ring> ring_;
};

class PowerLadder final : public Powers {
 public:
  // Requires 0 <= r < d and n a power of two.
  PowerLadder(std::shared_ptr<const Ring> ring, const Integer& r, std::size_t n,
              const Monitor& monitor);

  [[nodiscard]] Integer evaluate(const NoisePolynomial& u) const override;

  // Products of the ladder itself, and about how many an evaluation of h terms takes.
  static std::size_t products(std::size_t n, std::size_t h);

 private:
  // u(r^(2^level)) = e(r^(2^(level+1))) + r^(2^level) o(r^(2^(level+1))).
  [[nodiscard]] Integer value(const NoisePolynomial& u, std::size_t level) const;

  std::vector<Operand> squares_;  // r^(2^k), 2^k < n
};

class PowerTable final : public Powers {
 public:
  // Requires 0 <= r < d and n a power of two. Made in parallel by doubling.
  PowerTable(const std::shared_ptr<const Ring>& ring, const Integer& r, std::size_t n,
             const Monitor& monitor);
  // The same with `babies` of them, a power of two from 2 to n.
  PowerTable(std::shared_ptr<const Ring> ring, const Integer& r, std::size_t n, std::size_t babies,
             const Monitor& monitor);

  [[nodiscard]] Integer evaluate(const NoisePolynomial& u) const override;

  // A for numbers of that many bits.
  static std::size_t babies(std::size_t n, std::size_t bits);
  // A where hundreds of polynomials are evaluated.
  static std::size_t babies_for_many(std::size_t n, std::size_t bits);
  // Products that make the table.
  static std::size_t products(std::size_t n, std::size_t bits);

 private:
  std::vector<Integer> babies_;  // r^0, ..., r^(A-1)
  std::vector<Operand> giants_;  // r^(A g) for g >= 1, at g - 1
};

// The powers of one r, and the decision when to make the table: as soon as the evaluations asked
// for so far would have paid for it. Memory: nothing until then, and then the table (see above).
// Any number of threads may use it.
class PowerCache {
 public:
  // h: terms of the polynomials to come.
  PowerCache(std::shared_ptr<const Ring> ring, Integer r, std::size_t n, std::size_t h);

  // What to evaluate `count` polynomials with.
  [[nodiscard]] std::shared_ptr<const Powers> powers_for(std::size_t count, const Monitor& monitor);

  // Makes the table unless it is there.
  void make_table(const Monitor& monitor);

 private:
  [[nodiscard]] bool claim_table(std::size_t count);

  std::shared_ptr<const Ring> ring_;
  Integer r_;
  std::size_t n_;
  std::size_t h_;
  std::mutex guard_;  // never held while anything is computed: loops may run other work meanwhile
  std::shared_ptr<const PowerTable> table_;
  std::size_t evaluations_ = 0;  // asked for while there is no table
  bool in_the_making_ = false;
};

}  // namespace fhe::gh

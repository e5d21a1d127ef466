// SPDX-License-Identifier: Apache-2.0
// One way of doing big-integer arithmetic: in software, on an accelerator, in a simulator.
//
// A new backend implements `info` and `multiply`; everything else has a default built on them, to
// be overridden where the backend can do better. Results are exact and identical, bit for bit, on
// every backend: `fhe backends test` (apps/conformance) compares what a backend does with plain
// integer arithmetic.
//
// Threads: a backend is immutable, so any number of threads may use it at once; calls are
// synchronous, and a call may use several threads inside (see parallel.hpp).
//
// Secrets: encryption passes values that reveal the encrypted bit: weights to weighted_sums, and
// sums made with them to Ring::dot, reduce, add, subtract and multiply; where ciphertexts have
// slots, the bits themselves as the masks of selected_sums. Key generation and encryption by the
// key's owner pass the secret prime, or the product of those of all slots, to residues, key
// generation the candidates for its secret primes to a fermat_test, and decryption powers of two
// modulo a prime to a chunk_form; in the lattice scheme (GH), key generation passes the secret
// polynomial to multiply, and the secret choice of the squashed key and what encrypts it to the
// ring. Nothing else that a backend sees is secret. So a device is trusted with the bits that are
// encrypted on it, and with the key only if GH keys are made on it.
//
// Errors: every call that takes a Monitor may throw Error(stopped). Hardware backends throw
// Error(unsupported) or Error(io) when the device cannot serve a call; they give no wrong result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "libfhe/arith/chunk_form.hpp"
#include "libfhe/arith/counters.hpp"
#include "libfhe/arith/fermat_test.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"

namespace fhe {

class FHE_EXPORT Backend;
class FHE_EXPORT Ring;

// Backends are shared: rings, keys and evaluators keep alive the one that they were made with.
using BackendPtr = std::shared_ptr<const Backend>;

// What `fhe backends` prints about a backend.
struct FHE_EXPORT BackendInfo {
  std::string name;                 // as the registry knows it, such as "ntl"
  std::string description;          // one line: library and version, device, instruction set
  std::size_t max_operand_bits;     // longest operand that `multiply` accepts
  std::vector<std::string> native;  // operations that do not use the defaults, such as "multiply"
};

// Which bits of the products c * y_i are wanted; see Backend::product_windows.
struct FHE_EXPORT WindowSpec {
  std::size_t modulus_bits;  // M: products are taken modulo 2^M
  unsigned window_bits;      // w in [1, 32], w < M: how many leading bits are kept

  // Whether both want the same bits.
  friend bool operator==(const WindowSpec&, const WindowSpec&) = default;
};

// The interface of a backend; what it promises stands at the top of this file.
class FHE_EXPORT Backend : public std::enable_shared_from_this<Backend> {
 public:
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  // The name, limits and native operations of this backend.
  [[nodiscard]] virtual BackendInfo info() const = 0;

  // x * y, for any signs and lengths up to info().max_operand_bits; x and y may be one object.
  // Throws Error(invalid_argument) for a longer operand.
  [[nodiscard]] virtual Integer multiply(const Integer& x, const Integer& y) const = 0;

  // The ring Z/modulus with everything that is worth precomputing for it. Requires modulus >= 2;
  // throws Error(invalid_argument) otherwise. Default: Barrett reduction over `multiply`.
  [[nodiscard]] virtual std::shared_ptr<const Ring> ring(const Integer& modulus) const;

  // For each set of weights w: sum_i y_i * w_i over the integers. The stream is generated once for
  // the whole batch and never held in memory. Requires one weight per element; throws
  // Error(invalid_argument) for any other number and for negative weights.
  [[nodiscard]] virtual std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                           std::span<const DenseWeights> batch,
                                                           const Monitor& monitor) const;
  [[nodiscard]] virtual std::vector<Integer> weighted_sums(const IntegerStream& stream,
                                                           std::span<const SparseWeights> batch,
                                                           const Monitor& monitor) const;

  // The bit-selected sums of a key stream over the integers, block by block: result[block * width +
  // j] is the sum of the y_i in the block whose mask has bit j. Requires one mask per element,
  // block_size and width at least 1 and no bit of a mask at or above width; throws
  // Error(invalid_argument).
  [[nodiscard]] virtual std::vector<Integer> selected_sums(const IntegerStream& stream,
                                                           const BlockSelection& selection,
                                                           const Monitor& monitor) const;

  // For every element y_i of the stream: (c * y_i mod 2^M) / 2^(M-w), rounded to the nearest
  // integer (ties up) and taken modulo 2^w. With M = kappa + 1 these are the expanded ciphertext
  // bits z_i of CNT 2012 (ePrint 2011/440), integer bit on top. Exact: a linear-time sum of half
  // products decides all but about one entry in 2^40, and that one is computed in full.
  // Requires c >= 0 and stream.bits() <= M.
  [[nodiscard]] virtual std::vector<std::uint32_t> product_windows(const Integer& c,
                                                                   const IntegerStream& stream,
                                                                   const WindowSpec& spec,
                                                                   const Monitor& monitor) const;

  // product_windows of many numbers, batch[k]'s in result[k]. Default: one number after the other;
  // a backend may generate the stream once for several.
  [[nodiscard]] virtual std::vector<std::vector<std::uint32_t>> product_windows_all(
      std::span<const Integer> batch, const IntegerStream& stream, const WindowSpec& spec,
      const Monitor& monitor) const;

  // y_i mod modulus, in [0, modulus), for every element of the stream. Key generation calls it
  // with the SECRET modulus p: a backend that sends operands to a device keeps this default,
  // which stays on the host. Requires modulus >= 1.
  [[nodiscard]] virtual std::vector<Integer> residues(const IntegerStream& stream,
                                                      const Integer& modulus,
                                                      const Monitor& monitor) const;

  // A form for integers of at most `bits` bits with weights of at most `weight_bits` bits, both at
  // least 1; its weights are to be set. Nothing where the backend is no faster at it than one limb
  // after the other. Decryption sets SECRET weights: a backend that sends operands to a device
  // keeps this default, nothing.
  [[nodiscard]] virtual std::unique_ptr<ChunkForm> chunk_form(std::size_t bits,
                                                              std::size_t weight_bits) const;

  // A test of numbers of exactly `bits` bits, at least 2. Nothing where the backend is no faster at
  // it than GMP, one number after the other. Key generation tests SECRET candidates for its primes:
  // a backend that sends operands to a device keeps this default, nothing.
  [[nodiscard]] virtual std::unique_ptr<FermatTest> fermat_test(std::size_t bits) const;

  // What has been done so far through this backend and its rings.
  [[nodiscard]] OperationCounts counts() const { return counters_.read(); }

  // For implementations and rings: the live counters.
  [[nodiscard]] OperationCounters& counters() const { return counters_; }

 protected:
  Backend() = default;

 private:
  mutable OperationCounters counters_;
};

}  // namespace fhe

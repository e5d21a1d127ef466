// SPDX-License-Identifier: Apache-2.0
// Z/N on a backend: the arithmetic that ciphertexts need, with precomputed values for N.
//
// Rings come from Backend::ring. All results are reduced to [0, N). Threads and errors are as for
// Backend. Every operation has a default over Backend::multiply, so that an accelerator can
// override one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "libfhe/arith/backend.hpp"
#include "libfhe/arith/barrett.hpp"
#include "libfhe/arith/complement.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/integer_stream.hpp"
#include "libfhe/arith/ring_step.hpp"
#include "libfhe/arith/weights.hpp"
#include "libfhe/export.hpp"
#include "libfhe/monitor.hpp"

namespace fhe {

// An element of a ring: an integer, and what a backend has prepared for it (a cached transform, a
// place in device memory), or the latter alone. Cheap to copy. Made implicitly from an Integer, by
// Ring::prepare for a factor that is used more than once, or by operations whose results stay where
// they were made (Ring::compute_all and others). Any thread may use it.
class FHE_EXPORT Operand {
 public:
  // The base class of the backends' prepared forms.
  class Prepared {
   public:
    virtual ~Prepared() = default;
  };

  // A prepared form that is the only place of an element, such as the memory of a device.
  class Elsewhere : public Prepared {
   public:
    // The element, which is fetched when it is first asked for and kept from then on. Throws what
    // fetch throws.
    [[nodiscard]] const Integer& value() const;

   private:
    // Brings the element to the host. Throws Error(io) when the device is lost.
    [[nodiscard]] virtual Integer fetch() const = 0;

    mutable std::mutex guard_;
    mutable std::optional<Integer> value_;
  };

  // An integer that is not prepared.
  Operand(Integer value)  // NOLINT(google-explicit-constructor): an integer is an operand
      : value_(std::make_shared<const Integer>(std::move(value))) {}
  // An integer and its prepared form, which must belong to this value: for Ring::prepare.
  Operand(Integer value, std::shared_ptr<const Prepared> prepared)
      : value_(std::make_shared<const Integer>(std::move(value))), prepared_(std::move(prepared)) {}
  // An integer that something else keeps, such as a key, and that is not prepared. Not null.
  explicit Operand(std::shared_ptr<const Integer> value) : value_(std::move(value)) {}
  // An element that is elsewhere.
  explicit Operand(const std::shared_ptr<const Elsewhere>& elsewhere)
      : elsewhere_(elsewhere), prepared_(elsewhere) {}

  // The integer, fetched if need be.
  [[nodiscard]] const Integer& value() const { return value_ ? *value_ : elsewhere_->value(); }
  // Whether both are copies of one operand.
  [[nodiscard]] bool is_same(const Operand& other) const {
    return value_ == other.value_ && prepared_ == other.prepared_;
  }
  // The same element with this prepared form, which must belong to its value.
  [[nodiscard]] Operand with(std::shared_ptr<const Prepared> prepared) const {
    Operand other = *this;
    if (prepared) other.prepared_ = std::move(prepared);
    return other;
  }
  // The prepared form, or null.
  [[nodiscard]] const std::shared_ptr<const Prepared>& prepared() const { return prepared_; }

 private:
  std::shared_ptr<const Integer> value_;        // or null
  std::shared_ptr<const Elsewhere> elsewhere_;  // where there is no value
  std::shared_ptr<const Prepared> prepared_;
};

// The two factors of one product.
using OperandPair = std::pair<Operand, Operand>;

// One of many operations that are done together; see Ring::compute_all.
struct FHE_EXPORT RingOperation {
  // The operations there are.
  using Kind = RingOperationKind;

  Kind kind;               // a * b or a + b
  Operand a;               // in [0, N)
  Operand b;               // in [0, N)
  bool is_factor = false;  // whether several products will use the result: it is prepared
};

struct RingProgram;

// The ring Z/N. Immutable. It sees by itself whether N is a little less than a power of two, and
// then reduces by the complement, else by Barrett's method.
class FHE_EXPORT Ring {
 public:
  // The default ring. Requires modulus >= 2.
  Ring(BackendPtr backend, const Integer& modulus);
  virtual ~Ring() = default;
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // N.
  [[nodiscard]] const Integer& modulus() const { return modulus_; }
  // The backend, which the ring keeps alive.
  [[nodiscard]] const Backend& backend() const { return *backend_; }

  // x mod N for any x, negative ones included.
  [[nodiscard]] virtual Integer reduce(const Integer& x) const;

  // Does once what every product with x needs. Requires x in [0, N).
  [[nodiscard]] virtual Operand prepare(const Integer& x) const;

  // a * b mod N. Requires operands in [0, N); a and b may be the same object.
  [[nodiscard]] virtual Integer multiply(const Operand& a, const Operand& b) const;

  // The sum of first * second over the terms, mod N, with a single reduction; 0 without terms.
  // Requires operands in [0, N).
  [[nodiscard]] virtual Integer dot(std::span<const OperandPair> terms) const;

  // For each set of weights w: sum_i x_i * w_i mod N. The stream is generated once for the whole
  // batch and never held in memory. Requires one weight per element; throws Error(invalid_argument)
  // for any other number and for negative weights.
  [[nodiscard]] virtual std::vector<Integer> weighted_sums(const CorrectedStream& x,
                                                           std::span<const DenseWeights> batch,
                                                           const Monitor& monitor) const;
  [[nodiscard]] virtual std::vector<Integer> weighted_sums(const CorrectedStream& x,
                                                           std::span<const SparseWeights> batch,
                                                           const Monitor& monitor) const;

  // Backend::selected_sums over the corrected elements, mod N.
  [[nodiscard]] virtual std::vector<Integer> selected_sums(const CorrectedStream& x,
                                                           const BlockSelection& selection,
                                                           const Monitor& monitor) const;

  // The results of many operations that do not depend on each other, as of one stage of an adder.
  // A backend with memory of its own may do them at once and leave the results there, until
  // Operand::value asks for one. Advances `progress` by one for each. Default: multiply, add and
  // prepare, on all threads.
  [[nodiscard]] virtual std::vector<Operand> compute_all(std::span<const RingOperation> operations,
                                                         Progress& progress) const;

  // `dot` for each of many sums, likewise.
  [[nodiscard]] virtual std::vector<Operand> dot_all(std::span<const std::vector<OperandPair>> sums,
                                                     Progress& progress) const;

  // `prepare` for elements that may be elsewhere, likewise.
  [[nodiscard]] virtual std::vector<Operand> prepare_all(std::span<const Operand> elements) const;

  // The same elements where this ring computes, for many operations from now on, such as those of a
  // key: in the memory of a device, as far as there is room. Default: as they are.
  [[nodiscard]] virtual std::vector<Operand> keep_all(std::span<const Operand> elements) const;

  // Backend::selected_sums over elements in [0, N), mod N, likewise.
  [[nodiscard]] virtual std::vector<Operand> selected_elements(std::span<const Operand> elements,
                                                               const BlockSelection& selection,
                                                               const Monitor& monitor) const;

  // `selected_sums`, likewise.
  [[nodiscard]] virtual std::vector<Operand> selected_elements(const CorrectedStream& x,
                                                               const BlockSelection& selection,
                                                               const Monitor& monitor) const;

  // The results of a program for numbers in [0, N), of which up to kRunTogether at once are best.
  // A device may keep what a program is made of, such as a key, from one call to the next. Default:
  // step by step, by the operations above. Throws Error(invalid_argument) as RingProgram::check.
  [[nodiscard]] virtual std::vector<Integer> run(const RingProgram& program,
                                                 std::span<const Integer> cs,
                                                 const Monitor& monitor) const;

  // a + b mod N and a - b mod N. Require operands in [0, N).
  [[nodiscard]] Integer add(const Integer& a, const Integer& b) const;
  [[nodiscard]] Integer subtract(const Integer& a, const Integer& b) const;

 protected:
  // A ring whose mu = floor(2^(2 bits(N)) / N) is known.
  Ring(BackendPtr backend, const Integer& modulus, Integer reciprocal);

 private:
  BackendPtr backend_;
  Integer modulus_;
  std::variant<BarrettReducer, ComplementReducer> reducer_;
};

}  // namespace fhe

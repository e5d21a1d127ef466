// SPDX-License-Identifier: Apache-2.0
// Recryptions that the device does alone: the ciphertext goes to it, one command runs, and the new
// ciphertext comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "accel/fpga/backend/device_program.hpp"
#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/recryption_inputs.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/recryption_task.hpp"

namespace fhe::fpga {

// The program of all recryptions with one key. What is not the ciphertext is in the memory of the
// device, or generated there: elements that are kept, the corrections of others, the program, its
// results.
//
// What becomes a factor, by itself or in sums, is reduced once, when it is made, and of products
// that are only added up the sum; all else is not, but for the result. A device whose products are
// sums on its chip adds a product to a value that is read no more where that lies. One thread at a
// time.
class DeviceRecryption {
 public:
  // Whether the device can do it: it runs programs, and RecryptionInputs::takes.
  [[nodiscard]] static bool takes(const Device& device, const Integer& modulus,
                                  const RecryptionTask& task) {
    return RecryptionInputs::takes(device, modulus, task);
  }

  // Requires that it can, and a task that was checked. The session must outlive it: it works in its
  // scratch memory. Throws OutOfDeviceMemory.
  DeviceRecryption(DeviceSession& session, const Integer& modulus, const RecryptionTask& task);

  // Whether this is the program of this task, for whatever ciphertext.
  [[nodiscard]] bool is_of(const RecryptionTask& task) const;

  // The result for a ciphertext. Nothing where the leading bits of a product did not decide its
  // window (once in 2^38), or a sum was less than its corrections (never, for a key that was made
  // as it should).
  [[nodiscard]] std::optional<Integer> run(DeviceSession& session, const Integer& c,
                                           OperationCounters& counters) const;

  // The program, and the context of its reductions.
  [[nodiscard]] const DeviceProgram& program() const { return program_; }
  [[nodiscard]] const Context& context() const { return reduction_.context(); }

 private:
  class Writer;

  // What the program was made of.
  struct Origin {
    explicit Origin(const RecryptionTask& task);

    struct Stream {
      explicit Stream(const IntegerStream& stream);
      friend bool operator==(const Stream&, const Stream&) = default;

      StreamSource source;
      std::size_t count;
      std::size_t bits;
    };

    std::vector<Integer> first_factors;
    std::optional<Stream> other_factors;
    WindowSpec windows;
    std::vector<Operand> residue_factors;
    std::size_t residue_count;
    std::size_t residue_step;
    std::vector<Stream> elements;
    std::vector<std::vector<Integer>> corrections;
    std::vector<Operand> kept;
    std::vector<WindowGroup> groups;
    std::vector<std::size_t> singles;
    std::vector<Integer> constants;
    std::vector<RingStep> steps;
    std::size_t output;
  };

  Origin origin_;
  Reduction reduction_;
  RecryptionMemory memory_;
  DeviceProgram program_;
  bool adds_in_products_;
  Command command_;
  DeviceInteger result_;
  std::size_t products_ = 0;
  std::size_t reductions_ = 0;
};

}  // namespace fhe::fpga

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
#include "accel/fpga/backend/generated_elements.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/recryption_task.hpp"

namespace fhe::fpga {

// The program of all recryptions with one key. What is not the ciphertext is in the memory of the
// device, or generated there: the corrections of the key, the program, its results.
//
// What becomes a factor, by itself or in sums, is reduced once, when it is made; all else is not,
// but for the result. A device whose products are sums on its chip adds a product to a value that
// is read no more where that lies. One thread at a time.
class DeviceRecryption {
 public:
  // Whether the device can do it: it generates the elements and the factors, and corrections are
  // not longer than elements.
  [[nodiscard]] static bool takes(const Device& device, const RecryptionTask& task);

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

    std::vector<Integer> first_factors;
    StreamSource other_factors;
    std::size_t other_count;
    WindowSpec windows;
    StreamSource elements;
    std::size_t element_bits;
    std::vector<Integer> corrections;
    std::vector<WindowGroup> groups;
    std::vector<std::size_t> singles;
    std::vector<RingStep> steps;
    std::size_t output;
  };

  Origin origin_;
  Reduction reduction_;
  GeneratedElements factors_;
  GeneratedElements elements_;
  DeviceBuffer number_;  // c, as the engine for windows takes it
  DeviceProgram program_;
  bool adds_in_products_;
  Command command_;
  DeviceInteger result_;
  std::size_t products_ = 0;
  std::size_t reductions_ = 0;
};

}  // namespace fhe::fpga

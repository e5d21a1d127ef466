// SPDX-License-Identifier: Apache-2.0
// Recryptions that the device does alone: the ciphertext goes to it, one command runs, and the new
// ciphertext comes back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "accel/fpga/backend/device_session.hpp"
#include "accel/fpga/backend/generated_elements.hpp"
#include "accel/fpga/backend/reductions.hpp"
#include "accel/fpga/backend/residue_windows.hpp"
#include "accel/fpga/contract/command.hpp"
#include "accel/fpga/contract/context.hpp"
#include "accel/fpga/driver/device.hpp"
#include "accel/fpga/driver/device_allocator.hpp"
#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/ring_program.hpp"

namespace fhe::fpga {

// A list of commands that the device runs by itself, and the memory that they work in.

// The context that programs set; all others are for single commands.
inline constexpr std::uint16_t kProgramContext = parameter::contexts - 1;

// Commands are added once, in their order, and run any number of times. No command may write what
// was there before the program, nor read what a later one writes: then a run that was interrupted
// can be repeated. One thread at a time.
class DeviceProgram {
 public:
  // The device must outlive the program. Functions that take memory throw OutOfDeviceMemory.
  explicit DeviceProgram(Device& device) : device_(device) {}

  // Memory for a result of so many bits, the program's alone.
  [[nodiscard]] DeviceInteger room(std::uint64_t bits);
  // Commands that are added from now on may use the memory of this result, of `room`, again.
  void release(DeviceInteger place);

  // Memory that holds these bytes before every run.
  [[nodiscard]] std::uint64_t constant(std::span<const std::byte> bytes);

  void add(const Command& command) { commands_.push_back(command); }
  // Sets kProgramContext, whose memory must stay as long as the program.
  void set_context(const Context& context);

  // The command that runs the program. To be called once, when all of it was added.
  [[nodiscard]] Command finish();

  // All of them, in their order.
  [[nodiscard]] std::span<const Command> commands() const { return commands_; }

 private:
  Device& device_;
  std::vector<Command> commands_;
  std::vector<DeviceBuffer> memory_;
  std::map<std::uint64_t, std::uint64_t> sizes_;          // of results, in bytes, by address
  std::multimap<std::uint64_t, std::uint64_t> released_;  // addresses by size
};

// What the steps of a recryption start from, as commands of its program: windows, the sums of
// elements that they choose, and elements by themselves.

// What programs of a key read: records of streams, elements that are kept, and the ciphertext.
class RecryptionMemory {
 public:
  // Requires RecryptionInputs::takes. Throws OutOfDeviceMemory.
  RecryptionMemory(DeviceSession& session, const Integer& modulus, const RingProgram& task);

  // Brings a ciphertext there.
  void put(Device& device, const Integer& c) const;
  // Of all elements that are generated, bytes.
  [[nodiscard]] std::uint64_t generated_bytes() const;

  [[nodiscard]] const GeneratedElements& factors() const { return *factors_; }
  [[nodiscard]] const GeneratedElements& stream(std::size_t which) const { return streams_[which]; }
  // The elements that are kept lie there, one after the other, each in whole words.
  [[nodiscard]] std::uint64_t kept() const { return kept_.address(); }
  // c as the engine for windows takes it.
  [[nodiscard]] DeviceInteger number() const;
  // c as a factor.
  [[nodiscard]] DeviceInteger ciphertext() const { return {c_.address(), modulus_bits_}; }

 private:
  void keep(DeviceSession& session, std::span<const Operand> elements);

  std::uint32_t modulus_bits_;
  WindowSpec windows_;
  std::optional<GeneratedElements> factors_;
  std::vector<GeneratedElements> streams_;
  DeviceBuffer kept_;
  DeviceBuffer number_;  // where there are windows of products
  DeviceBuffer c_;       // where there are windows of residues
};

// Where a value of a program is.
struct ValuePlace {
  DeviceInteger place = {};
  std::uint32_t written = 0;               // bits there, zeros above the value
  std::optional<std::uint64_t> room = {};  // of the program that it is in, or none
};

// What is to become of a sum.
struct WantedSum {
  bool is_wanted = false;
  std::uint32_t least_bits = 0;  // that its place is to have, if it is by itself
};

// Adds the commands. The program, the task and the memory must outlive it. One thread at a time.
class RecryptionInputs {
 public:
  // Whether the device can make them: it generates the elements and the factors, corrections are
  // not longer than elements, and no group mixes elements or windows of different kinds.
  [[nodiscard]] static bool takes(const Device& device, const Integer& modulus,
                                  const RingProgram& task);

  // Requires that it can, and a task that was checked. Throws OutOfDeviceMemory, as do functions
  // that add commands.
  RecryptionInputs(DeviceSession& session, const Integer& modulus, const RingProgram& task,
                   const RecryptionMemory& memory, DeviceProgram& program);

  // The sums of a group, one for each that is listed; those that are not wanted have no place.
  // Several may be in one room.
  [[nodiscard]] std::vector<ValuePlace> add_group(const WindowGroup& group,
                                                  std::span<const WantedSum> wanted);
  // An element by itself.
  [[nodiscard]] ValuePlace add_single(std::size_t element, const WantedSum& wanted);

  // Whether an element lies where no program may write.
  [[nodiscard]] bool is_kept(std::size_t element) const { return element >= streamed_; }
  // Products that were added.
  [[nodiscard]] std::size_t products() const { return products_; }

 private:
  using Sums = std::span<const WantedSum>;

  // The corrections of a stream: of 0 bits where there are none.
  struct Corrections {
    std::uint64_t address = 0;
    std::uint32_t bits = 0;
  };
  // Elements with the masks that choose among them.
  struct Part {
    std::uint64_t masks;  // address
    std::size_t first;
    std::size_t count;
  };

  [[nodiscard]] std::uint64_t constant(std::span<const Integer> list, std::uint64_t bits);
  void store_residue_factors(const Integer& modulus);

  [[nodiscard]] std::vector<Part> parts_of(const WindowGroup& group);
  [[nodiscard]] std::uint64_t masks_of(std::size_t first, std::size_t count, std::size_t step);
  void add_product_windows(DeviceInteger masks, std::size_t first, std::size_t count,
                           std::size_t step);
  void add_residue_windows(DeviceInteger masks, std::size_t first, std::size_t count);
  [[nodiscard]] std::uint64_t leading_words_of(std::size_t factor);
  [[nodiscard]] std::uint64_t single_bits(const ResidueShape::Slice& slice, std::size_t first,
                                          std::size_t count);
  [[nodiscard]] std::uint64_t increased(std::uint64_t masks, std::size_t count, std::uint32_t plus);

  [[nodiscard]] DeviceInteger kept_at(std::size_t element) const;
  [[nodiscard]] std::vector<ValuePlace> selected(const Part& part, Sums wanted);
  [[nodiscard]] std::vector<ValuePlace> selected_of_stream(const Part& part, Sums wanted);
  [[nodiscard]] DeviceInteger add_selection(Selection selection, std::size_t width);
  [[nodiscard]] std::vector<ValuePlace> added(std::span<const ValuePlace> a,
                                              std::span<const ValuePlace> b, Sums wanted);
  [[nodiscard]] ValuePlace room_for(std::uint32_t bits, const WantedSum& wanted);

  DeviceSession& session_;
  const RingProgram& task_;
  const RecryptionMemory& memory_;
  DeviceProgram& program_;
  std::uint32_t modulus_bits_;
  std::size_t streamed_;
  ResidueShape residues_;
  std::vector<Corrections> corrections_;  // by stream
  std::uint64_t first_factors_ = 0;       // addresses
  std::uint64_t residue_factors_ = 0;
  std::optional<std::uint64_t> one_;
  std::size_t products_ = 0;
  // What is there already, by what it is made of: addresses.
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::uint64_t> masks_;
  std::map<std::size_t, std::uint64_t> leading_words_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> single_bits_;
};

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
                                  const RingProgram& task) {
    return RecryptionInputs::takes(device, modulus, task);
  }

  // Requires that it can, and a task that was checked. The session must outlive it: it works in its
  // scratch memory. Throws OutOfDeviceMemory.
  DeviceRecryption(DeviceSession& session, const Integer& modulus, const RingProgram& task);

  // Whether this is the program of this task, for whatever ciphertext.
  [[nodiscard]] bool is_of(const RingProgram& task) const;

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
    explicit Origin(const RingProgram& task);

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
    std::vector<RingConstant> constants;
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

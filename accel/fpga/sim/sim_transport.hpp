// SPDX-License-Identifier: Apache-2.0
// The RTL of the device, simulated in this process.
#pragma once

#include <cstdint>
#include <memory>

#include "accel/fpga/contract/transport.hpp"
#include "accel/fpga/transport/device_memory.hpp"

namespace fhe::fpga {

// What the simulated device memory does besides storing. The defaults are those of a memory that
// answers one request a clock, each after 24 clocks.
struct SimMemoryOptions {
  unsigned latency_clocks = 24;               // from a request to its answer
  unsigned stall_percent = 0;                 // clocks in which it takes no request, at random
  std::uint64_t seed = 1;                     // of those
  std::uint64_t failing_address = ~0U;        // accesses to this word end with an error
  std::uint64_t answers = ~std::uint64_t{0};  // after so many, it answers no more
};

// Clocks pass only inside its functions: a few in every access to a register, and as many as it
// takes in wait_interrupt. The same calls give the same clocks. Threads and errors: see Transport.
std::unique_ptr<LocalTransport> make_sim_transport(DeviceMemory memory,
                                                   const SimMemoryOptions& options = {});

// The device of kKaratsubaEquipment.
std::unique_ptr<LocalTransport> make_karatsuba_sim_transport(DeviceMemory memory,
                                                             const SimMemoryOptions& options = {});

// The device of kSuperSizeEquipment.
std::unique_ptr<LocalTransport> make_super_size_sim_transport(DeviceMemory memory,
                                                              const SimMemoryOptions& options = {});

#ifdef FHE_RTL_LARGE
// The device of kSuperSize128Equipment.
std::unique_ptr<LocalTransport> make_super_size_128_sim_transport(
    DeviceMemory memory, const SimMemoryOptions& options = {});
#endif

// The device of kThroughputEquipment.
std::unique_ptr<LocalTransport> make_throughput_sim_transport(DeviceMemory memory,
                                                              const SimMemoryOptions& options = {});

}  // namespace fhe::fpga

// Of a build that has no simulation.
#include "accel/fpga/sim/sim_transport.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

std::unique_ptr<LocalTransport> make_sim_transport(CardMemory, const SimMemoryOptions&) {
  throw Error(ErrorCode::unsupported,
              "the device is not simulated in this build: install Verilator 5.006 or later "
              "(Debian: apt-get install verilator), and configure and build again");
}

}  // namespace fhe::fpga

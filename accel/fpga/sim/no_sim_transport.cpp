// Of a build that has no simulation.
#include "accel/fpga/sim/sim_transport.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

[[noreturn]] void fail() {
  throw Error(ErrorCode::unsupported,
              "the device is not simulated in this build: install Verilator 5.006 or later "
              "(Debian: apt-get install verilator), and configure and build again");
}

}  // namespace

std::unique_ptr<LocalTransport> make_sim_transport(CardMemory, const SimMemoryOptions&) {
  fail();
}

std::unique_ptr<LocalTransport> make_karatsuba_sim_transport(CardMemory, const SimMemoryOptions&) {
  fail();
}

std::unique_ptr<LocalTransport> make_super_size_sim_transport(CardMemory, const SimMemoryOptions&) {
  fail();
}

}  // namespace fhe::fpga

#include "accel/fpga/driver/open_transport.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/driver/model_transport.hpp"
#include "accel/fpga/sim/sim_transport.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// Above what 32 bits address, so that both halves of addresses matter.
constexpr std::uint64_t kMemoryBase = std::uint64_t{4} << 30;
constexpr std::uint64_t kMemoryBytes = std::uint64_t{16} << 30;

using LocalFactory = std::unique_ptr<LocalTransport> (*)(CardMemory);

struct LocalDevice {
  std::string_view name;
  LocalFactory open;
};

std::unique_ptr<LocalTransport> open_model(CardMemory memory) {
  return std::make_unique<ModelTransport>(std::move(memory));
}

std::unique_ptr<LocalTransport> open_simulation(CardMemory memory) {
  return make_sim_transport(std::move(memory));
}

constexpr std::array kLocalDevices = {LocalDevice{"model", open_model},
                                      LocalDevice{"sim", open_simulation}};

}  // namespace

CardMemory default_card_memory() {
  return {kMemoryBase, kMemoryBytes};
}

std::string local_names() {
  std::string names;
  for (const LocalDevice& device : kLocalDevices)
    names += (names.empty() ? "" : ", ") + std::string(device.name);
  return names;
}

std::unique_ptr<LocalTransport> open_local_transport(std::string_view name, CardMemory memory) {
  for (const LocalDevice& device : kLocalDevices)
    if (device.name == name) return device.open(std::move(memory));
  throw Error(ErrorCode::unknown_name,
              fmt::format("there is no device \"{}\" in this program; there "
                          "are: {}",
                          name, local_names()));
}

std::unique_ptr<Transport> open_transport(std::string_view name) {
  return open_local_transport(name, default_card_memory());
}

}  // namespace fhe::fpga

#include "accel/fpga/driver/open_transport.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "accel/fpga/driver/equipment.hpp"
#include "accel/fpga/driver/model_transport.hpp"
#include "accel/fpga/driver/socket_transport.hpp"
#include "accel/fpga/driver/xdma_transport.hpp"
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

template <const Equipment& equipment>
std::unique_ptr<LocalTransport> open_model(CardMemory memory) {
  return std::make_unique<ModelTransport>(std::move(memory), equipment);
}

template <auto make_transport>
std::unique_ptr<LocalTransport> open_simulation(CardMemory memory) {
  return make_transport(std::move(memory), {});
}

constexpr std::array kLocalDevices = {
    LocalDevice{"model", open_model<kStandardEquipment>},
    LocalDevice{"sim", open_simulation<make_sim_transport>},
    LocalDevice{"model=karatsuba", open_model<kKaratsubaEquipment>},
    LocalDevice{"sim=karatsuba", open_simulation<make_karatsuba_sim_transport>},
    LocalDevice{"model=super_size", open_model<kSuperSizeEquipment>},
    LocalDevice{"sim=super_size", open_simulation<make_super_size_sim_transport>}};

bool is_local(std::string_view name) {
  return std::ranges::any_of(kLocalDevices,
                             [&](const LocalDevice& device) { return device.name == name; });
}

// PREFIX[,reg=mmap|,reg=pread]
std::unique_ptr<Transport> open_card(std::string_view name) {
  const std::size_t comma = name.find(',');
  const std::string_view option = comma == name.npos ? "reg=pread" : name.substr(comma + 1);
  if (option != "reg=pread" && option != "reg=mmap")
    throw Error(ErrorCode::unknown_name,
                fmt::format("a card has the option reg=pread or reg=mmap, and not \"{}\"", option));
  return std::make_unique<XdmaTransport>(std::string(name.substr(0, comma)),
                                         XdmaOptions{.map_registers = option == "reg=mmap"});
}

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
  constexpr std::string_view kSocket = "socket=";
  if (name.starts_with(kSocket))
    return std::make_unique<SocketTransport>(std::string(name.substr(kSocket.size())));
  if (name.starts_with('/')) return open_card(name);
  if (is_local(name)) return open_local_transport(name, default_card_memory());
  throw Error(
      ErrorCode::unknown_name,
      fmt::format("there is no device \"{}\"; there are: {}, socket=PATH (of a server "
                  "`fhe-simd PATH`), and cards by the absolute prefix of their nodes, such as "
                  "/dev/xdma0",
                  name, local_names()));
}

}  // namespace fhe::fpga

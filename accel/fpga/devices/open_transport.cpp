// SPDX-License-Identifier: Apache-2.0
#include "accel/fpga/devices/open_transport.hpp"

#include <string>

#include <fmt/format.h>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "libfhe/error.hpp"

namespace fhe::fpga {

namespace {

// PATH of a node that is named litepcie...
std::unique_ptr<Transport> open_litepcie_card(std::string_view name) {
  if (name.find(',') != std::string_view::npos)
    throw Error(ErrorCode::unknown_name, "a card behind the driver of LitePCIe has no options");
  return std::make_unique<LitePcieTransport>(std::string(name));
}

// PREFIX[,reg=mmap|,reg=pread]
std::unique_ptr<Transport> open_card(std::string_view name) {
  const std::size_t comma = name.find(',');
  const std::string_view option =
      comma == std::string_view::npos ? "reg=pread" : name.substr(comma + 1);
  if (option != "reg=pread" && option != "reg=mmap") {
    throw Error(ErrorCode::unknown_name,
                fmt::format("a card has the option reg=pread or reg=mmap, and not \"{}\"", option));
  }
  return std::make_unique<XdmaTransport>(std::string(name.substr(0, comma)),
                                         XdmaOptions{.map_registers = option == "reg=mmap"});
}

}  // namespace

std::unique_ptr<Transport> open_transport(std::string_view name) {
  constexpr std::string_view kSocket = "socket=";
  if (name.starts_with(kSocket))
    return std::make_unique<SocketTransport>(std::string(name.substr(kSocket.size())));
  if (name.starts_with('/')) {
    const std::string_view node = name.substr(name.find_last_of('/') + 1);
    return node.starts_with("litepcie") ? open_litepcie_card(name) : open_card(name);
  }
  if (is_local_device(name)) return open_local_transport(name, default_device_memory());
  require_simulation(name);
  const std::string local = local_names();
  throw Error(ErrorCode::unknown_name,
              fmt::format("there is no device \"{}\"; there are: {}{}socket=PATH (of a server "
                          "`fhe-simd PATH`), and cards by the absolute prefix of their nodes, such "
                          "as /dev/xdma0 or /dev/litepcie0",
                          name, local, local.empty() ? "" : ", "));
}

}  // namespace fhe::fpga

// SPDX-License-Identifier: Apache-2.0
#include "tests/accel/fpga/driver/transports.hpp"

#include <cerrno>

#include "accel/fpga/devices/local_devices.hpp"
#include "accel/fpga/model/model_transport.hpp"
#include "accel/fpga/transport/transports.hpp"
#include "tests/accel/fpga/driver/fault_transport.hpp"
#include "tests/accel/fpga/driver/litepcie_node.hpp"
#include "tests/accel/fpga/driver/served_device.hpp"
#include "tests/catch.hpp"

namespace fhe::fpga::test {

namespace {

constexpr int kFirstFile = 100;
// A device works while the host finds its way through the system.
constexpr std::uint64_t kClocksPerCall = 50'000;

// A client with the server that it talks to.
class ServedTransport final : public Transport {
 public:
  std::string description() const override { return client_.description(); }
  std::uint32_t read_register(std::uint32_t offset) override {
    return client_.read_register(offset);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    client_.write_register(offset, value);
  }
  void put(std::uint64_t address, std::span<const std::byte> bytes) override {
    client_.put(address, bytes);
  }
  void get(std::uint64_t address, std::span<std::byte> bytes) override {
    client_.get(address, bytes);
  }
  Interrupt wait_interrupt(std::chrono::milliseconds timeout) override {
    return client_.wait_interrupt(timeout);
  }

 private:
  ServedDevice server_;
  SocketTransport client_{server_.path()};
};

std::unique_ptr<LocalTransport> model() {
  return std::make_unique<ModelTransport>(test_memory());
}

std::unique_ptr<Transport> by_nodes(bool has_events) {
  return std::make_unique<XdmaTransport>("card", XdmaOptions{.map_registers = true},
                                         std::make_shared<NodeCalls>("card", model(), has_events));
}

std::unique_ptr<Transport> by_litepcie() {
  auto device = std::make_unique<ModelTransport>(DeviceMemory(kCardMemory, kCardBytes));
  return std::make_unique<LitePcieTransport>(
      "litepcie0", LitePcieOptions{},
      std::make_shared<LitePcieNode>("litepcie0", std::make_shared<ModelShell>(std::move(device))));
}

}  // namespace

std::int64_t NodeCalls::open(const std::string& path, Access /*access*/) {
  if (!path.starts_with(prefix_ + "_")) return -ENOENT;
  const auto node = xdma_node(path.substr(prefix_.size() + 1));
  if (!node || (node == XdmaNode::events && !has_events_)) return -ENOENT;
  ++open_files_;
  return kFirstFile + static_cast<int>(*node);
}

void NodeCalls::close(int /*file*/) {
  --open_files_;
}

std::int64_t NodeCalls::read_at(int file, std::span<std::byte> bytes, std::uint64_t offset) {
  nodes_.device().step(kClocksPerCall);
  return nodes_.read(static_cast<XdmaNode>(file - kFirstFile), bytes, offset);
}

std::int64_t NodeCalls::write_at(int file, std::span<const std::byte> bytes, std::uint64_t offset) {
  return nodes_.write(static_cast<XdmaNode>(file - kFirstFile), bytes, offset);
}

std::int64_t NodeCalls::read(int file, std::span<std::byte> bytes) {
  return read_at(file, bytes, 0);
}

std::int64_t NodeCalls::wait_readable(int /*file*/, std::chrono::milliseconds timeout) {
  return nodes_.wait_event(timeout) ? 1 : 0;
}

// As where a file system cannot share memory.
void* NodeCalls::map(int /*file*/, std::uint64_t /*offset*/, std::size_t /*bytes*/) {
  return nullptr;
}

void NodeCalls::unmap(void* /*address*/, std::size_t /*bytes*/) {}

bool is_simulated_here() {
  return is_local_device("sim");
}

const std::vector<std::string>& local_devices() {
  static const std::vector<std::string> names = is_simulated_here()
                                                    ? std::vector<std::string>{"model", "sim"}
                                                    : std::vector<std::string>{"model"};
  return names;
}

std::unique_ptr<LocalTransport> any_local_device(const std::string& equipment) {
  std::vector<std::string> names;
  for (const std::string& kind : local_devices())
    if (is_local_device(kind + equipment)) names.push_back(kind + equipment);
  const std::string name = GENERATE_COPY(from_range(names));
  UNSCOPED_INFO("device " << name);
  return open_local_transport(name, test_memory());
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"model", []() -> std::unique_ptr<Transport> { return model(); }},
      {"socket",
       []() -> std::unique_ptr<Transport> { return std::make_unique<ServedTransport>(); }},
      {"xdma nodes", [] { return by_nodes(true); }},
      {"xdma nodes without events", [] { return by_nodes(false); }},
      {"litepcie node", by_litepcie},
      {"no faults",
       []() -> std::unique_ptr<Transport> {
         return std::make_unique<FaultTransport>(model(), faults_at({}));
       }},
  };
  return all;
}

}  // namespace fhe::fpga::test

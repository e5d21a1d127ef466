// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "accel/fpga/tools/xdma_nodes.hpp"

#define FUSE_USE_VERSION 31
#include <fmt/format.h>
#include <fuse3/fuse.h>
#include <poll.h>
#include <sys/stat.h>

#include "libfhe/error.hpp"

namespace fhe::fake_xdma {

namespace {

using fpga::XdmaNode;
using fpga::XdmaNodes;

constexpr std::string_view kPrefix = "/xdma0_";
constexpr std::chrono::milliseconds kWatchTurn{20};

struct NodeFiles {
  explicit NodeFiles(std::unique_ptr<fpga::LocalTransport> device) : nodes(std::move(device)) {}

  XdmaNodes nodes;
  std::optional<EventWatch> events;  // its thread begins when the file system does
};

NodeFiles& files() {
  return *static_cast<NodeFiles*>(fuse_get_context()->private_data);
}

std::optional<XdmaNode> node_at(std::string_view path) {
  if (!path.starts_with(kPrefix)) return std::nullopt;
  return fpga::xdma_node(path.substr(kPrefix.size()));
}

void* start(fuse_conn_info* /*connection*/, fuse_config* config) {
  config->direct_io = 1;  // every access of a user arrives as it is
  NodeFiles& all = files();
  all.events.emplace(all.nodes);
  return &all;
}

int attributes(const char* path, struct stat* facts, fuse_file_info* /*file*/) {
  *facts = {};
  if (std::string_view(path) == "/") {
    facts->st_mode = S_IFDIR | S_IRWXU;
    facts->st_nlink = 2;
    return 0;
  }
  if (!node_at(path)) return -ENOENT;
  facts->st_mode = S_IFREG | S_IRUSR | S_IWUSR;
  facts->st_nlink = 1;
  return 0;
}

int list(const char* /*path*/, void* buffer, fuse_fill_dir_t add, off_t /*offset*/,
         fuse_file_info* /*file*/, fuse_readdir_flags /*flags*/) {
  for (std::size_t i = 0; i < fpga::kXdmaNodes; ++i) {
    const std::string entry =
        std::string(kPrefix.substr(1)) + std::string(fpga::name(static_cast<XdmaNode>(i)));
    add(buffer, entry.c_str(), nullptr, 0, fuse_fill_dir_flags{});
  }
  return 0;
}

int open(const char* path, fuse_file_info* /*file*/) {
  return node_at(path) ? 0 : -ENOENT;
}

int read(const char* path, char* data, std::size_t size, off_t offset, fuse_file_info* /*file*/) {
  return static_cast<int>(files().nodes.read(*node_at(path),
                                             std::as_writable_bytes(std::span(data, size)),
                                             static_cast<std::uint64_t>(offset)));
}

int write(const char* path, const char* data, std::size_t size, off_t offset,
          fuse_file_info* /*file*/) {
  return static_cast<int>(files().nodes.write(*node_at(path), std::as_bytes(std::span(data, size)),
                                              static_cast<std::uint64_t>(offset)));
}

int poll(const char* path, fuse_file_info* /*file*/, fuse_pollhandle* handle, unsigned* ready) {
  if (node_at(path) != XdmaNode::events) {
    if (handle != nullptr) fuse_pollhandle_destroy(handle);
    *ready = POLLIN | POLLOUT;
    return 0;
  }
  *ready = files().events->poll(handle) ? POLLIN : 0;
  return 0;
}

fuse_operations operations() {
  fuse_operations table{};
  table.init = start;
  table.getattr = attributes;
  table.readdir = list;
  table.open = open;
  table.read = read;
  table.write = write;
  table.poll = poll;
  return table;
}

struct FuseDeleter {
  void operator()(fuse* system) const { fuse_destroy(system); }
};

// The arguments of a program without any, which libfuse replaces by a copy of its own.
class FuseArguments {
 public:
  FuseArguments() = default;
  ~FuseArguments() { fuse_opt_free_args(&arguments_); }
  FuseArguments(const FuseArguments&) = delete;
  FuseArguments& operator=(const FuseArguments&) = delete;

  [[nodiscard]] fuse_args* get() { return &arguments_; }

 private:
  std::string program_ = "fhe-fake-xdma";
  std::array<char*, 2> list_{program_.data(), nullptr};
  fuse_args arguments_ = FUSE_ARGS_INIT(1, list_.data());
};

// Serves a mounted file system with several threads, until it is unmounted or a signal comes.
int run(fuse* system) {
  fuse_session* const session = fuse_get_session(system);
  if (fuse_set_signal_handlers(session) != 0) return -EIO;
  constexpr int kOneQueueForAll = 0;
  const int result = fuse_loop_mt(system, kOneQueueForAll);
  fuse_remove_signal_handlers(session);
  return result;
}

}  // namespace

EventWatch::EventWatch(XdmaNodes& nodes) : nodes_(nodes), thread_([this] { watch(); }) {}

EventWatch::~EventWatch() {
  stopping_ = true;
  thread_.join();
  if (poller_ != nullptr) fuse_pollhandle_destroy(poller_);
}

bool EventWatch::poll(fuse_pollhandle* handle) {
  const bool ready = nodes_.wait_event(std::chrono::milliseconds(0));
  const std::lock_guard lock(mutex_);
  if (handle == nullptr) return ready;
  if (poller_ != nullptr) fuse_pollhandle_destroy(poller_);
  poller_ = handle;
  return ready;
}

// The device is waited for only while somebody waits for its events.
void EventWatch::watch() {
  while (!stopping_) {
    const bool is_polled = [this] {
      const std::lock_guard lock(mutex_);
      return poller_ != nullptr;
    }();
    if (!is_polled) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (nodes_.wait_event(kWatchTurn)) {
      wake();
    }
  }
}

void EventWatch::wake() {
  const std::lock_guard lock(mutex_);
  if (poller_ == nullptr) return;
  fuse_notify_poll(poller_);
  fuse_pollhandle_destroy(std::exchange(poller_, nullptr));
}

void serve_nodes(std::unique_ptr<fpga::LocalTransport> device, const std::string& folder) {
  NodeFiles all(std::move(device));
  const fuse_operations table = operations();
  FuseArguments options;
  const std::unique_ptr<fuse, FuseDeleter> system(
      fuse_new(options.get(), &table, sizeof table, &all));
  if (system == nullptr || fuse_mount(system.get(), folder.c_str()) != 0) {
    throw Error(
        ErrorCode::io,
        fmt::format("cannot mount a file system at {}: it takes an empty folder, /dev/fuse, "
                    "and the right to mount",
                    folder));
  }
  const int result = run(system.get());
  all.events.reset();
  fuse_unmount(system.get());
  if (result < 0) {
    throw Error(ErrorCode::io,
                fmt::format("serving {} failed: {}", folder, std::strerror(-result)));
  }
}

}  // namespace fhe::fake_xdma

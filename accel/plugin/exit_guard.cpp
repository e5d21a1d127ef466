// SPDX-License-Identifier: Apache-2.0
#include "accel/plugin/exit_guard.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include <unistd.h>

namespace fhe::plugin {

namespace {

thread_local constinit const std::filesystem::path* running = nullptr;

// At the end of the process, in the thread that called exit().
void refuse_exit() {
  if (running == nullptr) return;
  dprintf(STDERR_FILENO,
          "the plug-in %s called exit() in the middle of its work: nothing is finished\n",
          running->c_str());
  ::_exit(EXIT_FAILURE);
}

}  // namespace

ExitGuard::ExitGuard(const std::filesystem::path& plugin) noexcept
    : outer_(std::exchange(running, &plugin)) {
  [[maybe_unused]] static const bool is_watched = std::atexit(refuse_exit) == 0;
}

ExitGuard::~ExitGuard() {
  running = outer_;
}

}  // namespace fhe::plugin

// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/process.hpp"

#include <algorithm>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>

#include "apps/outsource/server/log.hpp"
#include "libfhe/error.hpp"

namespace fhe::outsource {

namespace {

constexpr std::uint64_t kOfServer = 64;     // its own files, and lists of folders
constexpr std::uint64_t kOfChild = 2;       // the ends of a pipe
constexpr std::uint64_t kOfConnection = 2;  // a socket, and a file that is sent or comes in

}  // namespace

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlimit raised{.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
  return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? limit.rlim_max : limit.rlim_cur;
}

std::size_t fitting_connections(std::size_t wanted, std::uint64_t descriptors,
                                std::size_t children) {
  const std::uint64_t others = kOfServer + kOfChild * children;
  const std::uint64_t left = descriptors - std::min(descriptors, others);
  const std::size_t fitting = std::min<std::uint64_t>(wanted, left / kOfConnection);
  if (fitting == 0) {
    throw Error(ErrorCode::unsupported,
                fmt::format("the system lets this process open {} files, and it takes {}: allow "
                            "more (ulimit -n, LimitNOFILE), or take fewer --workers and --checks",
                            descriptors, others + kOfConnection));
  }
  if (fitting < wanted) {
    log_event(spdlog::level::warn, "connections_lowered", [&] {
      return Said{{{"connections", fitting}, {"files", descriptors}},
                  fmt::format("at most {} connections instead of {}: the system lets this process "
                              "open {} files",
                              fitting, wanted, descriptors)};
    });
  }
  return fitting;
}

void Shortage::add() {
  constexpr std::chrono::seconds kInterval(10);
  ++count_;
  if (Clock::now() < next_) return;
  log_event(spdlog::level::err, "no_open_files", [&] {
    return Said{{{"count", count_}},
                fmt::format("no open files left for a connection, {} times since the last such "
                            "line: strangers had to leave",
                            count_)};
  });
  count_ = 0;
  next_ = Clock::now() + kInterval;
}

namespace {

sigset_t hangup() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

// What is blocked can be waited for, also when it is ignored.
void hold_hangups() {
  const sigset_t signals = hangup();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  static_cast<void>(std::signal(SIGHUP, SIG_IGN));
}

HangupWatch::HangupWatch(std::function<void()> action)
    : action_(std::move(action)), watcher_([this] { watch(); }) {}

HangupWatch::~HangupWatch() {
  finished_ = true;
  pthread_kill(watcher_.native_handle(), SIGHUP);  // wakes the watcher
  watcher_.join();
}

void HangupWatch::watch() const {
  const sigset_t signals = hangup();
  for (;;) {
    int signal = 0;
    if (sigwait(&signals, &signal) != 0) continue;
    if (finished_) return;
    action_();
  }
}

}  // namespace fhe::outsource

// SPDX-License-Identifier: Apache-2.0
#include "apps/support/interrupt.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "apps/support/failure.hpp"
#include "libfhe/error.hpp"

namespace fhe::apps {

namespace {

// Seconds that a process which was asked to stop may do nothing.
constexpr int kMostIdleSeconds = 3;

// More than the watcher itself takes of the processor in a second, and much less than any work.
constexpr double kIdleSeconds = 0.005;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  constexpr double kNano = 1e-9;
  return static_cast<double>(time.tv_sec) + kNano * static_cast<double>(time.tv_nsec);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

[[noreturn]] void end_process() {
  std::_Exit(static_cast<int>(ExitCode::interrupted));
}

// Says so unless standard error is what the process waits for.
[[noreturn]] void end_waiting_process() {
  const std::string line =
      fmt::format("{}: error: stopped on request while waiting\n", program_invocation_short_name);
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  if (poll(&output, 1, 0) == 1) {
    static_cast<void>(!write(STDERR_FILENO, line.data(), line.size()));
  }
  end_process();
}

}  // namespace

InterruptWatch::InterruptWatch(FirstSignal first) : first_(first) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  if (first != FirstSignal::only_asks && !is_ignored(SIGHUP)) sigaddset(&signals_, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  watcher_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  finished_ = true;
  pthread_kill(watcher_.native_handle(), SIGINT);  // wakes the watcher
  watcher_.join();
}

bool InterruptWatch::wait_for_signal(bool for_ever) const {
  constexpr timespec kTurn{.tv_sec = 1, .tv_nsec = 0};
  for (;;) {
    const int signal =
        for_ever ? sigwaitinfo(&signals_, nullptr) : sigtimedwait(&signals_, nullptr, &kTurn);
    if (signal > 0) return true;
    if (errno == EAGAIN) return false;
  }
}

void InterruptWatch::watch() {
  static_cast<void>(wait_for_signal(true));
  if (finished_) return;
  if (first_ == FirstSignal::ends) end_process();
  stop_.request_stop();
  double worked = processor_seconds();
  for (int idle = 0; !wait_for_signal(first_ == FirstSignal::only_asks);) {
    const double now = processor_seconds();
    idle = now - worked < kIdleSeconds ? idle + 1 : 0;
    worked = now;
    if (idle == kMostIdleSeconds) end_waiting_process();
  }
  if (!finished_) end_process();
}

StopEvent::StopEvent(const std::stop_token& stop) : descriptor_(eventfd(0, EFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw Error(ErrorCode::io,
                fmt::format("cannot make an event: {}", std::system_category().message(errno)));
  }
  callback_.emplace(stop, [this] {
    const std::uint64_t one = 1;
    static_cast<void>(!write(descriptor_, &one, sizeof(one)));
  });
}

StopEvent::~StopEvent() {
  callback_.reset();  // which may be writing
  close(descriptor_);
}

void StopEvent::wait_for(int input, std::string_view what) const {
  std::array<pollfd, 2> waits{pollfd{input, POLLIN, 0}, pollfd{descriptor_, POLLIN, 0}};
  while (poll(waits.data(), waits.size(), -1) < 0) {
    if (errno == EINTR) continue;
    throw Error(ErrorCode::io,
                fmt::format("cannot wait for {}: {}", what, std::system_category().message(errno)));
  }
  if (waits[1].revents == 0) return;
  throw Error(ErrorCode::stopped, fmt::format("stopped while waiting for {}", what));
}

void turn_write_signals_into_errors() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
}

}  // namespace fhe::apps

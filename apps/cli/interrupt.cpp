#include "apps/cli/interrupt.hpp"

#include <cstdlib>

#include <pthread.h>

#include "apps/cli/failure.hpp"

namespace fhe::cli {

InterruptWatch::InterruptWatch() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  watcher_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  finished_ = true;
  pthread_kill(watcher_.native_handle(), SIGINT);  // wakes the watcher
  watcher_.join();
}

void InterruptWatch::watch() {
  for (int received = 0;;) {
    int signal = 0;
    if (sigwait(&signals_, &signal) != 0) continue;
    if (finished_) return;
    if (++received == 2) std::_Exit(static_cast<int>(ExitCode::interrupted));
    stop_.request_stop();
  }
}

void turn_write_signals_into_errors() {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
}

}  // namespace fhe::cli

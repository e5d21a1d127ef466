// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/hangups.hpp"

#include <csignal>
#include <utility>

#include <pthread.h>

namespace fhe::outsource {

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

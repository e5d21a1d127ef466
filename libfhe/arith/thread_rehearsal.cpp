// SPDX-License-Identifier: Apache-2.0
#include "libfhe/arith/thread_rehearsal.hpp"

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include "libfhe/error.hpp"

namespace fhe {

namespace {

std::size_t checked(std::size_t threads) {
  if (threads > 0) return threads;
  throw Error(ErrorCode::invalid_argument, "a rehearsal needs one thread at least");
}

thread_local ThreadRehearsal* current_rehearsal = nullptr;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A number that has another value for a while.
class Instead {
 public:
  Instead(std::size_t& number, std::size_t value)
      : number_(number), before_(std::exchange(number, value)) {}
  ~Instead() { number_ = before_; }
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;

 private:
  std::size_t& number_;
  std::size_t before_;
};

}  // namespace

ThreadRehearsal::ThreadRehearsal(std::size_t threads)
    : ThreadRehearsal(threads, processor_seconds) {}

ThreadRehearsal::ThreadRehearsal(std::size_t threads, Clock clock)
    : clock_(std::move(clock)),
      threads_(checked(threads)),
      free_threads_(threads),
      start_(clock_()) {
  current_rehearsal = this;
}

ThreadRehearsal::~ThreadRehearsal() {
  current_rehearsal = nullptr;
}

ThreadRehearsal* ThreadRehearsal::current() {
  return current_rehearsal;
}

void ThreadRehearsal::run(std::size_t count, const std::function<void(std::size_t)>& body) {
  if (count == 0) return;
  const std::size_t workers = std::min(count, free_threads_);
  const Instead inside(free_threads_, free_threads_ / workers);
  const double start = now();
  std::vector<double> busy(workers);  // seconds, of each of them
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = now();
    body(i);
    *std::ranges::min_element(busy) += now() - begin;
  }
  saved_ += now() - start - std::ranges::max(busy);
}

}  // namespace fhe

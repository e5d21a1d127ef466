// SPDX-License-Identifier: Apache-2.0
// A program that uses libfhe in a thread of its own and goes on when memory is lacking: for the
// tests of what is left behind in that thread. Tells which of its loops were complete.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <new>
#include <system_error>
#include <thread>

#include "libfhe/arith/integer.hpp"
#include "libfhe/arith/parallel.hpp"

namespace {

bool has_memory_for(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
  } catch (const std::system_error&) {  // of a thread that cannot start
  }
  return false;
}

void loop() {
  std::array<int, 4> calls{};
  const bool complete =
      has_memory_for([&] { fhe::parallel_for(calls.size(), [&](std::size_t i) { ++calls[i]; }); });
  const bool all_once = std::ranges::all_of(calls, [](int count) { return count == 1; });
  std::puts(!complete ? "no memory" : all_once ? "complete" : "cut short");
}

void work() {
  loop();
  static_cast<void>(has_memory_for([] { const fhe::Integer freed = fhe::power_of_two(1000); }));
  loop();
}

// oneTBB ends the process where it needs memory to take a limit back.
[[noreturn]] void end() {
  std::puts("ended by a library");
  std::fflush(stdout);
  std::_Exit(0);
}

}  // namespace

int main() {
  std::set_terminate(end);
  static_cast<void>(has_memory_for([] {
    const fhe::ThreadLimit own_thread(1);  // oneTBB ends a process in which it cannot start another
    std::thread(work).join();
  }));
}

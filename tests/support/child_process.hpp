// SPDX-License-Identifier: Apache-2.0
// Work done in a child process: for tests that no two processes draw the same secrets, and of what
// is left when one is killed.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "libfhe/arith/parallel.hpp"
#include "tests/catch.hpp"

namespace fhe::test {

// How a child process ended, and what it had sent.
struct ChildEnd {
  int status;
  std::string text;
};

// Does `work(send)` in a child process, where `send(text)` sends to this one; the child ends
// without running anything of this one's.
template <class Work>
ChildEnd run_child(const Work& work) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    // The worker threads of the parent do not exist here.
    const ThreadLimit one(1);
    work([&](const std::string& text) {
      const auto written = write(ends[1], text.data(), text.size());
      if (written != static_cast<ssize_t>(text.size())) _exit(1);
    });
    _exit(0);
  }
  close(ends[1]);
  std::string text(4096, '\0');
  const ssize_t bytes = read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return {status, text};
}

// What `work` returns in a child process.
template <class Work>
std::string in_child(const Work& work) {
  const ChildEnd end = run_child([&](const auto& send) { send(work()); });
  REQUIRE(end.status == 0);
  return end.text;
}

}  // namespace fhe::test

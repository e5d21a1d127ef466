// SPDX-License-Identifier: Apache-2.0
// A process of this program that does something for the server, and may come to grief over it.
//
// Whatever clients send is read in such processes, never in the server: what goes wrong there, and
// be it the memory of the machine, touches neither the server nor other processes. It talks over
// its standard output in lines of JSON. The last one may say why there is no result:
//
//   {"error": {"code": "...", "message": "..."}}
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "apps/outsource/messages.hpp"
#include "apps/outsource/server/refusal.hpp"
#include "apps/support/child_process.hpp"

namespace fhe::outsource {

enum class TaskFate {
  done,
  refused,   // it says why it will not do it
  not_now,   // what the machine could not do: the same can be done later
  stopped,   // by the stop token
  too_long,  // in seconds of the clock or of processors
  died,      // of a signal, without a word, or for want of memory: another try may do
};

struct TaskEnd {
  TaskFate fate = TaskFate::died;
  std::string code = {};     // unless it is done: of an ErrorCode, or "internal"
  std::string message = {};  // what is wrong, and what to do

  [[nodiscard]] bool lacked_memory() const { return code == to_string(ErrorCode::out_of_memory); }
};

// What becomes of a task for which there is this refusal: refused, or not now.
[[nodiscard]] TaskFate fate_of(const Refusal& refusal);

// The server's side: starts arguments[0] and waits for its end; `hear` is told every line that is
// no error. When `stop` is triggered, or after `most_time`, the process is told to stop, and killed
// when it does not listen. Throws Error(io) when no process can be started.
[[nodiscard]] TaskEnd run_task(std::vector<std::string> arguments, std::chrono::seconds most_time,
                               const std::stop_token& stop,
                               const std::function<void(const Json&)>& hear);

// The process's side: does `body` within the limits, and ends when the server does. What is thrown
// is said as an error. Returns the exit code of the process.
int do_task(const apps::ProcessLimits& limits, const std::function<void()>& body);

// Says a line.
void say(const Json& json);

}  // namespace fhe::outsource

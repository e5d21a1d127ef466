// SPDX-License-Identifier: Apache-2.0
#include "apps/support/application.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "apps/support/failure.hpp"
#include "apps/support/interrupt.hpp"
#include "apps/support/program.hpp"
#include "apps/support/secrecy.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/sizes.hpp"

namespace fhe::apps {

namespace {

constexpr int kMostThreads = 4096;

int exit_status(ExitCode code) {
  return static_cast<int>(code);
}

// What was printed is a result only when it arrived.
void flush_output() {
  if (std::fflush(stdout) != 0) throw Error(ErrorCode::io, "cannot write to standard output");
}

}  // namespace

std::size_t slots_of(const Setting& setting) {
  const auto sizes = sizes_of(setting.parameters);
  return sizes ? sizes->slots : 1;  // no keys are made of a group without sizes
}

Application::Application(const std::string& name, const std::string& description)
    : options_(name, description) {
  options_
      .option("--params", parameters_,
              "Parameter group, as `fhe params list` lists them, or path of a TOML file")
      .value_name("NAME")
      .shows_default();
  options_.option("--backend", backend_, "Arithmetic backend, as `fhe backends` lists them")
      .value_name("NAME")
      .shows_default();
  options_.option("--threads", threads_, "Threads to use; without it all of the machine")
      .value_name("N")
      .in_range(1, kMostThreads);
  options_.end_help_with(
      "Exit codes: 0 done and right, 1 a wrong result or a failure, 2 wrong usage,\n"
      "others as for `fhe`. The groups she-128-* are meant to be secure, and no other: see the "
      "README.");
}

int Application::play(const Body& body) const {
  const InterruptWatch interrupts(FirstSignal::ends);
  keep_memory_private();
  const ThreadLimit limit(threads_);
  const Setting setting{ParameterSet::resolve(parameters_), open_backend(backend_)};
  const bool right = body(setting);
  flush_output();
  return exit_status(right ? ExitCode::success : ExitCode::failure);
}

int Application::run(int argc, const char* const* argv, const Body& body) noexcept {
  return run_program(options_, argc, argv, [&] { return play(body); });
}

}  // namespace fhe::apps

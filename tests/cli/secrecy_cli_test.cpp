// SPDX-License-Identifier: Apache-2.0
// What holds a secret key leaves no core dump and lets no other process look into its memory.
#include <csignal>
#include <sstream>
#include <string>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "apps/support/secrecy.hpp"
#include "tests/catch.hpp"
#include "tests/cli/workplace.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/process_facts.hpp"
#include "tests/support/sanitizers.hpp"

namespace fhe::test {

namespace {

// Core dumps as large as they may be, for what this process starts.
class CoreDumps {
 public:
  CoreDumps() {
    getrlimit(RLIMIT_CORE, &before_);
    rlimit largest = before_;
    largest.rlim_cur = before_.rlim_max;
    setrlimit(RLIMIT_CORE, &largest);
  }
  ~CoreDumps() { setrlimit(RLIMIT_CORE, &before_); }
  CoreDumps(const CoreDumps&) = delete;
  CoreDumps& operator=(const CoreDumps&) = delete;

  [[nodiscard]] bool allowed() const { return before_.rlim_max != 0; }

 private:
  rlimit before_{};
};

// The largest core dump of a process that has ended, as /proc says it.
std::string last_core_limit(const Process& process) {
  siginfo_t end{};
  REQUIRE(waitid(P_PID, static_cast<id_t>(process.id()), &end, WEXITED | WNOWAIT) == 0);
  std::istringstream limits(fact_of(process.id(), "limits", "Max core file size"));
  std::string soft;
  limits >> soft;
  return soft;
}

}  // namespace

TEST_CASE("secrecy: a private process cannot be dumped", "[cli]") {
  const std::string after = in_child([] {
    apps::keep_memory_private();
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    return std::to_string(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0)) + " " +
           std::to_string(limit.rlim_cur) + " " + std::to_string(limit.rlim_max);
  });
  CHECK(after == "0 0 0");
}

TEST_CASE("secrecy: commands that hold a secret key are private", "[cli]") {
  const CoreDumps dumps;
  if (!dumps.allowed()) {
    WARN("SKIPPED: core dumps are not allowed here anyway");
    return;
  }
  const Workplace place;
  place.encrypt("1", "x.fhe");
  const auto core_limit = [&](const Arguments& arguments) {
    Process process(place, {arguments});
    std::string limit = last_core_limit(process);
    CHECK(process.wait().exit_code == 0);
    return limit;
  };
  CHECK(core_limit({"keygen", "--params", "cnt-mini", "--out", "other"}) == "0");
  CHECK(core_limit({"decrypt", "--key", "keys/secret.fhe", "x.fhe"}) == "0");
  CHECK(core_limit({"inspect", "--secret", "keys/secret.fhe", "x.fhe"}) == "0");
  // AddressSanitizer allows no core dump of any process.
  if (!kSanitized) CHECK(core_limit({"params", "list"}) != "0");
}

}  // namespace fhe::test

// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/this_machine.hpp"

#include <chrono>
#include <fstream>
#include <string_view>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace fhe::bench {

namespace {

// The text after "key...:" in the first line of `file` that starts with the key; "" if none.
std::string value_in(const char* file, std::string_view key) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

}  // namespace

Machine this_machine() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string processor = value_in("/proc/cpuinfo", "model name");
#ifdef __clang__
  const std::string compiler = fmt::format("clang {}.{}", __clang_major__, __clang_minor__);
#else
  const std::string compiler = fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__);
#endif
  return {.processor = processor.empty() ? "unknown" : processor,
          .cores = std::thread::hardware_concurrency(),
          .compiler = compiler,
          .date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))};
}

}  // namespace fhe::bench

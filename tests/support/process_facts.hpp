// SPDX-License-Identifier: Apache-2.0
// What the system says about a process.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <sys/types.h>

namespace fhe::test {

// The whole of /proc/<process>/<file>; "" when the process is gone, also when it ends meanwhile.
inline std::string facts_of(pid_t process, const std::string& file) {
  const std::ifstream in(std::filesystem::path("/proc") / std::to_string(process) / file);
  std::ostringstream text;
  text << in.rdbuf();  // a read that fails ends it without an exception
  return text.str();
}

// What stands there behind `name`, which begins a line; "" when none does.
inline std::string fact_of(pid_t process, const std::string& file, const std::string& name) {
  const std::string text = "\n" + facts_of(process, file);
  const std::size_t at = text.find("\n" + name);
  if (at == std::string::npos) return "";
  const std::size_t start = at + 1 + name.size();
  return text.substr(start, text.find('\n', start) - start);
}

}  // namespace fhe::test

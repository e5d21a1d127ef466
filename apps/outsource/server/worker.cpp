// SPDX-License-Identifier: Apache-2.0
#include "apps/outsource/server/worker.hpp"

#include <fmt/format.h>

namespace fhe::outsource {

namespace {

std::vector<std::string> arguments_of(const std::filesystem::path& program, const Work& work) {
  std::vector<std::string> arguments{program.string(), "work",
                                     "--key",          work.key.string(),
                                     "--circuit",      work.circuit.string(),
                                     "--result",       work.result.string(),
                                     "--checkpoint",   work.checkpoint.string(),
                                     "--memory",       fmt::format("{}", work.memory_mib),
                                     "--threads",      fmt::format("{}", work.threads),
                                     "--save-seconds", fmt::format("{}", work.save_seconds),
                                     "--backend",      work.backend,
                                     "--max-memory",   fmt::format("{}", work.limits.memory_mib),
                                     "--max-seconds",  fmt::format("{}", work.limits.cpu_seconds)};
  for (const std::filesystem::path& input : work.inputs) {
    arguments.insert(arguments.end(), {"--input", input.string()});
  }
  return arguments;
}

void understand(const Json& line, WorkerEnd& end, const WorkerNews& news) {
  if (line.contains("fraction")) {
    news.progress(line["fraction"].get<double>());
  } else if (line.contains("checkpoint_failed")) {
    news.checkpoint_failed(line["checkpoint_failed"].get<std::string>());
  } else if (line.contains("checkpoint_refused")) {
    news.checkpoint_refused(line["checkpoint_refused"].get<std::string>());
  } else {
    end.products = line.at("products").get<std::uint64_t>();
    end.recryptions = line.at("recryptions").get<std::uint64_t>();
  }
}

}  // namespace

WorkerEnd run_worker(const std::filesystem::path& program, const Work& work,
                     std::chrono::seconds most_time, const std::stop_token& stop,
                     const WorkerNews& news) {
  WorkerEnd end;
  end.task = run_task(arguments_of(program, work), most_time, stop,
                      [&](const Json& line) { understand(line, end, news); });
  return end;
}

}  // namespace fhe::outsource

// SPDX-License-Identifier: Apache-2.0
#include "apps/bench/report_command.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <set>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/measure_facts.hpp"
#include "apps/bench/results.hpp"
#include "apps/support/child_process.hpp"
#include "libfhe/arith/parallel.hpp"
#include "libfhe/arith/registry.hpp"
#include "libfhe/error.hpp"
#include "libfhe/scheme/scheme.hpp"
#include "libfhe/storage/atomic_file.hpp"

namespace fhe::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::array kQuickGroups{"cnt-toy", "cmnt-toy", "gh-512"};
constexpr std::array kDefaultGroups{"cnt-toy",    "cnt-small", "cmnt-toy",
                                    "cmnt-small", "gh-512",    "gh-2048"};

// Sizes of products: powers of two, the product of the ASIC and GPU papers, and the CNT groups.
constexpr std::array<std::size_t, 7> kQuickBits{16384,  32768,  65536, 131072,
                                                262144, 524288, 786432};
constexpr std::array<std::size_t, 10> kDefaultBits{16384,  32768,   65536,   147456,  393216,
                                                   786432, 1572864, 4251866, 9437184, 19575950};

struct NamedBackend {
  std::string name;  // as it was asked for, with its options
  BackendPtr backend;
};

// What will be measured.
struct Plan {
  std::vector<ParameterSet> groups;
  std::vector<NamedBackend> backends;
  std::span<const std::size_t> product_bits;
  double min_seconds;

  [[nodiscard]] std::size_t steps() const { return (groups.size() + 1) * backends.size(); }
};

std::vector<ParameterSet> chosen_groups(const ReportOptions& options) {
  std::set<std::string> schemes;
  for (const std::string& name : options.schemes) schemes.emplace(scheme_named(name).name());
  std::vector<std::string> names = options.groups;
  if (names.empty() && options.quick) names.assign(kQuickGroups.begin(), kQuickGroups.end());
  if (names.empty()) names.assign(kDefaultGroups.begin(), kDefaultGroups.end());
  std::vector<ParameterSet> groups;
  for (const std::string& name : names) {
    ParameterSet group = ParameterSet::resolve(name);
    if (schemes.empty() || schemes.contains(group.scheme())) groups.push_back(std::move(group));
  }
  if (!groups.empty()) return groups;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("none of the groups {} is of the schemes {}: name others with --groups",
                          fmt::join(names, ", "), fmt::join(options.schemes, ", ")));
}

Plan plan_of(const ReportOptions& options) {
  Plan plan{.groups = chosen_groups(options),
            .backends = {},
            .product_bits = kDefaultBits,
            .min_seconds = options.min_seconds};
  for (const std::string& name : options.backends) {
    plan.backends.push_back({name, open_backend(name)});
  }
  if (options.quick) plan.product_bits = kQuickBits;
  constexpr double kQuickSeconds = 0.05;
  constexpr double kDefaultSeconds = 0.5;
  if (plan.min_seconds == 0) plan.min_seconds = options.quick ? kQuickSeconds : kDefaultSeconds;
  return plan;
}

void say_step(std::size_t step, const Plan& plan, std::string_view what, std::string_view backend) {
  fmt::print(stderr, "[{}/{}] {} on {}\n", step, plan.steps(), what, backend);
}

// Measures what was planned; the file has what is there so far after every operation.
void measure_all(const Plan& plan, const fs::path& file) {
  Study study;
  study.computed = computed_encryptions();
  const auto keep = [&] { write_text(to_json(study), file); };
  std::size_t step = 0;
  const auto measure_run = [&](const Subject& subject, const Backend& backend,
                               const std::vector<Operation>& operations) {
    Run& run = study.runs.emplace_back();
    measure(subject, backend, operations, plan.min_seconds, [&](const Run& so_far) {
      run = so_far;
      keep();
    });
  };
  for (const ParameterSet& group : plan.groups) {
    for (const auto& [name, backend] : plan.backends) {
      say_step(++step, plan, group.name(), name);
      measure_run({group.name(), name}, *backend, operations_of(group, backend));
    }
    if (!group.makes_keys()) continue;
    fmt::print(stderr, "{:>40}\n", "sizes and noise");
    study.facts.push_back(measure_facts(group, plan.backends.front().backend, file.parent_path()));
    keep();
  }
  for (const auto& [name, backend] : plan.backends) {
    say_step(++step, plan, "products", name);
    measure_run({std::string(kEngine), name}, *backend,
                product_operations(backend, plan.product_bits));
  }
}

// Fails now rather than after minutes of measuring.
void require_writable(const fs::path& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw Error(ErrorCode::io, fmt::format("cannot make the directory {}: {}", directory.string(),
                                           error.message()));
  }
  static_cast<void>(AtomicFile(directory / "report.json", FileAccess::everyone));
}

// The program that joins, compares and draws results, seen from this one where it is installed, or
// where it is built.
fs::path report_program() {
  const fs::path here = apps::this_program().parent_path();
  const fs::path installed = here / FHE_REPORT_WHERE_INSTALLED;
  return fs::exists(installed) ? installed : here / FHE_REPORT_WHERE_BUILT;
}

// Runs it. Returns its exit code, which is one of ours; it has said what is wrong.
int run_report_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {FHE_PYTHON, report_program()});
  apps::ChildProcess process(std::move(arguments), apps::Variables::all);
  while (const auto text = process.read(std::chrono::seconds(1))) fmt::print("{}", *text);
  const int status = process.wait();
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  throw Error(ErrorCode::unsupported, fmt::format("the program that makes reports ended with {}",
                                                  apps::description_of_end(status)));
}

// What it is to do with these files.
std::vector<std::string> arguments_for(const std::vector<std::string>& files,
                                       const ReportOptions& options) {
  std::vector<std::string> arguments;
  if (!options.out.empty()) arguments.push_back("--out=" + options.out.string());
  if (!options.compare.empty()) arguments.push_back("--compare=" + options.compare);
  if (options.no_pages) arguments.emplace_back("--no-pages");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), files.begin(), files.end());
  return arguments;
}

}  // namespace

apps::Command add_report_command(const apps::Command& app, ReportOptions& options) {
  const apps::Command command = app.command(
      "report", "Measure groups on backends, or read such measurements, and draw them as a page");
  command.option("--out", options.out,
                 "Directory for report.html, .md, .json and charts; without it --from prints how "
                 "operations compare, as text");
  const apps::Option from =
      command.option("--from", options.from,
                     "Draw these JSON files of fhe-bench instead of measuring; of runs of the "
                     "same group, backend and threads the last counts");
  command.option("--compare", options.compare,
                 "Compare with these earlier measurements (a JSON file)");
  command
      .option("--groups", options.groups,
              "Parameter groups (default: toy and small ones of every scheme)")
      .separated_by_commas()
      .excludes(from);
  command.option("--schemes", options.schemes, "Only groups of these schemes")
      .separated_by_commas()
      .excludes(from);
  command.option("--backends", options.backends, "Arithmetic backends")
      .separated_by_commas()
      .shows_default()
      .excludes(from);
  command.option("--threads", options.threads, "Threads to use; 0: as many as there are")
      .shows_default()
      .excludes(from);
  command
      .option("--min-time", options.min_seconds,
              "Seconds to repeat short operations for (default: 0.5; 0.05 with --quick)")
      .in_range(0.001, 3600.0)
      .excludes(from);
  command.flag("--quick", options.quick, "Toy groups and short times: about 20 seconds")
      .excludes(from);
  command.flag("--no-pages", options.no_pages,
               "Only report.json; --from draws it later. Measuring then needs no Python");
  command.end_help_with(
      "Examples:\n  fhe-bench report --out report\n"
      "  fhe-bench report --groups cnt-large,gh-32768 --backends auto --out large\n"
      "  fhe-bench report --from small.json       # beside published figures, as text\n"
      "  fhe-bench report --from report/report.json large/report.json --out both\n"
      "  fhe-bench report --quick --compare report/report.json --out now");
  return command;
}

int make_report(const ReportOptions& options) {
  if (!options.from.empty()) return run_report_program(arguments_for(options.from, options));
  if (options.out.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "name the directory of the report with --out, or measured files with --from");
  }
  const ThreadLimit limit(options.threads);
  const Plan plan = plan_of(options);
  require_writable(options.out);
  if (!options.compare.empty() && !options.no_pages) {  // looked at before minutes of measuring
    const int exit_code = run_report_program({"--check", "--", options.compare});
    if (exit_code != 0) return exit_code;
  }
  const fs::path file = options.out / "report.json";
  measure_all(plan, file);
  if (options.no_pages) {
    fmt::print(stderr, "wrote {}\n", file.string());
    return 0;
  }
  const int exit_code = run_report_program(arguments_for({file}, options));
  if (exit_code != 0) {
    fmt::print(stderr,
               "fhe-bench: {} is written, but no pages. When what they lack is there, fhe-bench "
               "report --from draws it\n",
               file.string());
  }
  return exit_code;
}

}  // namespace fhe::bench

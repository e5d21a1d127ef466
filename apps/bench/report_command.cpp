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

#include "apps/bench/device/encryption_clocks.hpp"
#include "apps/bench/measure.hpp"
#include "apps/bench/measure_facts.hpp"
#include "apps/study/study_json.hpp"
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

// Measures what was planned; what is there so far is in report.json after every run.
Study measured(const Plan& plan, const fs::path& out) {
  Study study;
  study.computed = computed_encryptions();
  std::size_t step = 0;
  const auto keep = [&](auto result) {
    study.add(std::move(result));
    write_text(to_json(study), out / "report.json");
  };
  for (const ParameterSet& group : plan.groups) {
    for (const auto& [name, backend] : plan.backends) {
      say_step(++step, plan, group.name(), name);
      keep(
          measure({group.name(), name}, *backend, operations_of(group, backend), plan.min_seconds));
    }
    if (!group.makes_keys()) continue;
    fmt::print(stderr, "{:>40}\n", "sizes and noise");
    keep(measure_facts(group, plan.backends.front().backend, out));
  }
  for (const auto& [name, backend] : plan.backends) {
    say_step(++step, plan, "products", name);
    keep(measure({std::string(kEngine), name}, *backend,
                 product_operations(backend, plan.product_bits), plan.min_seconds));
  }
  return study;
}

// `purpose`: what the runs are for.
Study read_all(const std::vector<std::string>& files, std::string_view purpose) {
  Study study;
  for (const std::string& file : files) study.add(read_study(file));
  if (!study.runs.empty() || !study.scalings.empty() || !study.computed.empty()) return study;
  throw Error(ErrorCode::malformed_file,
              fmt::format("{}: there is nothing to {}", fmt::join(files, ", "), purpose));
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

// The program that draws, seen from this one where it is installed, or where it is built.
fs::path drawing_program() {
  const fs::path here = apps::this_program().parent_path();
  const fs::path installed = here / FHE_REPORT_WHERE_INSTALLED;
  return fs::exists(installed) ? installed : here / FHE_REPORT_WHERE_BUILT;
}

// Draws report.json. What the program says of errors is on standard error.
void draw_pages(const ReportOptions& options) {
  std::vector<std::string> arguments{FHE_PYTHON, drawing_program(), options.out / "report.json",
                                     "--out", options.out};
  if (!options.compare.empty()) arguments.insert(arguments.end(), {"--compare", options.compare});
  apps::ChildProcess process(std::move(arguments), apps::Variables::all);
  while (process.read(std::chrono::seconds(1))) {
  }
  const int status = process.wait();
  if (status == 0) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{} is written, but no pages: the program that draws them ended with {}. "
                  "When what it lacks is there, fhe-bench report --from draws it",
                  (options.out / "report.json").string(), apps::description_of_end(status)));
}

}  // namespace

apps::Command add_report_command(const apps::Command& app, ReportOptions& options) {
  const apps::Command command = app.command(
      "report", "Measure groups on backends, or read such measurements, and draw them as a page");
  command.option("--out", options.out, "Directory for report.html, .md, .json and charts")
      .required();
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
               "Only report.json, which needs no Python; --from draws it later");
  command.end_help_with(
      "Examples:\n  fhe-bench report --out report\n"
      "  fhe-bench report --groups cnt-large,gh-32768 --backends auto --out large\n"
      "  fhe-bench report --from report/report.json large/report.json --out both\n"
      "  fhe-bench report --quick --compare report/report.json --out now");
  return command;
}

void make_report(const ReportOptions& options) {
  const ThreadLimit limit(options.threads);
  // Looked at before minutes of measuring.
  if (!options.compare.empty()) static_cast<void>(read_all({options.compare}, "compare with"));
  Study study;
  if (options.from.empty()) {
    const Plan plan = plan_of(options);
    require_writable(options.out);
    study = measured(plan, options.out);
  } else {
    study = read_all(options.from, "report");
    require_writable(options.out);
  }
  write_text(to_json(study), options.out / "report.json");
  if (!options.no_pages) draw_pages(options);
  const char* const last = options.no_pages ? "report.json" : "report.html";
  fmt::print(stderr, "wrote {}\n", (options.out / last).string());
}

}  // namespace fhe::bench

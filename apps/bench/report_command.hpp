// SPDX-License-Identifier: Apache-2.0
// `fhe-bench report`: measures many runs, or takes measured ones, and has apps/report draw them as
// pages with charts.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/support/arguments.hpp"

namespace fhe::bench {

struct ReportOptions {
  std::vector<std::string> groups;   // empty: the default ones
  std::vector<std::string> schemes;  // only groups of these; empty: of all
  std::vector<std::string> backends{"auto", "ntl"};
  bool quick = false;
  std::size_t threads = 0;
  double min_seconds = 0;         // 0: 0.5, or 0.05 when quick
  bool no_pages = false;          // only report.json
  std::vector<std::string> from;  // files to draw instead of measuring
  std::string compare;            // a file of earlier measurements
  std::filesystem::path out;      // a directory, made when missing; empty: text, of `from` alone
};

// Adds the command to the program's line; it fills `options`.
apps::Command add_report_command(const apps::Command& app, ReportOptions& options);

// Writes report.json, report.html, report.md and the charts as SVG into the directory, each whole
// or not at all; or prints how the operations of files compare. While measuring, report.json is
// brought up to date after every operation. Returns the exit code, which is not 0 where Python or
// its packages are missing, or what a file of `from` or `compare` lacks. Throws Error.
int make_report(const ReportOptions& options);

}  // namespace fhe::bench
